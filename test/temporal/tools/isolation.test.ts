/**
 * Programs, skills and isolated functions in chains, and results and errors of every kind: no tool harms its worker, its
 * heartbeats or another chain.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { commandTool, skillTools } from '../../../src/entries/tools.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool, NotDone, type Tool } from '../../../src/index.js';
import { loadBuiltIsolate } from '../../support/built-isolate.js';
import { withWorker } from '../../support/chain-test.js';
import { isAlive } from '../../support/is-alive.js';
import { returning, throwing } from '../../support/isolated-functions.js';
import { giveUpOutcome, waitForRequests } from '../../support/people.js';
import { listTexts, readRawPlaces } from '../../support/raw-temporal.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { createFolder, invoiceSkill } from '../../support/skill-folder.js';
import { note } from '../../support/tools.js';

const { isolate, module } = await loadBuiltIsolate();
const key = 'canary-of-the-program-0123456789';

const createAgent = (name: string, tools: readonly Tool[]) =>
  defineAgent({ name, model: 'claude-sonnet-5-5', strategy: 'tools', tools });

it('a chain goes its way while an isolated call of another one blocks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-isolated-'));
  const file = join(folder, 'release');
  const blocking = (kind: 'thread' | 'process') =>
    defineTool({
      name: `block_${kind}`,
      description: 'Blocks its loop',
      inputSchema: z.object({ file: z.string() }),
      effects: 'unsafe',
      approval: false,
      timeout: '3m',
      heartbeatTimeout: '2s',
      execute: isolate(kind, { module, export: 'blockUntil' }),
    });
  const blocker = createAgent('blocker', [blocking('thread'), blocking('process')]);
  const neighbour = createAgent('neighbour', [note]);
  const calls = ['block_thread', 'block_process'].map((name) => ({ name, input: { file } }));
  const notes = Array.from({ length: 5 }, (_, at) => ({
    text: `Note ${at}.`,
    calls: [{ name: 'note', input: { text: `${at}` } }],
  }));
  try {
    await withWorker(
      { agents: [blocker, neighbour], replies: [{ text: 'I block.', calls }] },
      async ({ longhand, models }) => {
        const blocked = await longhand.start(blocker, 'Block');
        const begun = performance.now();
        await expect.poll(async () => (await blocked.read()).state.steps).toBe(1);
        models.push(...notes, { text: 'Noted.' });
        const other = await longhand.start(neighbour, 'Take notes');
        expect(await other.result()).toMatchObject({ outcome: 'success', steps: 6 });
        // Longer than the time without a heartbeat.
        await expect.poll(() => performance.now() - begun).toBeGreaterThan(5_000);
        writeFileSync(file, '');
        models.push({ text: 'Unblocked.' });
        expect(await blocked.result()).toMatchObject({ outcome: 'success' });
        const ended = (await blocked.read()).steps[0]?.calls;
        expect(ended?.map(({ observation }) => observation)).toEqual(['done blocking', 'done blocking']);
      },
    );
  } finally {
    writeFileSync(file, '');
    await rm(folder, { recursive: true, force: true });
  }
});

const give = (name: string, execute: (input: { what: string }) => unknown) =>
  defineTool({
    name,
    description: 'Gives a value',
    inputSchema: z.object({ what: z.string() }),
    effects: 'read',
    retry: { attempts: 1 },
    // 100 MB block the loop of a busy machine for seconds.
    heartbeatTimeout: '1m',
    execute,
  });
const callEach = (name: string, whats: readonly string[]): ScriptedReply => ({
  text: `I ${name}.`,
  calls: whats.map((what) => ({ name, input: { what } })),
});

it('without isolation too, a tool may return and throw anything', async () => {
  const agent = createAgent('giver', [give('give', returning), give('fail', throwing)]);
  const values = ['undefined', 'null', 'function', 'symbols', 'bigint', 'cycle', 'stream', 'getter', 'proxy'];
  const larger = ['huge', 'deep', 'deeper', 'date', 'nan', 'surrogate', 'proto'];
  const errors = ['undefined', 'text', 'error', 'typeError', 'notDone', 'getters', 'proxy'];
  const replies = [callEach('give', values), callEach('give', larger), callEach('fail', errors), { text: 'Done.' }];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Give all');
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const [given, more, failed] = (await chain.read()).steps;
    expect(given?.calls.map(({ status }) => status)).toEqual(values.map(() => 'ok'));
    expect(more?.calls.map(({ status }) => status)).toEqual(larger.map(() => 'ok'));
    expect(failed?.calls.map(({ status }) => status)).toEqual(errors.map(() => 'error'));
    const [nothing, , , , bigint] = given?.calls ?? [];
    expect(nothing?.observation).toBe('done');
    expect(bigint?.observation).toMatch(/^done, but the result cannot be converted to JSON/);
    expect(JSON.stringify(more?.calls[0]?.observation).length).toBeLessThan(1_000_000);
  });
});

it('a crash of an unsafe isolated call leaves its outcome unknown, and one that hangs ends at its time limit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-isolated-'));
  const pidFile = join(folder, 'pid');
  const tools = [
    defineTool({
      name: 'hang',
      description: 'Blocks for ever',
      inputSchema: z.object({}),
      effects: 'read',
      timeout: '3s',
      retry: { attempts: 1 },
      execute: (_, context) => isolate('process', { module, export: 'block' })({ ms: 600_000, file: pidFile }, context),
    }),
    defineTool({
      name: 'crash',
      description: 'Ends its thread',
      inputSchema: z.object({}),
      effects: 'unsafe',
      approval: false,
      execute: isolate('thread', { module, export: 'exit' }),
    }),
  ];
  const agent = createAgent('breaker', tools);
  const calls = tools.map(({ name }) => ({ name, input: {} }));
  try {
    await withWorker({ agents: [agent], replies: [{ text: 'I break.', calls }] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Break');
      await giveUpOutcome(longhand, chain.chainId, '1.2');
      expect(await chain.result()).toMatchObject({
        outcome: 'failure',
        reason: expect.stringContaining('is unknown: exit exited with code 3 before it returned.'),
      });
      const [hung, crashed] = (await chain.read()).steps[0]?.calls ?? [];
      expect([hung?.status, crashed?.status]).toEqual(['error', 'unknown']);
      const pid = Number(readFileSync(pidFile, 'utf8'));
      await expect.poll(() => isAlive(pid)).toBe(false);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('a program and a skill are steps of a chain; scripts wait for a person, and secrets are in no history', async () => {
  const folder = await createFolder(invoiceSkill);
  const convert = commandTool({
    name: 'convert',
    description: 'Converts an amount',
    command: process.execPath,
    args: ['-e', programText],
    inputSchema: z.object({ amount: z.number(), to: z.string() }),
    effects: 'read',
    retry: { attempts: 1 },
    secrets: { RATES_KEY: 'RATES' },
    view: { summary: 'Converted to {currency}' },
  });
  const agent = createAgent('accountant', [convert, ...skillTools({ folder })]);
  const replies: readonly ScriptedReply[] = [
    {
      text: 'I convert.',
      calls: [
        { name: 'convert', input: { amount: 10, to: '$(id)' } },
        { name: 'convert', input: { amount: -1, to: 'EUR' } },
      ],
    },
    { text: 'I read the skill.', calls: [{ name: 'invoices', input: {} }] },
    { text: 'I read its rules.', calls: [{ name: 'invoices', input: { file: 'references/rules.md' } }] },
    { text: 'I add up.', calls: [{ name: 'invoices_run', input: { script: 'scripts/sum.sh', args: ['3', '4'] } }] },
    { text: 'The sum is 7.' },
  ];
  const worker = { secrets: { get: () => key } };
  try {
    await withWorker({ agents: [agent], replies, worker }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Add up the invoices');
      await waitForRequests(longhand, chain.chainId, '4.1');
      // The model has had only the description of the skill.
      expect(JSON.stringify(models.requests[0])).toContain('Reads and adds up invoices.');
      expect(JSON.stringify(models.requests[0])).not.toContain('Run scripts/sum.sh');
      expect(JSON.stringify(models.requests[2])).toContain('Run scripts/sum.sh');
      await chain.approve('4.1', { by: 'ana' });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const calls = (await chain.read()).steps.flatMap((step) => step.calls);
      expect(calls.map(({ status }) => status)).toEqual(['ok', 'error', 'ok', 'ok', 'ok']);
      expect(calls[0]?.observation).toEqual({ currency: '$(id)', amount: 20, key: '[redacted:secret]' });
      expect(JSON.stringify(calls[1]?.observation)).toContain('an amount is not negative');
      expect(calls[4]?.observation).toEqual({ exitCode: 0, output: 'sum 7\n' });
      const { steps } = await chain.view(createViewer('user'));
      const shown = JSON.stringify(steps);
      for (const line of [
        'Converted to $(id)',
        'Read SKILL.md',
        'Read references/rules.md',
        'Ran a script (exit code 0)',
      ])
        expect(shown).toContain(line);
      expect(listTexts(await readRawPlaces(longhand.client, chain.chainId)).join('\n')).not.toContain(key);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** The program of `convert`. It reports its key, as a careless one does. */
const programText = `
  let text = '';
  process.stdin.on('data', (part) => (text += part)).on('end', () => {
    const { amount, to } = JSON.parse(text);
    console.error('key', process.env.RATES_KEY);
    if (amount < 0) {
      console.error('an amount is not negative');
      process.exit(65);
    }
    console.log(JSON.stringify({ currency: to, amount: amount * 2, key: process.env.RATES_KEY }));
  });
`;

it('a repeatable call that its worker stopped before it happened is repeated by another worker', async () => {
  let entered = 0;
  const wait = defineTool({
    name: 'wait_once',
    description: 'Waits once',
    inputSchema: z.object({}),
    effects: 'read',
    execute: (_, { attempt, signal }) => {
      entered += 1;
      if (attempt > 1) return 'repeated';
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new NotDone('It was stopped before it started.')));
      });
    },
  });
  const agent = createAgent('waiter', [wait]);
  const replies = [{ text: 'I wait.', calls: [{ name: 'wait_once', input: {} }] }, { text: 'Done.' }];
  await withWorker({ agents: [agent], replies }, async ({ longhand, worker, startWorker }) => {
    const chain = await longhand.start(agent, 'Wait');
    await expect.poll(() => entered).toBe(1);
    await worker.stop();
    await startWorker();
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect((await chain.read()).steps[0]?.calls[0]?.observation).toBe('repeated');
  });
});

/** A fork continues from a step of its origin: its requests, its cost, and its independence of the origin. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain, toChainFile } from '../../../src/client/read/recorded-chain.js';
import { sealChainFile } from '../../../src/core/record/chain-file.js';
import type { ChainHandle } from '../../../src/entries/client.js';
import { parseRecordedChain } from '../../../src/entries/client.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { converter } from '../../histories/stored.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { longhand as command } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { matchError } from '../../support/match-error.js';
import { deleteRun } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { replyWithEcho } from '../../support/tools.js';

const runs: string[] = [];
const echo = defineTool({
  name: 'echo',
  description: 'Returns its text',
  inputSchema: z.object({ text: z.string() }),
  effects: 'idempotent',
  execute: ({ text }, { idempotencyKey }) => {
    runs.push(`${text} ${idempotencyKey}`);
    return text;
  },
});
const agent = defineAgent({ name: 'echoer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [echo] });
const script: readonly ScriptedReply[] = [replyWithEcho('one'), replyWithEcho('two', 'three'), { text: 'All done.' }];

/** Runs a chain that answers in three steps; `next` are the replies after its own. */
async function withEnded(
  next: readonly ScriptedReply[],
  body: (test: ChainTest, ended: ChainHandle) => Promise<void>,
): Promise<void> {
  await withWorker({ agents: [agent], replies: [...script, ...next] }, async (test) => {
    runs.length = 0;
    const ended = await test.longhand.start(agent, 'Echo it', { user: 'Ada' });
    await ended.result();
    await body(test, ended);
  });
}

describe('a fork', () => {
  it('continues from a step of its origin and is charged for new steps only', async () => {
    await withEnded([replyWithEcho('four'), { text: 'Otherwise.' }], async ({ longhand, models }, ended) => {
      const origin = await ended.result();
      const fork = await longhand.fork(ended.chainId, { atStep: 2 });
      const result = await fork.result();
      expect(result).toMatchObject({ outcome: 'success', answer: 'Otherwise.', steps: 4 });
      const [, , third, first] = models.requests;
      expect(first?.body.messages).toEqual(third?.body.messages);
      expect(runs.map((run) => run.split(' ')[0])).toEqual(['one', 'two', 'three', 'four']);
      expect(new Set(runs.map((run) => run.split(' ')[1])).size).toBe(4);
      const chain = await fork.read();
      expect(chain.steps.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
      const own = chain.steps.slice(2).reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
      expect(result.costUsd).toBeCloseTo(own, 9);
      expect(result.costUsd).toBeLessThan((origin.costUsd ?? 0) + own);
    });
  });

  it('of an answered chain needs a message, which the model sees after the answer', async () => {
    await withEnded([{ text: 'In German: alles getan.' }], async ({ longhand, models }, ended) => {
      await expect(longhand.fork(ended.chainId)).rejects.toMatchObject({ code: 'fork_needs_message' });
      const fork = await longhand.fork(ended.chainId, { message: 'In German, please.' });
      expect(await fork.result()).toMatchObject({ answer: 'In German: alles getan.', steps: 4 });
      const messages = models.requests.at(-1)?.body.messages.slice(-2);
      expect(JSON.stringify(messages)).toContain('All done.');
      expect(JSON.stringify(messages?.at(-1))).toContain('Message from Ada: In German, please.');
    });
  });

  it('records its origin, and the origin lists its forks', async () => {
    await withEnded([{ text: 'Once more.' }, { text: 'And again.' }], async ({ longhand }, ended) => {
      const forks = [];
      for (const message of ['Again.', 'And again.']) {
        const fork = await longhand.fork(ended.chainId, { message });
        await fork.result();
        forks.push(fork.chainId);
        expect((await fork.read()).state.origin).toMatchObject({ chainId: ended.chainId, steps: 3 });
      }
      await expect.poll(async () => [...(await longhand.listForks(ended.chainId))].sort()).toEqual(forks.sort());
    });
  });

  it('of a fork can start at a step of either chain', async () => {
    const next = [replyWithEcho('four'), { text: 'Second.' }, { text: 'Third.' }, { text: 'Fourth.' }];
    await withEnded(next, async ({ longhand, models }, ended) => {
      const second = await longhand.fork(ended.chainId, { atStep: 2, message: 'Continue.' });
      await second.result();
      const third = await longhand.fork(second.chainId, { atStep: 3 });
      expect(await third.result()).toMatchObject({ answer: 'Third.', steps: 4 });
      const fourth = await longhand.fork(second.chainId, { atStep: 1 });
      expect(await fourth.result()).toMatchObject({ answer: 'Fourth.', steps: 2 });
      const [thirds, fourths] = models.requests.slice(-2).map(({ body }) => JSON.stringify(body.messages));
      expect(thirds).toContain('Continue.');
      expect(thirds).toContain('I call four.');
      expect(fourths).not.toContain('Continue.');
      expect(fourths).not.toContain('I call two');
    });
  });

  it('can start from a file after its origin was deleted', async () => {
    let file = '';
    let origin = { chainId: '', runId: '' };
    await withEnded([], async ({ longhand }, { chainId }) => {
      const recorded = await readRecordedChain(await resolveChainSource(longhand.client, chainId));
      file = JSON.stringify(sealChainFile(toChainFile(recorded)));
      origin = { chainId, runId: recorded.runs.at(-1)?.runId ?? '' };
    });
    await withWorker({ agents: [agent], replies: [{ text: 'From a file.' }] }, async ({ longhand }) => {
      await deleteRun(longhand, origin.chainId, origin.runId);
      const fork = await longhand.fork(await parseRecordedChain(file, converter), { atStep: 2 });
      expect(await fork.result()).toMatchObject({ answer: 'From a file.', steps: 3 });
      const again = JSON.stringify(
        sealChainFile(toChainFile(await readRecordedChain(await resolveChainSource(longhand.client, fork.chainId)))),
      );
      const { chain } = await parseRecordedChain(again, converter);
      expect(chain.steps.map(({ calls: made }) => made.map(({ observation }) => observation))).toEqual([
        ['one'],
        ['two', 'three'],
        [],
      ]);
      expect(chain.state.origin?.chainId).toBe(origin.chainId);
    });
  });

  it('at a step that does not exist is rejected', async () => {
    await withEnded([], async ({ longhand }, ended) => {
      await expect(longhand.fork(ended.chainId, { atStep: 4 })).rejects.toMatchObject(
        matchError('fork_impossible', 'step 4: it has 3 complete steps'),
      );
      await expect(longhand.fork('no-chain', { atStep: 1 })).rejects.toMatchObject({
        code: 'chain_not_found',
        chainId: 'no-chain',
      });
    });
  });

  it('carries more than the size limit of a payload', async () => {
    const limits = { steps: 20, tokens: 100_000_000, costUsd: 1_000 };
    const recite = defineTool({
      name: 'recite',
      description: 'Recites a long text',
      inputSchema: z.object({ of: z.number() }),
      effects: 'read',
      execute: ({ of }) => `There is much to recite of ${of}. `.repeat(5_000),
    });
    const reciter = defineAgent({
      ...{ name: 'reciter', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [recite] },
      maxObservationTokens: 100_000,
    });
    const many = Array.from({ length: 16 }, (_, of) => ({ calls: [{ name: 'recite', input: { of } }] }));
    const replies = [...many, { text: 'Long.' }, { text: 'Longer.' }];
    await withWorker({ agents: [reciter], replies }, async (test) => {
      const chain = await test.longhand.start(reciter, 'Recite it at length', { limits });
      expect(await chain.result()).toMatchObject({ steps: 17 });
      const fork = await test.longhand.fork(chain.chainId, { atStep: 16, limits });
      expect(await fork.result()).toMatchObject({ answer: 'Longer.', steps: 17 });
      const [before, after] = test.models.requests.slice(-2).map(({ body }) => body.messages);
      expect(after).toEqual(before);
    });
  });
});

describe('longhand chain fork', () => {
  it('starts a fork of a chain or a file and follows it', async () => {
    await withEnded([{ text: 'Auf Deutsch.' }, { text: 'En français.' }], async ({ longhand, taskQueue }, ended) => {
      const env = { TEMPORAL_ADDRESS: getTemporalAddress() };
      const queue = ['--task-queue', taskQueue];
      const run = (...args: readonly string[]) => command(['chain', 'fork', ...args, ...queue], env).end;
      const short = ended.chainId.slice(0, -4);
      const show = (...args: readonly string[]) => longhandHere(['chain', 'show', ...args], env);
      await expect.poll(async () => (await show(short)).code).toBe(0);
      const followed = await run(short, '--steer', 'In German.', '--wait');
      expect(followed).toMatchObject({ code: 0 });
      expect(followed.stdout).toContain('[MESSAGE] Ada: In German.');
      expect(followed.stdout).toContain('Auf Deutsch.');
      const file = join(mkdtempSync(join(tmpdir(), 'longhand-test-')), 'chain.json');
      const recorded = await readRecordedChain(await resolveChainSource(longhand.client, ended.chainId));
      writeFileSync(file, JSON.stringify(sealChainFile(toChainFile(recorded))));
      const started = await run(file, '--at-step', '1', '--json', '--id', `${ended.chainId}-fork`);
      expect(JSON.parse(started.stdout)).toEqual({ chainId: `${ended.chainId}-fork` });
      expect(await longhand.getHandle(`${ended.chainId}-fork`).result()).toMatchObject({
        answer: 'En français.',
        steps: 2,
      });
      await expect
        .poll(async () => JSON.parse((await show(ended.chainId, '--json')).stdout).forks.length, { interval: 200 })
        .toBe(2);
      expect((await show(ended.chainId)).stdout).toMatch(/forked as .*-fork/);
      expect((await show(`${ended.chainId}-fork`)).stdout).toContain(`forked from ${ended.chainId}`);
    });
  });

  it('exits 2 for an invalid step and starts no chain', async () => {
    await withEnded([], async ({ longhand }, ended) => {
      const run = (...args: readonly string[]) =>
        longhandHere(['chain', 'fork', ended.chainId, ...args], { TEMPORAL_ADDRESS: getTemporalAddress() });
      expect(await run()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Write --steer') });
      expect(await run('--at-step', '7')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('3 complete steps'),
      });
      expect(await run('--at-step', 'last')).toMatchObject({ code: 2, stderr: expect.stringContaining('--at-step') });
      expect(await longhand.listForks(ended.chainId)).toEqual([]);
    });
  });
});

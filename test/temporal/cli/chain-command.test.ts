/** `longhand chain …` on a real server: its output for each viewer, and its exit codes. */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { printEvents, watchOnServer } from '../../../src/cli/chain/watch.js';
import type { ChainRow } from '../../../src/client/list/chain-row.js';
import { connect, type WatchEvent } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { type Ended, longhand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import { giveUpOutcome } from '../../support/people.js';
import { acts, answers } from '../../support/react-reply.js';
import { storedFile } from '../../support/stored-chain.js';
import { getTemporalAddress } from '../../support/temporal.js';

/** A text in a thought, in arguments and in a result, none of which an end user may see. */
const canary = 'canary-5d1f';

const query = defineTool({
  name: 'query',
  description: 'Asks the database',
  inputSchema: z.object({ sql: z.string() }),
  effects: 'read',
  kind: 'database',
  view: { summary: 'Queried {table}, returned {rowCount} rows' },
  execute: ({ sql }) => ({ table: 'sales', rowCount: 1247, rows: [`${canary} in ${sql}`] }),
});
const dwell = defineTool({
  name: 'dwell',
  description: 'Waits until it is stopped',
  inputSchema: z.object({}),
  effects: 'read',
  execute: (_input, { signal }) =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ to: z.string() }),
  effects: 'unsafe',
  approval: false,
  execute: () => {
    throw new Error('the line broke');
  },
});
const analyst = defineAgent({
  name: 'analyst',
  version: '2.1.0',
  model: 'claude-sonnet-5-5',
  strategy: 'react',
  tools: [query, dwell, pay],
});

const asks = acts(`I ask for ${canary} first.`, 'query', { sql: `SELECT '${canary}'` });
const hostile = '\u001b]0;owned\u0007\u001b[2J天气很好 👩‍👩‍👧‍👦';

/** The ids of all chains of this file begin with this text, and no others. */
const mine = `cc-${randomUUID().slice(0, 8)}`;
const toId = (name: string) => `${mine}-${name}`;
const sales = toId('sales');
const other = toId('other');
const cut = toId('cut');
const unpaid = toId('unpaid');
const running = toId('running');
const tenant = `tenant-${mine}`;

function chain(...args: readonly string[]): Promise<Ended> {
  return longhandHere(['chain', ...args], { TEMPORAL_ADDRESS: getTemporalAddress() });
}

async function json<T>(...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await chain(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

beforeAll(async () => {
  const replies = [
    ...[asks, answers('Now I know it.', 'It rises.')],
    ...[asks, answers('Now I know it.', `It falls. ${hostile}`)],
    ...[asks, { text: 'It was cut.' }],
    acts('I pay at last.', 'pay', { to: canary }),
    acts('I wait for it.', 'dwell', {}),
  ];
  await withWorker({ agents: [analyst], replies }, async ({ longhand }) => {
    const start = (chainId: string, options = {}) =>
      longhand.start(analyst, `Look at ${chainId}`, { chainId, ...options });
    await (await start(sales, { tenant, user: 'ada' })).result();
    await (await start(other)).result();
    await (await start(cut, { limits: { steps: 1 } })).result();
    const doubtful = await start(unpaid);
    await giveUpOutcome(longhand, unpaid, '1.1');
    await doubtful.result();
    const left = await start(running);
    for await (const { type } of left.follow()) if (type === 'step-added') break;
  });
  const count = async (status: string) =>
    (await json<readonly ChainRow[]>('list', '--text', mine, '--status', status)).length;
  await vi.waitUntil(async () => (await count('ended')) === 4 && (await count('running')) === 1);
});

describe('longhand chain list', () => {
  const ids = async (...flags: readonly string[]) => {
    const rows = await json<readonly ChainRow[]>('list', '--text', mine, ...flags);
    return rows.map(({ chainId }) => chainId);
  };

  it('shows running chains first, with their current operation', async () => {
    const { code, stdout } = await chain('list', '--text', mine);
    expect(code).toBe(0);
    const [head, first, ...rest] = stdout.trim().split('\n');
    expect(head).toMatch(/^CHAIN +AGENT +OUTCOME +STEPS +COST +AGE +TASK$/);
    expect(first).toMatch(new RegExp(`^${running} +analyst +● dwell +1 +\\$`));
    expect(rest).toHaveLength(4);
    expect(stdout).not.toContain('\u001b');
  });

  it('filters by status, outcome, tenant, agent, age and cost', async () => {
    expect(await ids()).toEqual([running, unpaid, cut, other, sales]);
    expect(await ids('--status', 'running')).toEqual([running]);
    expect(await ids('--outcome', 'max_iterations')).toEqual([cut]);
    expect(await ids('--tenant', tenant)).toEqual([sales]);
    expect(await ids('--agent', 'nobody')).toEqual([]);
    expect(await ids('--agent', 'analyst', '--status', 'ended', '--since', '1h', '--cost-over', '0.0001')).toHaveLength(
      4,
    );
    expect(await ids('--cost-over', '1000')).toEqual([]);
  });

  it('lists the chains of one version of an agent, running or ended, and show prints it', async () => {
    expect(await ids('--agent', 'analyst@2.1.0')).toEqual([running, unpaid, cut, other, sales]);
    expect(await ids('--agent', 'analyst@2.1')).toEqual([]);
    expect((await chain('show', sales)).stdout).toContain('version 2.1.0 · ');
  });

  it('does not interpret quotes in the value of a filter', async () => {
    for (const value of ['x" OR WorkflowType = "agent', "x' OR '1' = '1", 'x\\']) {
      expect(await ids('--agent', value)).toEqual([]);
    }
  });

  it('lists chains in files and reports files without a chain', async () => {
    const { code, stdout, stderr } = await chain('list', storedFile('parallel-tools'), 'package.json', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ agent: 'player', outcome: 'success', steps: 3, status: 'ended' }]);
    expect(stderr).toContain('Cannot read a chain from package.json');
  });
});

describe('longhand chain show', () => {
  it('draws the chain as a tree with tokens and cost', async () => {
    const { code, stdout } = await chain('show', sales);
    expect(code).toBe(0);
    expect(stdout).toContain(`analyst  Look at ${sales}`);
    expect(stdout).toMatch(/2 steps · .* · [\d,]+ tokens · \$0\.00\d+/);
    expect(stdout).toMatch(/├─ Step 1\n│ {2}├─ \[LLM: [\w-]+\] {2}from .* tokens in · .* out · \$/);
    expect(stdout).toContain(`│  ├─ [THINKING] I ask for ${canary} first.`);
    expect(stdout).toContain(`│  └─ [DATABASE: query] sql="SELECT '${canary}'"`);
    expect(stdout).toContain('│     └─ → {"table":"sales"');
    expect(stdout).toContain('   └─ [ANSWER] It rises.');
  });

  it('marks the step at which a chain was stopped', async () => {
    expect((await chain('show', cut)).stdout).toMatch(
      /⚠ Max steps \(1\) reached\. {2}◀ stopped here\n.*\[SUMMED UP\] It was cut\./,
    );
  });

  it('prints no control sequence from a reply of the model', async () => {
    const { stdout } = await chain('show', other);
    expect(stdout).toContain('[ANSWER] It falls. 天气很好 👩‍👩‍👧‍👦');
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('shows one step in full, the newest steps, or the result of a search', async () => {
    expect((await chain('show', sales, '--step', '1')).stdout).toMatch(
      /1\.1 \[DATABASE: query\] ok · 1 attempt · worker/,
    );
    const last = await chain('show', sales, '--last', '1');
    expect(last.stdout).toContain(`… 1 older step: longhand chain show ${sales} --all`);
    expect(last.stdout).not.toContain('Step 1');
    const found = await json<{ steps: { id: string }[] }>('show', sales, '--search', 'RISES', '--type', 'synthesis');
    expect(found.steps.map(({ id }) => id)).toEqual(['2a']);
  });

  it('finds a chain by a prefix of its id and lists all matches of an ambiguous one', async () => {
    expect(await json('show', `${mine}-sal`)).toMatchObject({ chainId: sales });
    const { code, stderr } = await chain('show', mine);
    expect(code).toBe(2);
    for (const id of [sales, other, cut, unpaid, running]) expect(stderr).toContain(id);
  });

  it('shows a chain from a file', async () => {
    const { code, stdout } = await chain('show', storedFile('unknown-outcome'));
    expect(code).toBe(0);
    expect(stdout).toContain('◀ failed here');
  });
});

describe('the view of an end user', () => {
  it.each([
    ['show', [sales]],
    ['show', [sales, '--step', '1']],
    ['show', [sales, '--search', canary]],
    ['show', [sales, '--expand', 'all']],
    ['at', [sales, '1']],
    ['diff', [sales, running]],
    ['explain', [unpaid]],
    ['watch', [sales]],
    ['cost', [sales]],
    ['list', ['--text', mine]],
  ])('contains no thoughts, arguments and results in %s %j (L8)', async (command, args) => {
    const { code, stdout } = await chain(command, ...args, '--as', 'end_user', '--json');
    expect(code).toBe(0);
    expect(stdout).not.toContain(canary);
    expect(stdout.length).toBeGreaterThan(2);
  });

  it('is also the view of an unknown role', async () => {
    const [unknown, endUser] = await Promise.all(
      ['nobody-knows', 'end_user'].map((role) => chain('show', sales, '--as', role)),
    );
    expect(unknown?.stdout).toBe(endUser?.stdout);
  });

  it('lacks what the view of a developer contains', async () => {
    for (const [command, ...args] of [
      ['show', sales],
      ['at', sales, '1'],
      ['watch', sales],
      ['diff', sales, running],
      ['explain', unpaid],
    ] as const) {
      expect((await chain(command, ...args, '--json')).stdout).toContain(canary);
    }
  });

  it('shows the summary of a result by the template of its tool', async () => {
    const { stdout } = await chain('show', sales, '--as', 'end_user');
    expect(stdout).toContain('→ Queried sales, returned 1,247 rows');
    expect(stdout).not.toContain(canary);
  });
});

it('longhand chain at shows a chain as it was at a step', async () => {
  const { stdout } = await chain('at', sales, '1');
  expect(stdout).toContain('● running: the model is thinking');
  expect(stdout).not.toContain('It rises.');
  const then = await json<{ steps: { id: string }[]; outcome: null }>('at', sales, '1');
  expect(then).toMatchObject({ outcome: null, steps: [{ id: '1' }, { id: '1.1' }, { id: '1.1r' }] });
});

it('longhand chain diff shows the first difference of two chains', async () => {
  const { code, stdout } = await chain('diff', sales, other);
  expect(code).toBe(0);
  expect(stdout).toContain('The chains differ at step 2: the answer differs.');
  expect(stdout).toMatch(/\[ANSWER\] It rises\. +│.*\[ANSWER\] It falls\./);
  expect(await json('diff', sales, other)).toMatchObject({
    equal: false,
    firstDifference: { step: 2, what: 'answer' },
  });
  expect((await chain('diff', sales, other, '--exit-code')).code).toBe(1);
  expect((await chain('diff', sales, sales, '--exit-code')).stdout).toBe('No difference: 2 steps, success.\n');
});

it('longhand chain cost adds up to the charge of the chain', async () => {
  interface Costs {
    readonly lines: readonly { readonly step: number | null; readonly costUsd: number; readonly share: number }[];
    readonly total: { readonly costUsd: number };
  }
  for (const id of [sales, cut]) {
    const { lines, total } = await json<Costs>('cost', id);
    expect(lines.reduce((sum, line) => sum + line.costUsd, 0)).toBeCloseTo(total.costUsd, 9);
    expect(lines.reduce((sum, line) => sum + line.share, 0)).toBeCloseTo(1, 9);
    expect(total.costUsd).toBe((await json<{ costUsd: number }>('show', id)).costUsd);
  }
  expect((await chain('cost', cut)).stdout).toMatch(/other .*[\s\S]*other: the summary[\s\S]*Budget left: /);
});

it('longhand chain explain shows the next operation and its reason', async () => {
  const { stdout } = await chain('explain', running);
  expect(stdout).toContain('It waits for call 1.1 (dwell). Then: The model is called for step 2.');
  expect(stdout).toMatch(/steps +1 +\d+ {2}█/);
  expect((await chain('explain', cut)).stdout).toContain(
    'Nothing: the chain has ended as max_iterations.\n- Max steps (1) reached.',
  );
});

describe('longhand chain watch', () => {
  it('emits the events of a running chain, ends with it, and continues from any position', async () => {
    await withWorker({ agents: [analyst], replies: [asks] }, async ({ longhand: client, models }) => {
      const { chainId } = await client.start(analyst, 'Watch me', { chainId: `${mine}-live` });
      const watcher = longhand(['chain', 'watch', chainId, '--json'], { TEMPORAL_ADDRESS: getTemporalAddress() });
      models.push(answers('Now I know it.', 'It rises.'));
      const { code, stdout } = await watcher.end;
      expect(code).toBe(0);
      const events = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as WatchEvent);
      expect(events.at(0)).toMatchObject({ type: 'view-opened' });
      expect(events.at(-1)).toMatchObject({ type: 'view-completed', view: { outcome: 'success' } });
      for (const [at, { runId, eventId, item }] of events.entries()) {
        if (at % 3 !== 0) continue;
        const { stdout: rest } = await chain('watch', chainId, '--json', '--from', `${runId}:${eventId}:${item}`);
        expect(
          rest
            .trim()
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        ).toEqual(events.slice(at + 1));
      }
    });
  });

  it('prints plain lines into a pipe', async () => {
    const { stdout } = await chain('watch', sales);
    expect(stdout).toMatch(
      /^Step 1 of at most 10\n {2}\[LLM: [^[]*\n {2}\[THINKING\] .*\n {2}\[DATABASE: query\] .*\n {2}→ /m,
    );
    expect(stdout).toMatch(/\n\n✓ success {2}Answered in 2 steps\.\n/);
    expect(stdout).not.toContain('\u001b');
  });

  it('prints tokens if a token channel is connected', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const reply = { ...answers('Word by word I write it.', 'It rises.'), chunkDelayMs: 5 };
    const replies = [{ ...reply, waitsFor: whenSubscribed(1) }];
    await withWorker({ agents: [analyst], replies, worker: { tokens } }, async ({ longhand: client, taskQueue }) => {
      const listening = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      const { chainId } = await client.start(analyst, 'Write', { chainId: `${mine}-tokens` });
      const written: string[] = [];
      const write = (text: string) => void written.push(text);
      const terminal = { write, writeRaw: write, report: () => {}, color: false, width: 80, tableWidth: 80 };
      const as = { viewer: createViewer('auditor'), config: {} };
      await printEvents(terminal, await watchOnServer(listening, chainId, as, { tokens: true }), false);
      await listening.close();
      expect(written.join('')).toMatch(
        / {2}Thought: Word by word[\s\S]*\nStep 1[\s\S]*\[ANSWER\] It rises\.[\s\S]*✓ success/,
      );
    });
  });
});

describe('an invalid call of longhand chain', () => {
  it.each([
    [['show', `${mine}-nowhere`], 1, `Chain ${mine}-nowhere not found`],
    [['show', sales, '--step', '9'], 1, 'The chain has no step 9: it has steps 1 to 2.'],
    [['at', sales, '9'], 1, 'The chain has no step 9: it has steps 1 to 2.'],
    [['show', 'nowhere.json'], 1, 'Cannot read a chain from nowhere.json: there is no such file.'],
    [['show', 'package.json'], 1, 'Cannot read a chain from package.json'],
    [['list', 'nowhere'], 1, 'File or folder nowhere not found.'],
    [['watch', sales, '--from', `${randomUUID()}:3`], 1, `${sales} has no run `],
    [['show', sales, '--since', 'soon'], 2, 'Invalid --since soon. Write 30m'],
    [['show', sales, '--type', 'dreams'], 2, 'Invalid --type dreams. Write one or more of thinking'],
    [['show', sales, '--visibility', 'nowhere.json'], 2, 'Cannot read --visibility nowhere.json'],
    [['watch', sales, '--from', 'here'], 2, 'Invalid --from here.'],
    [['list', '--cost-over', 'much'], 2, 'Invalid --cost-over much: expected a number of at least 0.'],
    [['watch', storedFile('reuse'), '--from', 'run:3'], 2, '--from cannot be used with a file'],
    [['list', '--outcome', 'bogus'], 2, 'Allowed choices are success, '],
    [['fork', sales, '--steer', ''], 2, '--steer is empty.'],
    [['show', ''], 2, 'Name a chain'],
  ])('%j exits %d with one line on standard error and no output', async (args, exits, message) => {
    const { code, stdout, stderr } = await chain(...args);
    expect({ code, stdout }).toEqual({ code: exits, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('prints no control sequence from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longhand-hostile-'));
    const file = join(folder, 'hostile.json');
    const name = '\u001b]0;owned\u0007\u001b]52;c;cHduZWQ=\u0007\u001b[2J\u009b31mother';
    const started = { workflowType: { name } };
    const type = 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED';
    const event = { eventId: '1', eventType: type, workflowExecutionStartedEventAttributes: started };
    writeFileSync(file, JSON.stringify({ events: [event] }));
    for (const args of [
      ['import', file],
      ['show', file],
      ['list', file],
    ]) {
      const { stderr } = await chain(...args);
      expect(stderr).toContain('its workflow has type other');
      expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
    }
    rmSync(folder, { recursive: true });
  });

  it('reports a server that does not answer', async () => {
    const unreachable = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const { code, stdout, stderr } = await longhandHere(['chain', 'list', '--json'], unreachable);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('No Temporal server answers at 127.0.0.1:1.');
  });
});

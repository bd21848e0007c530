/**
 * Tokens of a worker in another process: through its socket, and through a store in Postgres. L8: a viewer gets of them what
 * the complete step shows.
 */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChainHandle, connect, type Longhand, type WatchEvent } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import type { Json } from '../../../src/index.js';
import { describeLong } from '../../support/budget.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { longhand as startCommand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { createKillableAgent, toGoFile } from '../../support/killable-agent.js';
import { decryptWithin } from '../../support/opened.js';
import { hasPseudoTerminal, runAtTerminal } from '../../support/pseudo-terminal.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { freshPostgres } from '../../support/stores.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';
import { startWorkerProcess, type WorkerProcess } from '../../support/worker-process.js';

type TokenEvent = Extract<WatchEvent, { type: 'token' }>;

const words = 'The sky is grey over the harbour and the wind turns to the north in the afternoon. ';
/** Slow enough for a follower to connect, and longer than the delay of the filter. */
const reply: ScriptedReply = { text: words.repeat(4), chunkDelayMs: 20 };

let folder: string;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-relay-'));
  process.env.LONGHAND_TOKENS = 'on';
  process.env.XDG_DATA_HOME = folder;
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  process.env.LONGHAND_TOKENS = 'off';
  delete process.env.XDG_DATA_HOME;
  rmSync(folder, { recursive: true, force: true });
});

interface Relayed extends ChainTest {
  /** Starts a worker in another process. */
  readonly startProcess: (store?: string) => Promise<WorkerProcess>;
  readonly client: (options?: Parameters<typeof connect>[0]) => Promise<Longhand>;
}

/** Runs `body` while no worker of this process runs. */
async function withRelay(replies: readonly ScriptedReply[], body: (relayed: Relayed) => Promise<void>): Promise<void> {
  const agent = createKillableAgent({ marks: join(folder, 'marks'), holds: null });
  const worker = { tokens: false } as const;
  await withWorker({ agents: [agent], replies, worker }, async (test) => {
    await test.worker.stop();
    const startProcess = async (store?: string) => {
      const started = await startWorkerProcess({
        ...{ address: getTemporalAddress(), taskQueue: test.taskQueue, modelUrl: test.models.url },
        ...{ bundlePath: getWorkflowBundlePath(), marks: join(folder, 'marks'), holds: null },
        ...(store === undefined ? {} : { store }),
      });
      closers.push(started.kill);
      return started;
    };
    const client = async (options = {}) => {
      const connected = await connect({ address: getTemporalAddress(), taskQueue: test.taskQueue, ...options });
      closers.push(connected.close);
      return connected;
    };
    await body({ ...test, startProcess, client });
  });
}

async function readTokens(chain: ChainHandle, role: string): Promise<readonly TokenEvent[]> {
  const tokens: TokenEvent[] = [];
  for await (const event of chain.watch(createViewer(role), { tokens: true })) {
    if (event.type === 'token') tokens.push(event);
  }
  return tokens;
}

/** As a buffer writes itself in JSON. */
function isBuffer(part: unknown): part is { readonly data: readonly number[] } {
  return typeof part === 'object' && part !== null && 'type' in part && part.type === 'Buffer';
}

const toText = (bytes: readonly number[]) => Buffer.from(bytes).toString();

function joinTexts(tokens: readonly TokenEvent[], call = 'model-1'): string {
  return tokens.flatMap((event) => (event.call === call ? [event.text] : [])).join('');
}

describe('tokens of a worker in another process', () => {
  it('reach watch through the socket of the worker, up to the first secret and only for viewers of full steps', async () => {
    const secret = 'Write to ann@example.org. ';
    const text = words + secret + words.repeat(3);
    await withRelay([{ text, chunkDelayMs: 20 }], async ({ longhand, client, startProcess }) => {
      const chain = await longhand.start('killable', 'Look');
      const reader = (await client()).getHandle(chain.chainId);
      const reading = ['developer', 'end_user', 'auditor'].map((role) => readTokens(reader, role));
      await startProcess();
      const [developer = [], endUser, auditor = []] = await Promise.all(reading);
      expect(joinTexts(auditor)).toBe(text);
      expect(endUser).toEqual([]);
      expect(joinTexts(developer).length).toBeGreaterThan(0);
      expect(`${words}Write to `.startsWith(joinTexts(developer))).toBe(true);
    });
  });

  it('continue with the next worker after the worker was killed in a reply', async () => {
    await withRelay([{ hang: true, afterEvents: 8, text: words }, reply], async (test) => {
      const chain = await test.longhand.start('killable', 'Look');
      const reader = (await test.client()).getHandle(chain.chainId);
      const tokens: TokenEvent[] = [];
      const doomed = await test.startProcess();
      let next: Promise<WorkerProcess> | null = null;
      for await (const event of reader.watch(createViewer('auditor'), { tokens: true })) {
        if (event.type !== 'token') continue;
        tokens.push(event);
        next ??= doomed.kill().then(() => test.startProcess());
      }
      await next;
      expect(words.startsWith(joinTexts(tokens))).toBe(true);
      expect(joinTexts(tokens, 'model-2')).toBe(words.repeat(4));
    });
  });

  it('also carry the interim results of a running call, masked like its result, and the history has none of them', async () => {
    const count: ScriptedReply = { text: 'I count.', calls: [{ name: 'count', input: { rows: 3 } }] };
    await withRelay([count, { text: 'Done.' }], async ({ longhand, client, startProcess }) => {
      const { chainId } = await longhand.start('killable', 'Count');
      const reader = (await client()).getHandle(chainId);
      const goOn = () => writeFileSync(toGoFile(join(folder, 'marks')), '');
      const env = { TEMPORAL_ADDRESS: getTemporalAddress(), XDG_DATA_HOME: folder, LONGHAND_TOKENS: 'on' };
      const show = (...args: string[]) => longhandHere(['chain', 'show', chainId, ...args], env);
      const inPipe = startCommand(['chain', 'watch', chainId], env).end;
      const asJson = startCommand(['chain', 'watch', chainId, '--json', '--tokens'], env);
      let json = '';
      asJson.process.stdout.on('data', (data) => (json += data));
      const terminal = hasPseudoTerminal() ? runAtTerminal(['chain', 'watch', chainId], env) : null;
      const shown: Promise<{ readonly stdout: string }>[] = [];
      const isNewest = (text: string) => text.includes('"counted":3');
      // Of the heartbeat, which has it a moment later than the socket.
      const showsNewest = async () => isNewest((await show()).stdout);
      const read = async (role: string) => {
        const values: Json[] = [];
        for await (const event of reader.watch(createViewer(role), { interim: true })) {
          if (event.type !== 'interim-result') continue;
          values.push(event.interim?.value ?? null);
          if (role !== 'auditor' || !isNewest(JSON.stringify(values.at(-1))) || shown.length > 0) continue;
          await vi.waitUntil(showsNewest);
          shown.push(show(), show('--as', 'end_user', '--json'));
          const printed = [terminal?.type(/"counted":3/, ''), vi.waitUntil(() => isNewest(json))];
          await Promise.all([...shown, ...printed]).finally(goOn);
        }
        return values;
      };
      const reading = ['developer', 'end_user', 'auditor'].map(read);
      await startProcess();
      const [developer, endUser, auditor] = await Promise.all(reading);
      // A reader that connects late has the newest alone; the end of the attempt is null.
      const expectRows = (values: readonly Json[] = [], toLast: (row: number) => string) => {
        const rows = values.filter((value) => value !== null);
        expect(rows.length).toBeGreaterThan(0);
        const all = [1, 2, 3].map((counted) => ({ counted, last: toLast(counted) }));
        expect(rows).toEqual(all.slice(-rows.length));
      };
      expectRows(auditor, (row) => `canary-${row}@example.org`);
      expectRows(developer, () => '[redacted:email]');
      expect(endUser).toEqual([]);
      const [tree, users] = await Promise.all(shown);
      expect(tree?.stdout).toContain('⋯ {"counted":3,"last":"[redacted:email]"}');
      expect(JSON.parse(users?.stdout ?? '')).toMatchObject({ interims: [] });
      expect((await show('--as', 'auditor', '--json')).stdout).not.toMatch(/canary|interims/);
      expect((await inPipe).stdout).toMatch(/→ 3 rows/);
      expect((await inPipe).stdout).not.toContain('counted');
      expect((await asJson.end).stdout).toMatch(/"type":"interim-result".*"interim":{"value":{"counted":3,/);
      expect((await terminal?.end)?.text ?? '⋯').toContain('⋯');
      const { events } = await longhand.client.workflow.getHandle(chainId).fetchHistory();
      const texts = JSON.stringify(decryptWithin(events), (_, part) => (isBuffer(part) ? toText(part.data) : part));
      expect(texts).toContain('3 rows');
      expect(texts).not.toMatch(/canary|counted/);
    });
  });
});

describeLong('tokens of a worker in another process', () => {
  it('reach follow and `longhand chain watch --tokens`', async () => {
    // The call runs until the command has printed it: then it follows the worker.
    const call = { name: 'count', input: { rows: 0 } };
    await withRelay([{ text: 'I look.', calls: [call] }, reply], async ({ longhand, client, startProcess }) => {
      const chain = await longhand.start('killable', 'Look');
      const watching = startCommand(['chain', 'watch', chain.chainId, '--tokens'], {
        ...{ TEMPORAL_ADDRESS: getTemporalAddress(), XDG_DATA_HOME: folder, LONGHAND_TOKENS: 'on' },
      });
      let printed = '';
      watching.process.stdout.on('data', (data) => (printed += data));
      const shown = vi.waitUntil(() => printed.includes('[TOOL: count]'));
      void shown.then(() => writeFileSync(toGoFile(join(folder, 'marks')), ''));
      const texts: string[] = [];
      await startProcess();
      for await (const event of (await client()).getHandle(chain.chainId).follow({ tokens: true })) {
        if (event.type === 'token' && event.step === 2) texts.push(event.text);
      }
      expect(texts.join('')).toBe(words.repeat(4));
      const { code, stdout } = await watching.end;
      expect(code).toBe(0);
      expect(stdout).toMatch(/\n {2}The sky is grey over [\s\S]*\nStep 2 [\s\S]*✓ success/);
    });
  });

  it('reach watch through a store in Postgres, where no socket does', async () => {
    const fresh = await freshPostgres();
    closers.push(fresh.remove);
    await withRelay([reply], async ({ longhand, client, startProcess }) => {
      const chain = await longhand.start('killable', 'Look');
      process.env.XDG_DATA_HOME = join(folder, 'other');
      const reading = readTokens((await client({ store: fresh.where })).getHandle(chain.chainId), 'auditor');
      process.env.XDG_DATA_HOME = folder;
      await startProcess(fresh.where);
      expect(joinTexts(await reading)).toBe(words.repeat(4));
    });
  });

  it('stay in the process where `tokens` is false or LONGHAND_TOKENS is off', async () => {
    await withRelay([reply, reply], async ({ longhand, client, startProcess, startWorker, models }) => {
      const first = await longhand.start('killable', 'Look');
      const silent = await startWorker({ tokens: false });
      expect(await readTokens((await client()).getHandle(first.chainId), 'auditor')).toEqual([]);
      await silent.stop();
      process.env.LONGHAND_TOKENS = 'off';
      await startProcess();
      process.env.LONGHAND_TOKENS = 'on';
      const second = await longhand.start('killable', 'Look');
      expect(await readTokens((await client()).getHandle(second.chainId), 'auditor')).toEqual([]);
      expect(models.requests).toHaveLength(2);
      expect(readdirSync(folder)).not.toContain('longhand');
    });
  });
});

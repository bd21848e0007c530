/**
 * How soon a token reaches a follower: from the provider's byte to the event of `watch`, in the worker's process and in
 * another one, through the socket of the worker and through Postgres. Several replies at once, at a model's pace.
 *
 * The model and the followers run in this process, so one clock measures both. The worker of the last two runs in its own.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '../../src/agents/define-agent.js';
import { connect, type Longhand } from '../../src/client/connect.js';
import { createTokenChannel } from '../../src/contract/tokens.js';
import { createViewer } from '../../src/core/view/visibility.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { startPostgres } from '../../test/support/postgres.js';
import type { Case } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { percentile, round } from '../repeat.js';
import { startChild } from '../rig/child.js';
import { withLocalWorker } from '../rig/local-worker.js';
import { speaker } from '../rig/task.js';
import {
  clockMs,
  findTokens,
  type Pace,
  startTokenServer,
  type TokenServer,
  taskOfReply,
} from '../rig/token-server.js';
import type { Places, WorkerAnswer } from '../rig/worker-process.js';

interface TokensSize extends Pace {
  /** Of 100 tokens, 99 have to arrive within this time. */
  readonly maxP99Ms: number;
}

const ways = ['worker-process', 'socket', 'postgres'] as const;
type Way = (typeof ways)[number];

export interface TokensRow {
  readonly way: Way;
  /** At once. */
  readonly replies: number;
  /** Counted tokens that arrived, of all replies. */
  readonly tokens: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export const tokens: Case<TokensRow, TokensSize> = {
  full: { replies: 8, tokens: 400, intervalMs: 20, maxP99Ms: promises.tokenP99Ms },
  // On a busy machine, only a gross delay is certain.
  smoke: { replies: 2, tokens: 40, intervalMs: 20, maxP99Ms: 2_000 },
  measure: async ({ rig, progress }, size) => {
    const rows: TokensRow[] = [];
    for (const way of ways) {
      const row = await measureWay(way, { address: rig.address, size });
      progress(`${way}: p99 ${row.p99Ms} ms`);
      rows.push(row);
    }
    return rows;
  },
  columns: [
    ['way', (row) => row.way],
    ['replies', (row) => String(row.replies)],
    ['tokens', (row) => String(row.tokens)],
    ['p50 ms', (row) => row.p50Ms.toFixed(1)],
    ['p99 ms', (row) => row.p99Ms.toFixed(1)],
  ],
  expected: ({ replies, tokens }) =>
    ways.map((way) => ({
      way,
      replies,
      tokens: replies * tokens,
      p50Ms: between(0.01, 60_000),
      p99Ms: between(0.01, 60_000),
    })),
  contradictions: (rows) =>
    rows.flatMap(({ way, p50Ms, p99Ms }) =>
      p50Ms <= p99Ms ? [] : [`${way}: p50 is ${p50Ms} ms, above p99, ${p99Ms} ms.`],
    ),
  misses: (rows, { maxP99Ms }) =>
    rows.flatMap(({ way, p99Ms }) =>
      p99Ms <= maxP99Ms ? [] : [`${way}: 99 % of the tokens arrive within ${p99Ms} ms; required: ${maxP99Ms} ms.`],
    ),
  findings: (rows, { maxP99Ms }) => {
    const texts = rows.map(({ way, p50Ms, p99Ms }) => `${way} ${p50Ms} ms, p99 ${p99Ms} ms`);
    return texts.length === 0
      ? []
      : [`From the provider's byte to the follower (p99 at most ${maxP99Ms} ms): p50 ${texts.join('; p50 ')}.`];
  },
};

interface Place {
  readonly address: string;
  readonly size: TokensSize;
}

async function measureWay(way: Way, { address, size }: Place): Promise<TokensRow> {
  const server = await startTokenServer(size);
  const taskQueue = `tokens-${way}`;
  try {
    const delays = await withFollower[way]({ address, taskQueue, modelUrl: server.url }, async (longhand) => {
      const replies = Array.from({ length: size.replies }, (_, nth) => `${way}-${nth}`);
      return (await Promise.all(replies.map((reply) => measureReply(longhand, server, reply)))).flat();
    });
    return {
      way,
      replies: size.replies,
      tokens: delays.length,
      p50Ms: round(percentile(delays, 0.5), 2),
      p99Ms: round(percentile(delays, 0.99), 2),
    };
  } finally {
    await server.close();
  }
}

/** Runs `body` with a follower, and with a worker that it reaches in one way alone. */
type WithFollower = <T>(
  places: Pick<Places, 'address' | 'taskQueue' | 'modelUrl'>,
  body: (longhand: Longhand) => Promise<T>,
) => Promise<T>;

const withFollower: { readonly [way in Way]: WithFollower } = {
  'worker-process': ({ address, taskQueue, modelUrl }, body) =>
    withDataFolders(({ other }) =>
      // The socket of this worker is in a folder that its follower does not search.
      inDataFolder(other, () => {
        const provider = anthropicProvider({ baseURL: modelUrl, apiKey: 'none' });
        const agents = [defineAgent(speaker)];
        return withLocalWorker(
          { agents, providers: [provider], address, taskQueue, tokens: createTokenChannel() },
          body,
        );
      }),
    ),
  socket: (places, body) =>
    withDataFolders(({ own }) =>
      inDataFolder(own, () => withOtherProcess({ ...places, folder: own, store: null }, body)),
    ),
  postgres: (places, body) =>
    withDataFolders(async ({ own, other }) => {
      const postgres = await startPostgres();
      try {
        const store = postgres.url;
        return await inDataFolder(own, () => withOtherProcess({ ...places, folder: other, store }, body));
      } finally {
        await postgres.stop();
        await postgres.remove();
      }
    }),
};

async function withDataFolders<T>(
  body: (folders: { readonly own: string; readonly other: string }) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-tokens-'));
  try {
    return await body({ own: join(folder, 'own'), other: join(folder, 'other') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Workers create their sockets in the data folder of their process, and followers search that of theirs. */
async function inDataFolder<T>(folder: string, body: () => Promise<T>): Promise<T> {
  const { XDG_DATA_HOME: before, LONGHAND_TOKENS: switched } = process.env;
  Object.assign(process.env, { XDG_DATA_HOME: folder, LONGHAND_TOKENS: 'on' });
  try {
    return await body();
  } finally {
    restore('XDG_DATA_HOME', before);
    restore('LONGHAND_TOKENS', switched);
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

type OtherProcess = Pick<Places, 'address' | 'taskQueue' | 'modelUrl'> & {
  readonly folder: string;
  readonly store: string | null;
};

async function withOtherProcess<T>(
  { folder, store, ...places }: OtherProcess,
  body: (longhand: Longhand) => Promise<T>,
): Promise<T> {
  const given: Places = { ...places, store, continueAfterEvents: null };
  const env = { XDG_DATA_HOME: folder };
  const worker = startChild<WorkerAnswer>('./longhand-worker.ts', [JSON.stringify(given)], { env });
  try {
    await worker.answer();
    const longhand = await connect({ address: places.address, taskQueue: places.taskQueue, store });
    try {
      return await body(longhand);
    } finally {
      await longhand.close();
    }
  } finally {
    await worker.stop('stop');
  }
}

/** @returns the delay of each counted token that arrived, in milliseconds */
async function measureReply(longhand: Longhand, server: TokenServer, reply: string): Promise<readonly number[]> {
  const chain = await longhand.start(speaker.name, taskOfReply(reply), { chainId: `tokens-${reply}` });
  const arrived = new Map<number, number>();
  let rest = '';
  for await (const event of chain.watch(createViewer('auditor'), { tokens: true })) {
    if (event.type !== 'token') continue;
    const at = clockMs();
    server.begin(reply);
    rest += event.text;
    const found = findTokens(rest);
    for (const { nth } of found) arrived.set(nth, at);
    rest = rest.slice(found.at(-1)?.end ?? 0);
  }
  const { success, reason } = await chain.result();
  if (!success) throw new Error(`The chain of reply ${reply} did not complete: ${reason}`);
  const written = server.getTimes(reply);
  return [...arrived].map(([nth, at]) => at - (written[nth] ?? Number.NaN));
}

/**
 * The prompt cache: how much of the input of whole chains a provider reads from its cache, and what the input costs then.
 *
 * The requests are those that chains send to a server of the Messages API; test/support/prompt-cache.ts counts them as the
 * provider does. Beside it the share with breakpoints at the system prompt and at the end only, and the share of a cache that
 * needs none. The same requests of Chat Completions have only the last.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Longhand } from '../../src/client/connect.js';
import type { JsonObject } from '../../src/core/lib/json.js';
import type { Price } from '../../src/core/model/price.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { openaiProvider } from '../../src/models/openai/provider.js';
import { startChatServer } from '../../test/support/chat-server.js';
import { startMessagesServer } from '../../test/support/messages-server.js';
import {
  type CachedInput,
  createPrefixCounter,
  createPromptCache,
  removeBreakpoints,
} from '../../test/support/prompt-cache.js';
import type { CompleteReply } from '../../test/support/scripted-reply.js';
import type { Case, CaseOptions } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { round } from '../repeat.js';
import { cell } from '../report.js';
import { agents, type CachedChain, cachedChains, prices, replyTo } from '../rig/cached-chains.js';
import { withLocalWorker } from '../rig/local-worker.js';

interface CacheSize {
  /** Of each chain, the answer included. */
  readonly steps: number;
  /** Of the input of each chain over Messages, what has to be read from the cache at least. */
  readonly minReadShare: number;
}

/** Shares are of the input tokens of all requests. */
export interface CacheRow {
  readonly chain: CachedChain;
  readonly wire: 'messages' | 'chat';
  readonly requests: number;
  readonly inputTokens: number;
  /** Null for a wire without breakpoints. */
  readonly readShare: number | null;
  /** The same with breakpoints only at the system prompt and at the end of each request. */
  readonly twoBreakpointsShare: number | null;
  /** What a cache reads that finds every beginning of the request before. */
  readonly prefixShare: number;
  /** Of the input, beside what it costs without a cache. */
  readonly cost: number | null;
}

/** Tokens; the smallest beginning that the models of these chains store. */
const minTokens = 512;

export const cache: Case<CacheRow, CacheSize> = {
  full: { steps: 50, minReadShare: promises.cacheReadShare },
  // Short chains write most of what they read.
  smoke: { steps: 8, minReadShare: 0.3 },
  measure: measureChains,
  columns: [
    ['chain', (row) => row.chain],
    ['wire', (row) => row.wire],
    ['requests', (row) => String(row.requests)],
    ['input tokens', (row) => String(row.inputTokens)],
    ['read from the cache', (row) => toPercent(row.readShare)],
    ['with two breakpoints', (row) => toPercent(row.twoBreakpointsShare)],
    ['same beginning', (row) => toPercent(row.prefixShare)],
    ['cost of input', (row) => (row.cost === null ? '' : `× ${row.cost.toFixed(2)}`)],
  ],
  expected: ({ steps }) => [
    ...cachedChains.map((chain) => ({
      chain,
      wire: 'messages' as const,
      requests: steps,
      inputTokens: between(steps * 100, steps * 200_000),
      readShare: between(0.01, 0.999),
      twoBreakpointsShare: between(0, 0.999),
      prefixShare: between(0.01, 0.999),
      cost: between(0.04, 1.25),
    })),
    {
      chain: 'tools',
      wire: 'chat',
      requests: steps,
      inputTokens: between(steps * 100, steps * 200_000),
      readShare: null,
      twoBreakpointsShare: null,
      prefixShare: between(0.01, 0.999),
      cost: null,
    },
  ],
  contradictions: (rows) =>
    rows.flatMap(({ chain, readShare, twoBreakpointsShare }) =>
      (readShare ?? 0) >= (twoBreakpointsShare ?? 0) ? [] : [`${chain}: more breakpoints read less.`],
    ),
  misses: (rows, { minReadShare }) =>
    rows.flatMap(({ chain, readShare }) =>
      readShare === null || readShare >= minReadShare
        ? []
        : [
            `${chain}: ${toPercent(readShare)} of the input are read from the cache; required: ${toPercent(minReadShare)}.`,
          ],
    ),
  findings: (rows, { minReadShare }) => {
    const counted = rows.filter((row) => row.readShare !== null);
    const least = counted.toSorted((a, b) => (a.readShare ?? 0) - (b.readShare ?? 0))[0];
    const dearest = counted.toSorted((a, b) => (b.cost ?? 0) - (a.cost ?? 0))[0];
    if (!least || !dearest) return [];
    return [
      `At least ${toPercent(least.readShare)} of the input of a chain of ${least.requests} steps are read from the cache (${least.chain}; required: ${toPercent(minReadShare)}); ` +
        `the input costs at most ${cell(dearest.cost, 2)} of what it costs without one (${dearest.chain}).`,
    ];
  },
};

function toPercent(share: number | null): string {
  return share === null ? '' : `${(share * 100).toFixed(1)} %`;
}

/** What is counted while a chain runs. */
interface Counter {
  readonly reply: (request: { readonly body: object }) => CompleteReply;
  readonly toRow: () => CacheRow;
}

async function measureChains({ rig, progress }: CaseOptions, { steps }: CacheSize): Promise<readonly CacheRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-cache-'));
  const priceMap = join(folder, 'prices.json');
  await writeFile(priceMap, JSON.stringify(prices));
  let counter = createCounter('tools', 'messages', steps);
  const reply: Counter['reply'] = (request) => counter.reply(request);
  const [messages, chat] = [await startMessagesServer(reply), await startChatServer(reply)];
  const measure = async (longhand: Longhand, chain: CachedChain, wire: CacheRow['wire']) => {
    counter = createCounter(chain, wire, steps);
    await runChain(longhand, chain, `${wire}-${chain}`);
    const row = counter.toRow();
    progress(`${chain} over ${wire}: ${toPercent(row.readShare ?? row.prefixShare)}`);
    return row;
  };
  const worker = { agents, prices: priceMap, tokens: false, address: rig.address } as const;
  try {
    const overMessages = {
      providers: [anthropicProvider({ baseURL: messages.url, apiKey: 'none' })],
      taskQueue: 'cache',
    };
    const rows = await withLocalWorker({ ...worker, ...overMessages }, async (longhand) => {
      const measured: CacheRow[] = [];
      for (const chain of cachedChains) measured.push(await measure(longhand, chain, 'messages'));
      return measured;
    });
    const overChat = { providers: [openaiProvider({ baseURL: chat.url, apiKey: 'none' })], taskQueue: 'cache-chat' };
    return [...rows, await withLocalWorker({ ...worker, ...overChat }, (client) => measure(client, 'tools', 'chat'))];
  } finally {
    await Promise.all([messages.close(), chat.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function runChain(longhand: Longhand, chain: CachedChain, chainId: string): Promise<void> {
  const handle = await longhand.start(chain, 'Take stock of all parts of the hall.', { chainId });
  const steering = chain === 'steered' ? steerAlways(longhand, chainId) : Promise.resolve();
  const { success, reason } = await handle.result();
  await steering;
  if (!success) throw new Error(`The chain ${chainId} did not complete: ${reason}`);
}

const stepsBetweenMessages = 3;

/** Sends a message after every few steps, while the next one is already under way. */
async function steerAlways(longhand: Longhand, chainId: string): Promise<void> {
  const handle = longhand.getHandle(chainId);
  let steps = 0;
  for await (const { type } of handle.follow()) {
    if (type !== 'step-added') continue;
    steps += 1;
    // The chain may have ended meanwhile.
    if (steps % stepsBetweenMessages === 0)
      await handle.steer(`Count shelf ${steps} twice.`, { by: 'ana' }).catch(() => {});
  }
}

function createCounter(chain: CachedChain, wire: CacheRow['wire'], steps: number): Counter {
  const [all, two] = [createPromptCache({ minTokens }), createPromptCache({ minTokens })];
  const countPrefix = createPrefixCounter();
  const sums = { requests: 0, inputTokens: 0, prefix: 0, read: 0, readByTwo: 0, usd: 0, usdWithout: 0 };
  return {
    reply: ({ body }) => {
      const request = body as JsonObject;
      const input: CachedInput =
        wire === 'messages' ? all.count(request) : { input: countTokens(request), cacheRead: 0, cacheWrite: 0 };
      sums.requests += 1;
      sums.inputTokens += countInput(input);
      sums.read += input.cacheRead;
      sums.prefix += Math.min(countInput(input), countPrefix(listParts(request)));
      if (wire === 'messages') {
        sums.readByTwo += two.count(keepTwoBreakpoints(request)).cacheRead;
        const price = priceOf(String(request.model));
        sums.usd += input.input * price.input + input.cacheRead * price.cacheRead + input.cacheWrite * price.cacheWrite;
        sums.usdWithout += countInput(input) * price.input;
      }
      return { ...replyTo(chain, sums.requests, steps), usage: input };
    },
    toRow: () => {
      const share = (tokens: number) => round(tokens / sums.inputTokens, 4);
      const { requests, inputTokens } = sums;
      const counted =
        wire === 'messages'
          ? { readShare: share(sums.read), twoBreakpointsShare: share(sums.readByTwo) }
          : { readShare: null, twoBreakpointsShare: null };
      const cost = wire === 'messages' ? round(sums.usd / sums.usdWithout, 4) : null;
      return { chain, wire, requests, inputTokens, ...counted, prefixShare: share(sums.prefix), cost };
    },
  };
}

function countInput({ input, cacheRead, cacheWrite }: CachedInput): number {
  return input + cacheRead + cacheWrite;
}

function keepTwoBreakpoints(request: JsonObject): JsonObject {
  return {
    ...request,
    tools: removeBreakpoints(request.tools ?? []),
    messages: removeBreakpoints(request.messages ?? []),
  };
}

/** The members of a request that a provider renders, in its order. */
function listParts({ tools = [], system = [], messages = [] }: JsonObject): readonly string[] {
  const parts = [tools, Array.isArray(system) ? system : [system], messages].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return parts.map((part) => JSON.stringify(removeBreakpoints(part)));
}

function countTokens(request: JsonObject): number {
  return Math.ceil(listParts(request).reduce((bytes, part) => bytes + Buffer.byteLength(part), 0) / 4);
}

const catalogue = loadCatalogue();

function priceOf(model: string): Price {
  const price = catalogue.find(model)?.price;
  if (!price) throw new Error(`The price map has no price of ${model}.`);
  return price;
}

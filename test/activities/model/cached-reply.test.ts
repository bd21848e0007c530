/** The cache of replies: which requests are equal, which replies serve again, and a store that fails. */

import { expect, it } from 'vitest';
import { type CacheContext, createStoreGuard } from '../../../src/activities/context/store-guard.js';
import { findCachedReply } from '../../../src/activities/model/cached-reply.js';
import { hashRequest } from '../../../src/activities/model/request-digest.js';
import { noUsage } from '../../../src/core/model/usage.js';
import type { Reply } from '../../../src/entries/models.js';
import { defineAgent, type Json } from '../../../src/index.js';
import type { CacheKey, ToolCache } from '../../../src/store/cache/tool-cache.js';
import { request, snapshot } from '../../models/call.js';
import { usage } from '../../support/core-builders.js';

const agent = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', cacheReplies: '1h' });
const reading = { reading: { problem: null } } as never;

const reply: Reply = {
  ...{ model: 'claude-sonnet-5-5-20260101', endpoint: 'east', stopReason: 'end_turn' },
  ...{ content: [{ type: 'text', text: 'The rent of Ada is due.' }], usage: usage(500, 20) },
};

/** A cache in memory. */
function createCache() {
  const values = new Map<string, Json>();
  const toKey = (key: CacheKey) => JSON.stringify(key);
  const cache: ToolCache = {
    get: async (key) => {
      const value = values.get(toKey(key));
      return { found: value === undefined ? null : { value, ageMs: 60_000.4 }, at: 1 };
    },
    put: async (key, value) => void values.set(toKey(key), value),
    erase: async () => values.clear(),
  };
  return { cache, values };
}

function scene(toolCache: ToolCache | null = createCache().cache) {
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) } as unknown as CacheContext['log'];
  const cache: CacheContext = { toolCache, guard: createStoreGuard(), log, namespace: 'default', tenant: 'acme' };
  const call = { request, model: snapshot, maxTokens: 900 };
  const find = (more: { readonly call?: object; readonly cache?: object; readonly agent?: typeof agent } = {}) =>
    findCachedReply({ ...cache, ...more.cache }, more.agent ?? agent, { ...call, ...more.call }, hashRequest);
  return { find, warnings };
}

it('an equal request of the tenant gets the reply of a model again, with no usage, and its age', async () => {
  const { find } = scene();
  const first = await find();
  expect(first.found).toBeNull();
  await first.put(reply, reading);
  const { endpoint: _, ...stored } = reply;
  expect((await find()).found).toEqual({
    reply: { ...stored, usage: noUsage },
    cached: { ageMs: 60_000, usage: reply.usage },
  });
  // The reservation lowers it.
  expect((await find({ call: { maxTokens: 20 } })).found).not.toBeNull();
});

it.each([
  ['another text', { call: { request: { ...request, system: 'You compare rents.' } } }],
  ['another model', { call: { model: { ...snapshot, id: 'claude-opus-5-5' } } }],
  ['another provider', { call: { model: { ...snapshot, provider: 'other' } } }],
  ['another temperature', { call: { model: { ...snapshot, temperature: 1 } } }],
  ['another effort', { call: { model: { ...snapshot, effort: 'low' } } }],
  ['thinking', { call: { model: { ...snapshot, thinking: { type: 'adaptive' } } } }],
  ['another tenant', { cache: { tenant: 'globex' } }],
  ['another namespace', { cache: { namespace: 'other' } }],
  ['files', { call: { files: new Map() } }],
  ['fewer output tokens than the reply has', { call: { maxTokens: 19 } }],
  ['an agent that does not cache replies', { agent: defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5' }) }],
] as const)('a request with %s does not get the reply', async (_, more) => {
  const { find } = scene();
  await (await find()).put(reply, reading);
  expect((await find(more as Parameters<typeof find>[0])).found).toBeNull();
});

it.each([
  ['was cut', { stopReason: 'max_tokens' }, null],
  ['was refused', { stopReason: 'refusal' }, null],
  ['was paused', { stopReason: 'pause_turn' }, null],
  ['has no plausible usage', { usage: null }, null],
  ['could not be read', {}, 'Invalid Action Input.'],
] as const)('a reply that %s is not stored', async (_, more, problem) => {
  const { find } = scene();
  await (await find()).put({ ...reply, ...more }, { reading: { problem } } as never);
  expect((await find()).found).toBeNull();
});

it('a store that fails is a miss with a warning, and is left alone for a while', async () => {
  let asked = 0;
  const down: ToolCache = {
    get: async () => {
      asked += 1;
      throw new Error('The store is down.');
    },
    put: () => expect.unreachable(),
    erase: async () => {},
  };
  const { find, warnings } = scene(down);
  await (await find()).put(reply, reading);
  expect((await find()).found).toBeNull();
  expect([asked, warnings.length]).toEqual([1, 1]);
  expect((await scene(null).find()).found).toBeNull();
});

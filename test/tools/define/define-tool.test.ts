/** `defineTool` rejects invalid definitions with the fix, before they reach a worker. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Duration, defineTool, isLonghandError, type ToolDefinition } from '../../../src/index.js';
import { contextOf } from '../../support/call-tool.js';
import { matchError } from '../../support/match-error.js';

const least = {
  name: 'door',
  description: 'Opens a door',
  inputSchema: z.object({ number: z.int() }),
  effects: 'read' as const,
  execute: () => null,
};

/** The rejection of a definition, untyped as in plain JavaScript. */
function rejection(definition: unknown): string {
  try {
    defineTool(definition as ToolDefinition<z.ZodType>);
  } catch (error) {
    if (isLonghandError(error) && error.code === 'invalid_tool') return error.message;
    throw error;
  }
  throw new Error('The definition was accepted.');
}

it('accepts every option, and applies the defaults of missing ones', () => {
  const { snapshot } = defineTool({
    ...least,
    returns: 'whether it is open',
    effects: 'idempotent',
    timeout: '90s',
    heartbeatTimeout: 500,
    retry: { attempts: 5, backoff: '2s' },
    kind: 'ledger',
  });
  expect(snapshot).toMatchObject({ timeoutMs: 90_000, heartbeatMs: 500, attempts: 5, backoffMs: 2_000 });
  expect(defineTool({ ...least, retry: {} }).snapshot).toMatchObject({ attempts: 3, backoffMs: 1_000 });
});

it('has the defaults of its kind, unless it states others', () => {
  expect(defineTool(least).snapshot).toMatchObject({ kind: 'external', timeoutMs: 60_000 });
  expect(defineTool({ ...least, kind: 'shell' }).snapshot).toMatchObject({ kind: 'shell', timeoutMs: 600_000 });
  expect(defineTool({ ...least, kind: 'shell', timeout: '5s' }).snapshot.timeoutMs).toBe(5_000);
  expect(defineTool({ ...least, kind: 'constructor' }).snapshot.timeoutMs).toBe(60_000);
});

it('takes a limit of calls at once, and a price', () => {
  expect(defineTool({ ...least, concurrency: 4 }).snapshot.concurrency).toEqual({
    ...{ group: least.name, perWorker: 4, slotTimeoutMs: 300_000 },
  });
  expect(
    defineTool({ ...least, concurrency: { perWorker: 9, group: 'web', wait: '2m' } }).snapshot.concurrency,
  ).toEqual({
    ...{ group: 'web', perWorker: 9, slotTimeoutMs: 120_000 },
  });
  expect(defineTool({ ...least, cost: 0.02 }).snapshot.cost).toEqual({ kind: 'fee', usd: 0.02 });
  const priced = defineTool({ ...least, cost: { most: 1, compute: ({ number }) => number / 10 } });
  expect(priced.snapshot.cost).toEqual({ kind: 'fee', usd: 1 });
  expect(priced.computeFee?.({ number: 5 }, null)).toBe(0.5);
});

it.each<[object, string]>([
  [{ kind: ' ' }, 'kind must be a word'],
  [{ concurrency: 0 }, 'concurrency must be'],
  [{ concurrency: {} }, 'concurrency must have perWorker, such as'],
  [
    { concurrency: { perWorker: 4, fleet: 9 } as never },
    'concurrency.fleet is not an option: give the tool a task queue',
  ],
  [{ concurrency: { perWorker: 1.5 } }, 'concurrency.perWorker must be'],
  [{ concurrency: { perWorker: 2, each: 1 } }, 'each'],
  [{ cost: -1 }, 'cost must be US dollars above 0'],
  [{ cost: Number.NaN }, 'cost must be US dollars above 0'],
  [{ cost: { most: 1 } }, 'cost must be US dollars, or { most, compute }'],
  [{ cost: { most: 1, compute: 2 } }, 'cost.compute must be a function'],
])('rejects %j', (more, message) => {
  expect(() => defineTool({ ...least, ...more } as never)).toThrow(matchError('invalid_tool', message));
});

it('declares secrets, and types allow only declared ones', () => {
  const { secrets, snapshot, parse } = defineTool({
    ...least,
    secrets: ['DOOR_KEY', 'DOOR_CODE', 'DOOR_KEY'],
    // @ts-expect-error: the tool does not declare this secret
    execute: (_, { secret }) => [secret('DOOR_KEY'), secret('DOOR_CODE'), secret('OTHER')],
  });
  expect(secrets).toEqual(['DOOR_KEY', 'DOOR_CODE']);
  expect(parse({ number: 1 })(contextOf({ secret: (name) => name }))).toEqual(['DOOR_KEY', 'DOOR_CODE', 'OTHER']);
  // Secrets do not change the snapshot.
  expect(snapshot).toEqual(defineTool(least).snapshot);
  // @ts-expect-error: the tool declares no secrets
  defineTool({ ...least, execute: (_, { secret }) => secret('DOOR_KEY') });
});

it.each<Duration>(['1h', 3_600_000])('reuses results for %j', (cacheTtl) => {
  expect(defineTool({ ...least, cacheTtl }).cache?.ttlMs).toBe(3_600_000);
});

it('derives the version from the definition, unless one is set', () => {
  const versionOf = (more: object) => defineTool({ ...least, cacheTtl: '1m', ...more }).cache?.version;
  expect(versionOf({ execute: () => 1, timeout: 5 })).toBe(versionOf({}));
  const others = [{ description: 'Shuts a door' }, { returns: 'yes' }, { inputSchema: z.object({ id: z.int() }) }];
  for (const more of others) expect(versionOf(more)).not.toBe(versionOf({}));
  expect(versionOf({ version: '2' })).toBe('2');
  expect(defineTool(least)).not.toHaveProperty('cache');
});

describe('an invalid definition is rejected, with the name of the tool', () => {
  it.each<[object, string]>([
    [{ description: ' ' }, 'description must be a text: the model chooses tools by it.'],
    [{ description: undefined }, 'description must be a text'],
    [
      { effects: undefined },
      "effects must be 'pure', 'read', 'idempotent' or 'unsafe', by what a second call would do.",
    ],
    [{ effects: 'write' }, "effects must be 'pure', 'read'"],
    [{ execute: 'door' }, 'execute must be a function.'],
    [{ returns: 1 }, 'returns must be a text.'],
    [{ volatile: true }, 'volatile is unknown'],
    [{ timeout: 'soon' }, "timeout must be milliseconds (at least 1) or a text such as '90s'."],
    [{ timeout: 0 }, 'timeout must be milliseconds'],
    [{ heartbeatTimeout: {} }, 'heartbeatTimeout must be milliseconds'],
    [{ secrets: 'KEY' }, 'secrets must be a list.'],
    [{ secrets: ['../KEY'] }, "secrets.0 must be a name of letters, digits, _, - and dots, such as 'STRIPE_KEY'."],
    [{ retry: 3 }, 'retry must be an object.'],
    [{ retry: { attempts: '3s' } }, 'retry.attempts must be a whole number from 1.'],
    [{ retry: { backoff: Number.NaN } }, 'retry.backoff must be milliseconds'],
    [{ effects: 'unsafe', retry: { attempts: 2 } }, 'an unsafe call is never retried'],
    [{ cacheTtl: 0 }, "cacheTtl must be milliseconds (at least 1) or a text such as '90s'."],
    [{ cacheTtl: 'soon' }, 'cacheTtl must be milliseconds'],
    [{ cacheTtl: Number.POSITIVE_INFINITY }, 'cacheTtl must be milliseconds'],
    [
      { cacheTtl: 60_000, effects: 'idempotent' },
      'each call of an idempotent tool must be executed. Remove `cacheTtl`',
    ],
    [{ cacheTtl: 60_000, effects: 'unsafe' }, 'each call of an unsafe tool must be executed. Remove `cacheTtl`'],
    [{ reuse: 'soon' }, "reuse must be a duration such as '5m', or 'until-effect'."],
    [{ reuse: '5m', effects: 'pure' }, 'results of a pure tool are always reused in a chain. Remove `reuse`'],
    [{ reuse: '5m', effects: 'unsafe' }, 'each call of an unsafe tool must be executed. Remove `reuse`'],
    [{ version: 2 }, 'version must be a text.'],
    [{ timeoutMs: 5 }, 'timeoutMs is unknown; you may mean timeout.'],
    [{ attempts: 5 }, 'attempts is unknown; you may mean retry.attempts.'],
    [{ retry: { retries: 2 } }, 'retry.retries is unknown; expected attempts, backoff.'],
    [
      { local: true, effects: 'idempotent' },
      'a lost local call runs again, and idempotent calls must not. Remove `local`',
    ],
    [{ local: true, approval: true }, 'a call that may need approval is not local'],
    [{ local: true, taskQueue: 'near-data' }, '`taskQueue` needs an activity for each call. Remove it, or `local`'],
  ])('%j', (more, message) => {
    expect(rejection({ ...least, ...more })).toContain(`defineTool: door: ${message}`);
  });

  it.each([undefined, null, 5, 'a b'])('without a name: %j', (name) => {
    expect(rejection({ ...least, name })).toContain('defineTool: the name ');
    expect(rejection(name)).toBe("defineTool: the definition must be an object: defineTool({ name: 'some_name', … }).");
  });
});

describe('a schema that JSON Schema cannot express is rejected, with the fix', () => {
  it.each<[unknown, string]>([
    [undefined, 'inputSchema must be a schema of zod 4, such as z.object({ city: z.string() }), or fromJsonSchema('],
    [{ type: 'object' }, 'inputSchema must be a schema of zod 4'],
    [z.string(), 'inputSchema must be an object with named members: write z.object({ … }).'],
    [
      z.date(),
      'inputSchema is a date, which JSON does not have. Write z.iso.datetime(), and create the Date in `execute`.',
    ],
    [
      z.object({ at: z.date().optional() }),
      'inputSchema.at is a date, which JSON does not have. Write z.iso.datetime()',
    ],
    [z.object({ of: z.array(z.object({ no: z.bigint() })) }), 'inputSchema.of.items.no is a bigint'],
    [z.object({ tags: z.set(z.string()) }), 'inputSchema.tags is a set, which JSON does not have. Write z.array(…).'],
    [z.object({ properties: z.map(z.string(), z.int()) }), 'inputSchema.properties is a map'],
    [z.object({ own: z.custom<string>(() => true) }), 'inputSchema.own is a custom'],
  ])('%#', (inputSchema, message) => {
    expect(rejection({ ...least, inputSchema })).toContain(`defineTool: door: ${message}`);
  });
});

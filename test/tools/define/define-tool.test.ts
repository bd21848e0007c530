/** A bad definition of a tool never reaches a worker: it is refused where it is written, saying what to write. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../../src/tools/define/define-tool.js';
import { contextOf } from '../../support/call-tool.js';

const least = {
  name: 'door',
  description: 'Opens a door',
  inputSchema: z.object({ number: z.int() }),
  effects: 'read' as const,
  execute: () => null,
};

/** As plain JavaScript calls it. */
function refusal(definition: unknown): string {
  try {
    defineTool(definition as ToolDefinition<z.ZodType>);
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
  throw new Error('It was taken.');
}

it('takes all that there is to say, and what is left out as undefined', () => {
  const { snapshot } = defineTool({
    ...least,
    returns: 'whether it is open',
    effects: 'idempotent',
    volatile: true,
    timeout: '90s',
    heartbeat: 500,
    retry: { attempts: 5, backoff: '2s' },
    view: { kind: 'external' },
  });
  expect(snapshot).toMatchObject({ timeoutMs: 90_000, heartbeatMs: 500, attempts: 5, backoffMs: 2_000 });
  expect(defineTool({ ...least, retry: {} }).snapshot).toMatchObject({ attempts: 3, backoffMs: 1_000 });
});

it('declares secrets, and asks for these alone', () => {
  const { secrets, snapshot, parse } = defineTool({
    ...least,
    secrets: ['DOOR_KEY', 'DOOR_CODE', 'DOOR_KEY'],
    // @ts-expect-error: not one that it declares
    execute: (_, { secret }) => [secret('DOOR_KEY'), secret('DOOR_CODE'), secret('OTHER')],
  });
  expect(secrets).toEqual(['DOOR_KEY', 'DOOR_CODE']);
  expect(parse({ number: 1 })(contextOf({ secret: (name) => name }))).toEqual(['DOOR_KEY', 'DOOR_CODE', 'OTHER']);
  // What a model is shown, and a history keeps, is the same as without.
  expect(snapshot).toEqual(defineTool(least).snapshot);
  // @ts-expect-error: it declares none
  defineTool({ ...least, execute: (_, { secret }) => secret('DOOR_KEY') });
});

it('has another version with another definition, or by its word', () => {
  const versionOf = (more: object) => defineTool({ ...least, cacheTtlSeconds: 60, ...more }).cache?.version;
  expect(versionOf({ execute: () => 1, timeout: 5 })).toBe(versionOf({}));
  const others = [{ description: 'Shuts a door' }, { returns: 'yes' }, { inputSchema: z.object({ id: z.int() }) }];
  for (const more of others) expect(versionOf(more)).not.toBe(versionOf({}));
  expect(versionOf({ version: '2' })).toBe('2');
  expect(defineTool(least)).not.toHaveProperty('cache');
});

describe('what cannot work is refused, in the name of the tool', () => {
  it.each<[object, string]>([
    [{ description: ' ' }, 'write a description: it is all that tells the model when to use the tool.'],
    [{ description: undefined }, 'write a description'],
    [{ effects: undefined }, "say with `effects` what a second call would do: 'read', 'idempotent' or 'unsafe'."],
    [{ effects: 'write' }, 'say with `effects`'],
    [{ execute: 'door' }, 'write `execute`, the function that does it.'],
    [{ returns: 1 }, 'returns must be a text.'],
    [{ volatile: 'no' }, 'volatile must be true or false.'],
    [{ timeout: 'soon' }, "timeout must be milliseconds, 1 at least, or a text such as '90s'."],
    [{ timeout: 0 }, 'timeout must be milliseconds'],
    [{ heartbeat: {} }, 'heartbeat must be milliseconds'],
    [{ secrets: 'KEY' }, 'secrets must be a list.'],
    [{ secrets: ['../KEY'] }, "secrets.0 must be a name of letters, digits, _, - and dots, such as 'STRIPE_KEY'."],
    [{ retry: 3 }, 'retry must be an object.'],
    [{ retry: { attempts: '3s' } }, 'retry.attempts must be a whole number from 1.'],
    [{ retry: { backoff: Number.NaN } }, 'retry.backoff must be milliseconds'],
    [{ effects: 'unsafe', retry: { attempts: 2 } }, 'an unsafe call is never tried again'],
    [{ cacheTtlSeconds: 0 }, 'cacheTtlSeconds must be a whole number from 1.'],
    [
      { cacheTtlSeconds: 60, effects: 'idempotent' },
      'the tool has effects, which must happen. Leave `cacheTtlSeconds`',
    ],
    [{ cacheTtlSeconds: 60, volatile: true }, 'the tool is `volatile`: its answers do not stand.'],
    [{ version: 2 }, 'version must be a text.'],
    [{ timeoutMs: 5 }, 'timeoutMs is unknown; you may mean timeout.'],
    [{ attempts: 5 }, 'attempts is unknown; you may mean retry.attempts.'],
    [{ retry: { retries: 2 } }, 'retry.retries is unknown; expected attempts, backoff.'],
  ])('%j', (more, says) => {
    expect(refusal({ ...least, ...more })).toContain(`defineTool: door: ${says}`);
  });

  it.each([undefined, null, 5, 'a b'])('without a name: %j', (name) => {
    expect(refusal({ ...least, name })).toContain('defineTool: the name ');
    expect(refusal(name)).toBe("defineTool: write a definition: defineTool({ name: 'some_name', … }).");
  });
});

describe('a schema that a model cannot be shown is refused, saying what to write', () => {
  it.each<[unknown, string]>([
    [undefined, 'inputSchema must be a schema of zod 4, as z.object({ city: z.string() }).'],
    [{ type: 'object' }, 'inputSchema must be a schema of zod 4'],
    [z.string(), 'inputSchema must be an object with named members: write z.object({ … }).'],
    [
      z.date(),
      'inputSchema is a date, which JSON does not have: write z.iso.datetime(), and make a Date of it in `execute`.',
    ],
    [
      z.object({ at: z.date().optional() }),
      'inputSchema.at is a date, which JSON does not have: write z.iso.datetime()',
    ],
    [z.object({ of: z.array(z.object({ no: z.bigint() })) }), 'inputSchema.of.items.no is a bigint'],
    [z.object({ tags: z.set(z.string()) }), 'inputSchema.tags is a set, which JSON does not have: write z.array(…).'],
    [z.object({ properties: z.map(z.string(), z.int()) }), 'inputSchema.properties is a map'],
    [z.object({ own: z.custom<string>(() => true) }), 'inputSchema.own is a custom'],
  ])('%#', (inputSchema, says) => {
    expect(refusal({ ...least, inputSchema })).toContain(`defineTool: door: ${says}`);
  });
});

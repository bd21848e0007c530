/** A tool's view is validated when the tool is defined, and the model does not see it. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toPathParts } from '../../../src/core/redact/policy.js';
import { defineTool, type ToolView } from '../../../src/index.js';
import { matchError } from '../../support/match-error.js';

function toolOf(input: z.ZodType, view?: ToolView) {
  const run = () => null;
  return defineTool({
    name: 'door',
    description: 'Opens a door',
    inputSchema: input,
    effects: 'read',
    execute: run,
    ...(view && { view }),
  });
}

const secret = z.string().meta({ sensitive: true });
const plain = z.object({ city: z.string() });

describe('the sensitive mark of a schema', () => {
  it.each<[string, z.ZodType, readonly string[]]>([
    ['a member', z.object({ pin: secret, city: z.string() }), ['pin']],
    ['a nested member', z.object({ user: z.object({ ssn: secret }) }), ['user.ssn']],
    ['an optional or nullable member', z.object({ pin: secret.optional(), code: secret.nullable() }), ['pin', 'code']],
    ['items', z.object({ pins: z.array(secret), of: z.array(z.object({ pin: secret })) }), ['pins.*', 'of.*.pin']],
    ['an object', z.object({ card: z.object({ no: z.string() }).meta({ sensitive: true }) }), ['card']],
    [
      'a member of a union',
      z.object({ by: z.union([z.object({ pin: secret }), z.object({ name: z.string() })]) }),
      ['by.pin'],
    ],
    ['values of a record', z.object({ env: z.record(z.string(), secret) }), ['env.*']],
    ['an item of a tuple', z.object({ pair: z.tuple([z.string(), secret]) }), ['pair.1']],
    ['all arguments', z.object({ pin: z.string() }).meta({ sensitive: true }), ['*']],
  ])('covers %s', (_, input, paths) => {
    expect(toolOf(input).snapshot.view).toEqual({ sensitive: paths });
  });

  it('covers the recursive member of a recursive schema', () => {
    const node: z.ZodType = z.object({
      pin: secret,
      get next() {
        return node.optional();
      },
    });
    const { view } = toolOf(z.object({ list: node })).snapshot;
    expect(view?.sensitive).toEqual(expect.arrayContaining(['list.pin', 'list.next']));
  });

  it.each(['Card/Owner', 'a~1b', 'a%20b', '50%'])('is found in the shared schema %s', (id) => {
    const card = z.object({ pin: secret }).meta({ id });
    const { view } = toolOf(z.object({ from: card, to: card })).snapshot;
    expect(view).toEqual({ sensitive: ['from.pin', 'to.pin'] });
  });

  it('is added to the paths of the author', () => {
    expect(toolOf(z.object({ pin: secret }), { sensitive: ['owner', 'pin'] }).snapshot.view).toEqual({
      sensitive: ['owner', 'pin'],
    });
  });

  it('is not in the schema that the model sees', () => {
    expect(JSON.stringify(toolOf(z.object({ pin: secret })).snapshot.inputSchema)).not.toContain('sensitive');
    expect(toolOf(z.object({ pin: secret })).snapshot.inputSchema).toEqual(
      toolOf(z.object({ pin: z.string() })).snapshot.inputSchema,
    );
  });

  it('has a path that starts at the root where the first member is named $', () => {
    const { view } = toolOf(z.object({ $: z.object({ pin: secret }) })).snapshot;
    expect(view?.sensitive).toEqual(['$.$.pin']);
    expect(toPathParts('$.$.pin')).toEqual(['$', 'pin']);
  });

  it.each(['a.b', 'tags[]', 'items[0]', 'a]'])('is rejected on the name %s, which no path can contain', (name) => {
    expect(() => toolOf(z.object({ [name]: secret }))).toThrow(matchError('invalid_tool', `"${name}"`));
  });
});

describe('the view of an author', () => {
  it('is in the snapshot, which has an empty view without one', () => {
    const view: ToolView = { level: 'summary', summary: 'Queried {table}', childChain: 'hidden' };
    expect(toolOf(plain, view).snapshot.view).toEqual(view);
    expect(toolOf(plain).snapshot.view).toEqual({});
    expect(toolOf(plain, {}).snapshot.view).toEqual({});
  });

  it.each<[unknown, string]>([
    ['summary', "must be an object, such as { level: 'summary' }"],
    [{ level: 'some' }, "`view.level` must be 'full', 'summary' or 'hidden'"],
    [{ childChain: 1 }, "`view.childChain` must be 'full', 'summary' or 'hidden'"],
    [{ kind: 'database' }, '`view` has no member `kind`'],
    [{ summary: 'Queried {table' }, 'has an unmatched brace: write members as {table}'],
    [{ why: 'To read {table' }, '`view.why` has an unmatched brace: write members as {table}'],
    [{ summary: '{}' }, 'has empty braces; expected a member name'],
    [{ block: 'table' }, "`view.block` must be { as: 'table' }, { as: 'diff' } or { as: 'edit' }"],
    [{ block: { as: 'table', text: 'x' } }, "`view.block` has no member `text` as 'table'; it has rows, columns"],
    [{ block: { as: 'diff', text: '' } }, '`view.block` has `text`, which must be the name of a member'],
    [{ block: { as: 'edit', place: 'path' } }, '`view.block` needs `after`: the name of a member of the arguments'],
    [{ sensitive: 'pin' }, '`view.sensitive` must be paths'],
    [{ sensitive: ['a..b'] }, '`view.sensitive` must be paths'],
    [{ sensitive: ['user[ssn]'] }, '`view.sensitive` must be paths'],
    [
      { visibility: 'full' },
      '`view` has no member `visibility`; it has level, childChain, summary, request, response, block, why, sensitive',
    ],
    [{ constructor: 'full' }, '`view` has no member `constructor`'],
  ])('is rejected with the fix: %j', (view, message) => {
    expect(() => toolOf(plain, view as ToolView)).toThrow(matchError('invalid_tool', message));
  });
});

/** The output schema of a tool: its result is checked, and the model sees the schema. */

import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { tools } from '../../../src/core/strategies/tools.js';
import { defineTool } from '../../../src/index.js';
import { contextOf } from '../../support/call-tool.js';
import { agentOf } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

const count = (effects: 'read' | 'unsafe', result: unknown) =>
  defineTool({
    name: 'count_rows',
    description: 'Counts rows',
    inputSchema: z.object({}),
    outputSchema: z.object({ rows: z.int() }),
    effects,
    execute: () => result,
  });

it('a result that matches the output schema of its tool is returned unchanged', async () => {
  const result = { rows: 3, note: 'kept' };
  expect(await count('read', result).parse({})(contextOf())).toBe(result);
});

it('a result that does not match the output schema fails the call, unless its effect has happened', async () => {
  await expect(count('read', { rows: 'three' }).parse({})(contextOf())).rejects.toThrow(
    matchError('tool_failed', 'count_rows returned an invalid result.\nrows: Invalid input: expected number'),
  );
  const warn = vi.fn();
  const log = { ...contextOf().log, warn };
  expect(await count('unsafe', { rows: 'three' }).parse({})(contextOf({ log }))).toEqual({ rows: 'three' });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('rows: Invalid input'));
});

it('the model sees the output schema, or the description of the result in its place', () => {
  const agent = agentOf({ tools: [count('read', null).snapshot] });
  const [spec] = tools.render(prepared(agent).chain, agent).tools;
  expect(spec?.description).toContain('Counts rows\nReturns: JSON of this schema: {');
  expect(spec?.description).toContain('"rows":{');
  const described = { ...count('read', null).snapshot, returns: 'the number of rows' };
  const other = agentOf({ tools: [described] });
  expect(tools.render(prepared(other).chain, other).tools[0]?.description).toBe(
    'Counts rows\nReturns: the number of rows',
  );
});

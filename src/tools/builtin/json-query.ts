/** A tool that queries JSON by JMESPath (https://jmespath.org): the model sees the result, not the file. */

import { z } from 'zod';
import { check, omitUndefined } from '../../core/lib/index.js';
import { defineTool, type Tool } from '../define/index.js';
import { type DataQueryOptions, dataQueryChecks, readPieces } from './files/data-source.js';
import { pathSchema } from './files/root.js';
import { toRoot } from './files.js';
import { evaluateExpression } from './json/evaluate.js';

export interface JsonQueryOptions extends DataQueryOptions {
  /** Default `json_query`. */
  readonly name?: string | undefined;
}

const checkOptions = check.members<JsonQueryOptions>(dataQueryChecks);

const maxFileBytes = 20_000_000;

const expression = z
  .string()
  .min(1)
  .max(2_000)
  .describe('JMESPath, such as orders[?total > `100`].{id: id, total: total} or sum(orders[].total)');

const fromValue = z.object({
  data: z.unknown().describe('The JSON to query: a value, or its text'),
  expression,
});

const fromFile = z.object({
  path: pathSchema.describe('The file, from the top of the folder: "data/orders.json"'),
  expression,
});

/**
 * Creates a tool that queries JSON by a JMESPath expression: of a file below `root`, or without `root` of a value in the call.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool` for an invalid name, roles or view
 * @example
 * defineAgent({ name: 'analyst', tools: [jsonQuery({ root: './data' })], … })
 */
export function jsonQuery(options: JsonQueryOptions = {}): Tool {
  check.assertNoProblem(checkOptions(options, ''), 'jsonQuery');
  const { name = 'json_query', root: folder, ignore, roles, view } = options;
  const root = folder === undefined ? null : toRoot('jsonQuery', { root: folder, ...(ignore ? { ignore } : {}) });
  const common = {
    name,
    description:
      options.description ??
      'Queries JSON by a JMESPath expression: members, filters, projections, functions such as sum, length, sort_by, max_by. Compute with it instead of reading all data. The expression keys(@) shows the members of an object.',
    returns: '`result`: what the expression selects, null if there is no such member',
    kind: root === null ? 'custom' : 'file_system',
    view: {
      request: '{expression}',
      response: '{result}',
      block: { as: 'table', rows: 'result' },
      ...view,
    },
    ...omitUndefined({ roles }),
  } as const;
  if (root === null)
    return defineTool({
      ...common,
      inputSchema: fromValue,
      effects: 'pure',
      local: true,
      execute: async ({ data, expression }, { signal }) => {
        const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
        return { result: await evaluateExpression(text, expression, signal) };
      },
    });
  return defineTool({
    ...common,
    inputSchema: fromFile,
    effects: 'read',
    local: true,
    execute: async ({ path, expression }, { signal }) => {
      const pieces: Buffer[] = [];
      for await (const piece of readPieces(root, path, { signal, maxBytes: maxFileBytes })) pieces.push(piece);
      const text = Buffer.concat(pieces)
        .toString()
        .replace(/^\ufeff/, '');
      return { result: await evaluateExpression(text, expression, signal) };
    },
  });
}

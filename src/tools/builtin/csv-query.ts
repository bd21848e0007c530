/** A tool that queries tables in CSV: columns, filters, groups, order. The model sees the result, not the file. */

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { check, omitUndefined } from '../../core/lib/index.js';
import { defineTool, type Tool, ToolError } from '../define/index.js';
import { type Query, type QueryResult, type RunningQuery, startQuery } from './csv/query.js';
import { type DataQueryOptions, dataQueryChecks, readPieces } from './files/data-source.js';
import { pathSchema } from './files/root.js';
import { toRoot } from './files.js';

export interface CsvQueryOptions extends DataQueryOptions {
  /** Default `csv_query`. */
  readonly name?: string | undefined;
}

const checkOptions = check.members<CsvQueryOptions>(dataQueryChecks);

const maxFileBytes = 200_000_000;
const maxTextLength = 500_000;
const maxRowBytes = 1_000_000;
const maxColumns = 2_000;
const maxRows = 2_000_000;
/** After so many steps, the worker's other calls take their turn. */
const stepsPerTurn = 5_000;

const column = z.string().min(1).max(1_000);
const cell = z.union([z.string().max(10_000), z.number(), z.boolean()]);

const querySchema = z.object({
  delimiter: z.enum([',', ';', '\t', '|']).default(',').describe('What separates cells'),
  select: z.array(column).max(200).optional().describe('Columns of the result. Default: all'),
  where: z
    .array(
      z.object({
        column,
        is: z.enum(['=', '!=', '<', '<=', '>', '>=', 'contains', 'starts_with', 'in', 'empty', 'not_empty']),
        value: z.union([cell, z.array(z.union([z.string(), z.number()])).max(1_000)]).optional(),
      }),
    )
    .max(50)
    .optional()
    .describe('Conditions that all have to be met. Numbers are compared as numbers; contains ignores case'),
  group_by: z.array(column).max(20).optional().describe('Columns: one row for each combination of their values'),
  aggregate: z
    .array(z.object({ compute: z.enum(['count', 'sum', 'avg', 'min', 'max']), column: column.optional() }))
    .min(1)
    .max(50)
    .optional()
    .describe('Computed of each group, or of all rows. The result has columns such as sum(amount). Default: count'),
  order_by: z
    .array(z.object({ column, descending: z.boolean().optional() }))
    .max(20)
    .optional()
    .describe('Columns of the table or, with groups, of the result'),
  limit: z.int().min(1).max(1_000).default(50).describe('The most rows to return'),
});

const fromText = querySchema.extend({
  text: z.string().min(1).max(maxTextLength).describe('The table in CSV. Its first line has the names of the columns'),
});

const fromFile = querySchema.extend({
  path: pathSchema.describe('The file, from the top of the folder: "data/sales.csv"'),
});

/**
 * Creates a tool that queries a table in CSV: of a file below `root`, or without `root` of a text in the call.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool` for an invalid name, roles or view
 * @example
 * defineAgent({ name: 'analyst', tools: [csvQuery({ root: './data' })], … })
 */
export function csvQuery(options: CsvQueryOptions = {}): Tool {
  check.assertNoProblem(checkOptions(options, ''), 'csvQuery');
  const { name = 'csv_query', root: folder, ignore, roles, view } = options;
  const root = folder === undefined ? null : toRoot('csvQuery', { root: folder, ...(ignore ? { ignore } : {}) });
  const about =
    'Queries a table in CSV: select columns, filter, group, aggregate, sort. Compute with it instead of reading all rows. Its first line has the names of the columns; with `limit` 1, the call shows them.';
  const common = {
    name,
    description: options.description ?? about,
    returns:
      '`columns`, `rows` (a list of cells each), and `rowCount`: the rows that match, of which `limit` are shown',
    kind: root === null ? 'custom' : 'file_system',
    view: {
      response: '{rowCount} rows',
      summary: '{rowCount} rows',
      block: { as: 'table', rows: 'rows', columns: 'columns' },
      ...view,
    },
    ...omitUndefined({ roles }),
  } as const;
  if (root === null)
    return defineTool({
      ...common,
      inputSchema: fromText,
      effects: 'pure',
      local: true,
      execute: async (query, { signal }) => await runQuery(query, [query.text], signal),
    });
  return defineTool({
    ...common,
    inputSchema: fromFile,
    effects: 'read',
    local: true,
    execute: async (query, { signal }) =>
      await runQuery(query, readPieces(root, query.path, { signal, maxBytes: maxFileBytes }), signal),
  });
}

async function runQuery(
  query: Query & { readonly delimiter: string },
  source: Iterable<string> | AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<QueryResult> {
  const pieces = Readable.from(source);
  const parser = parse({
    ...{ delimiter: query.delimiter, bom: true, skip_empty_lines: true, max_record_size: maxRowBytes },
    relax_column_count: true,
  });
  pieces.on('error', (error) => parser.destroy(error));
  pieces.pipe(parser);
  let running: RunningQuery | null = null;
  let rows = 0;
  let steps = 0;
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      signal.throwIfAborted();
      if (running === null) {
        if (row.length > maxColumns) throw new ToolError(`The table has more than ${maxColumns} columns.`);
        running = startQuery(
          query,
          row.map((cell) => cell.trim()),
        );
        continue;
      }
      rows += 1;
      if (rows > maxRows) throw new ToolError(`The table has more than ${maxRows} rows, the limit.`);
      running.add(row);
      steps += running.steps;
      if (steps < stepsPerTurn) continue;
      steps = 0;
      await setImmediate();
    }
  } catch (error) {
    if (error instanceof CsvError) throw new ToolError(`The table is no valid CSV: ${error.message}.`);
    throw error;
  } finally {
    pieces.destroy();
    parser.destroy();
  }
  if (running === null) throw new ToolError('The table is empty: its first line must have the names of the columns.');
  return running.finish();
}

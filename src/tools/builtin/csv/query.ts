/** A query of a table: filters, groups, order. Rows arrive one by one; only what the result needs is kept. */

import { Decimal } from 'decimal.js';
import { findNearest } from '../../../core/lib/index.js';
import { ToolError } from '../../define/index.js';

interface Condition {
  readonly column: string;
  readonly is: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains' | 'starts_with' | 'in' | 'empty' | 'not_empty';
  readonly value?: string | number | boolean | readonly (string | number)[] | undefined;
}

interface Aggregate {
  readonly compute: 'count' | 'sum' | 'avg' | 'min' | 'max';
  readonly column?: string | undefined;
}

export interface Query {
  readonly select?: readonly string[] | undefined;
  readonly where?: readonly Condition[] | undefined;
  readonly group_by?: readonly string[] | undefined;
  readonly aggregate?: readonly Aggregate[] | undefined;
  readonly order_by?: readonly { readonly column: string; readonly descending?: boolean | undefined }[] | undefined;
  readonly limit: number;
}

type Cell = string | number | null;

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows of the result before `limit`. */
  readonly rowCount: number;
  /** Cells that were not added up because they are no numbers. */
  readonly skippedCells?: number;
}

/** Groups, and rows that are sorted: all of them have to be kept. */
const maxKeptRows = 100_000;
/** Results that are computed at the same time, of all groups. */
const maxAggregates = 200_000;

export interface RunningQuery {
  readonly add: (row: readonly string[]) => void;
  readonly finish: () => QueryResult;
  /** Steps of work for each row, roughly. */
  readonly steps: number;
}

/** @param columns of the table @throws {ToolError} for a column that it does not have, or too many rows to keep */
export function startQuery(query: Query, columns: readonly string[]): RunningQuery {
  const findColumn = (name: string, known = columns) => findIndex(name, known);
  const tests = (query.where ?? []).map((condition) => createTest(condition, findColumn(condition.column)));
  const passes = (row: readonly string[]) => tests.every((test) => test(row));
  const isGrouped = query.group_by !== undefined || query.aggregate !== undefined;
  const table = isGrouped ? createGroups(query, columns) : createRows(query, columns);
  const order = (query.order_by ?? []).map(({ column, descending = false }) => ({
    at: findColumn(column, table.columns),
    factor: descending ? -1 : 1,
  }));
  const selection = query.select === undefined || isGrouped ? null : query.select.map((name) => findColumn(name));
  return {
    steps: 1 + tests.length + (query.group_by?.length ?? 0) + (query.aggregate?.length ?? 0),
    add: (row) => {
      if (passes(row)) table.add(row, order.length > 0);
    },
    finish: () => {
      const { rows, rowCount, skipped } = table.finish();
      const sorted = order.length === 0 ? rows : sortRows(rows, order);
      const limited = sorted.slice(0, query.limit);
      return {
        columns: selection === null ? table.columns : selection.map((at) => table.columns[at]!),
        rows: selection === null ? limited : limited.map((row) => selection.map((at) => row[at] ?? null)),
        rowCount,
        ...(skipped === 0 ? {} : { skippedCells: skipped }),
      };
    },
  };
}

function findIndex(name: string, columns: readonly string[]): number {
  const at = columns.indexOf(name);
  if (at !== -1) return at;
  const near = findNearest(name, columns);
  const hint = near === null ? `It has: ${columns.slice(0, 100).join(', ')}` : `You may mean ${near}`;
  throw new ToolError(`The table has no column ${JSON.stringify(name.slice(0, 100))}. ${hint}.`);
}

interface Table {
  readonly columns: readonly string[];
  readonly add: (row: readonly string[], keepsAll: boolean) => void;
  readonly finish: () => {
    readonly rows: readonly (readonly Cell[])[];
    readonly rowCount: number;
    readonly skipped: number;
  };
}

function createRows({ limit }: Query, columns: readonly string[]): Table {
  const rows: (readonly string[])[] = [];
  let rowCount = 0;
  return {
    columns,
    add: (row, keepsAll) => {
      rowCount += 1;
      if (!keepsAll && rows.length >= limit) return;
      if (rows.length === maxKeptRows)
        throw new ToolError(`More than ${maxKeptRows} rows cannot be sorted. Use \`where\` to select fewer.`);
      rows.push(row);
    },
    finish: () => ({ rows, rowCount, skipped: 0 }),
  };
}

interface Group {
  readonly keys: readonly string[];
  readonly values: readonly Accumulator[];
}

function createGroups(
  { group_by: by = [], aggregate = [{ compute: 'count' }] }: Query,
  columns: readonly string[],
): Table {
  const keysAt = by.map((name) => findIndex(name, columns));
  const parts = aggregate.map(({ compute, column }) => {
    if (column === undefined && compute !== 'count') throw new ToolError(`${compute} needs a column. Set it.`);
    return { compute, at: column === undefined ? null : findIndex(column, columns) };
  });
  const groups = new Map<string, Group>();
  let skipped = 0;
  const maxGroups = Math.min(maxKeptRows, Math.floor(maxAggregates / parts.length));
  const create = (keys: readonly string[]): Group => {
    if (groups.size === maxGroups)
      throw new ToolError(
        `There are more than ${maxGroups} groups, the limit for ${parts.length} aggregates. Use \`where\`, or group by another column.`,
      );
    const group = { keys, values: parts.map(({ compute }) => createAccumulator(compute)) };
    groups.set(JSON.stringify(keys), group);
    return group;
  };
  // Without `group_by`, all rows are one group, also of an empty table.
  if (by.length === 0) create([]);
  return {
    columns: [
      ...by,
      ...aggregate.map(({ compute, column }) => (column === undefined ? compute : `${compute}(${column})`)),
    ],
    add: (row) => {
      const keys = keysAt.map((at) => row[at] ?? '');
      const { values } = groups.get(JSON.stringify(keys)) ?? create(keys);
      parts.forEach(({ at }, index) => {
        if (!values[index]!.add(at === null ? null : (row[at] ?? ''))) skipped += 1;
      });
    },
    finish: () => {
      const rows = [...groups.values()].map(({ keys, values }) => [...keys, ...values.map((value) => value.finish())]);
      return { rows, rowCount: rows.length, skipped };
    },
  };
}

interface Accumulator {
  /** Returns false for a cell that is not a number. Empty cells are omitted. @param cell null counts the row */
  readonly add: (cell: string | null) => boolean;
  readonly finish: () => Cell;
}

function createAccumulator(compute: Aggregate['compute']): Accumulator {
  let count = 0;
  let total = new Decimal(0);
  let extreme: string | null = null;
  const isBetter = (cell: string) => {
    if (extreme === null) return true;
    const order = compareCells(cell, extreme);
    return compute === 'min' ? order < 0 : order > 0;
  };
  return {
    add: (cell) => {
      if (cell === '') return true;
      if (cell !== null && (compute === 'sum' || compute === 'avg')) {
        const number = toNumber(cell);
        if (number === null) return false;
        total = total.plus(cell.trim());
      }
      count += 1;
      if (cell !== null && (compute === 'min' || compute === 'max') && isBetter(cell)) extreme = cell;
      return true;
    },
    finish: () => {
      if (compute === 'count') return count;
      if (compute === 'sum') return total.toNumber();
      if (compute === 'avg') return count === 0 ? null : total.div(count).toNumber();
      return extreme === null ? null : (toNumber(extreme) ?? extreme);
    },
  };
}

function createTest({ is, value }: Condition, at: number): (row: readonly string[]) => boolean {
  const cellOf = (row: readonly string[]) => row[at] ?? '';
  if (is === 'empty') return (row) => cellOf(row).trim() === '';
  if (is === 'not_empty') return (row) => cellOf(row).trim() !== '';
  if (value === undefined) throw new ToolError(`A condition with ${is} needs a value.`);
  if (is === 'in') {
    const values = new Set((Array.isArray(value) ? value : [value]).map((item) => toKey(String(item))));
    return (row) => values.has(toKey(cellOf(row)));
  }
  if (Array.isArray(value)) throw new ToolError(`A condition with ${is} takes one value. Use \`in\` for several.`);
  const text = String(value);
  const lower = text.toLowerCase();
  if (is === 'contains') return (row) => cellOf(row).toLowerCase().includes(lower);
  if (is === 'starts_with') return (row) => cellOf(row).toLowerCase().startsWith(lower);
  return (row) => matches(is, compareCells(cellOf(row), text));
}

function matches(is: '=' | '!=' | '<' | '<=' | '>' | '>=', order: number): boolean {
  if (is === '=') return order === 0;
  if (is === '!=') return order !== 0;
  if (is === '<') return order < 0;
  if (is === '<=') return order <= 0;
  return is === '>' ? order > 0 : order >= 0;
}

function sortRows(
  rows: readonly (readonly Cell[])[],
  order: readonly { readonly at: number; readonly factor: number }[],
): readonly (readonly Cell[])[] {
  // Each cell is read once, not at each comparison.
  const keyed = rows.map((row) => ({ row, keys: order.map(({ at }) => toKey(String(row[at] ?? ''))) }));
  keyed.sort((a, b) => {
    for (const [index, { factor }] of order.entries()) {
      const compared = compareKeys(a.keys[index]!, b.keys[index]!);
      if (compared !== 0) return compared * factor;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

function compareCells(a: string, b: string): number {
  return compareKeys(toKey(a), toKey(b));
}

/** Numbers by their value and before texts; texts by their characters. */
function compareKeys(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function toKey(cell: string): string | number {
  return toNumber(cell) ?? cell;
}

function toNumber(cell: string): number | null {
  const isNumber = cell.length < 400 && /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?\s*$/i.test(cell);
  return isNumber ? Number(cell) : null;
}

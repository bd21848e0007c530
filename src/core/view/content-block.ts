/**
 * A table or a diff of a call, as plain data for every printer: from its masked value, by the rule of its tool. All parts are bounded,
 * so that it can be laid out; the value has the rest.
 */

import {
  findOwn,
  formatCount,
  formatPlural,
  isObject,
  type Json,
  type JsonObject,
  shorten,
  toValueText,
} from '../lib/index.js';
import type { BlockRule, EditRule, TableRule } from '../model/index.js';

export type ContentBlock = TableBlock | DiffBlock;

export interface TableBlock {
  readonly kind: 'table';
  readonly columns: readonly TableColumn[];
  /** A cell for each column. */
  readonly rows: readonly (readonly string[])[];
  /** What is omitted, in words: `80 more rows`. */
  readonly omitted: readonly string[];
  /** The rest of the value: members without the rows. Null without any. */
  readonly rest: Json;
}

export interface TableColumn {
  readonly name: string;
  /** Whether all its cells are numbers, also as texts. */
  readonly isNumeric: boolean;
}

export interface DiffBlock {
  readonly kind: 'diff';
  readonly rows: readonly DiffRow[];
  readonly omitted: readonly string[];
  readonly rest: Json;
  readonly added: number;
  readonly removed: number;
  /** The place of an edit, or the number of files. */
  readonly subject: string;
}

export interface DiffRow {
  readonly change: 'added' | 'removed' | 'same' | 'heading';
  /** Without the sign. */
  readonly text: string;
}

/** Before each row of a diff. */
export const diffSigns: { readonly [change in DiffRow['change']]: string } = {
  added: '+',
  removed: '-',
  same: ' ',
  heading: '',
};

/** Most rows and columns of a table, characters of a cell, rows of a diff and characters of each. */
const blockLimits = { rows: 50, columns: 20, cell: 200, diffRows: 400, diffRow: 2_000 } as const;

/** Whether a rule is about the arguments of a call, not its result. */
export function isCallRule(rule: BlockRule): rule is EditRule {
  return rule.as === 'edit';
}

/** @param value the arguments for an `edit`, else the result; masked @returns null if the value does not fit the rule */
export function toContentBlock(rule: BlockRule | undefined, value: Json): ContentBlock | null {
  switch (rule?.as) {
    case undefined:
      return null;
    case 'table':
      return toTable(rule, value);
    case 'diff': {
      const text = rule.text === undefined ? value : isObject(value) ? findOwn(value, rule.text) : undefined;
      return typeof text === 'string' ? toDiff(text, rule.text === undefined ? null : omit(value, [rule.text])) : null;
    }
    case 'edit':
      return toEdit(rule, value);
  }
}

/** A block in a few words: `3 rows`, `2 files +10 -4`, `src/index.ts +1 -1`. */
export function describeBlock(block: ContentBlock): string {
  if (block.kind === 'diff') return `${block.subject} +${formatCount(block.added)} -${formatCount(block.removed)}`;
  const { rows, omitted } = block;
  const count = formatCount(rows.length);
  return omitted.length > 0 ? `more than ${count} rows` : `${count} ${rows.length === 1 ? 'row' : 'rows'}`;
}

function omit(value: Json, names: readonly (string | undefined)[]): Json {
  if (!isObject(value)) return null;
  const left = Object.entries(value).filter(([name]) => !names.includes(name));
  return left.length === 0 ? null : Object.fromEntries(left);
}

function toTable({ rows: member, columns: columnMember }: TableRule, value: Json): TableBlock | null {
  const list = member === undefined ? value : isObject(value) ? findOwn(value, member) : undefined;
  if (!Array.isArray(list)) return null;
  const items: readonly Json[] = list;
  // Of a clipped list a text states what was omitted.
  const marks = items.filter((item) => typeof item === 'string' && /^\[?…/.test(item)) as readonly string[];
  const records = items.filter((item) => !marks.includes(item as string));
  const shownRecords = records.slice(0, blockLimits.rows);
  const columns = columnMember !== undefined && isObject(value) ? findOwn(value, columnMember) : undefined;
  const table = readTable(shownRecords, Array.isArray(columns) ? columns : []);
  if (table === null || table.names.length === 0) return null;
  const names = table.names.slice(0, blockLimits.columns);
  const cells = shownRecords.map((_, row) => names.map((_name, at) => table.getCell(row, at)));
  const more = (count: number, what: string) => (count <= 0 ? [] : [formatPlural(count, `more ${what}`)]);
  return {
    kind: 'table',
    columns: names.map((name, at) => ({
      name: shorten(name, blockLimits.cell),
      isNumeric: cells.length > 0 && cells.every((row) => isNumeric(row[at])),
    })),
    rows: cells.map((row) => row.map(formatCell)),
    omitted: [
      ...more(records.length - shownRecords.length, 'row'),
      ...marks,
      ...more(table.names.length - names.length, 'column'),
    ],
    rest: member === undefined ? null : omit(value, [member, Array.isArray(columns) ? columnMember : undefined]),
  };
}

interface ReadTable {
  readonly names: readonly string[];
  readonly getCell: (row: number, column: number) => Json | undefined;
}

/** Rows are all objects or all lists; without any, the names are those given. */
function readTable(items: readonly Json[], columns: readonly Json[]): ReadTable | null {
  const lists = items.filter((item): item is readonly Json[] => Array.isArray(item));
  if (lists.length === items.length) return readLists(lists, columns);
  const records = items.filter(isObject);
  return records.length === items.length ? readRecords(records) : null;
}

function readRecords(records: readonly JsonObject[]): ReadTable {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return { names, getCell: (row, column) => findOwn(records[row] ?? {}, names[column] ?? '') };
}

function readLists(lists: readonly (readonly Json[])[], heads: readonly Json[]): ReadTable {
  const length = lists.reduce((max, list) => Math.max(max, list.length), heads.length);
  const names = Array.from({ length }, (_, at) => (at < heads.length ? toValueText(heads[at] ?? '') : String(at + 1)));
  return { names, getCell: (row, column) => lists[row]?.[column] };
}

/** A file in CSV has numbers as texts. A column without any value is of texts. */
function isNumeric(value: Json | undefined): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d[\d.,]{0,20}$/.test(value));
}

function formatCell(value: Json | undefined): string {
  return value === undefined ? '' : shorten(toValueText(value), blockLimits.cell);
}

/** Returns null for a text that is not a diff. */
function toDiff(text: string, rest: Json): DiffBlock | null {
  const rows: DiffRow[] = [];
  let files = 0;
  // Within a part, signs are of lines; a line may itself begin with `-- `.
  let [oldLeft, newLeft] = [0, 0];
  let parts = 0;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const sign = line.slice(0, 1);
    if (oldLeft > 0 || newLeft > 0) {
      if (sign !== '+' && sign !== '\\') oldLeft -= 1;
      if (sign !== '-' && sign !== '\\') newLeft -= 1;
      rows.push({ change: toChange(sign), text: sign === '\\' ? line : line.slice(1) });
      continue;
    }
    const part = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (part !== null) {
      [oldLeft, newLeft] = [Number(part[1] ?? 1), Number(part[2] ?? 1)];
      parts += 1;
    }
    if (line.startsWith('+++ ')) files += 1;
    rows.push({ change: 'heading', text: line });
  }
  if (parts === 0) return null;
  return boundDiff(rows, rest, formatPlural(files, 'file'));
}

function toChange(sign: string): DiffRow['change'] {
  if (sign === '+') return 'added';
  if (sign === '-') return 'removed';
  return sign === '\\' ? 'heading' : 'same';
}

/** Equal lines around a change. */
const contextLines = 3;

function toEdit({ place, before, after }: EditRule, value: Json): DiffBlock | null {
  if (!isObject(value)) return null;
  const where = findOwn(value, place);
  const put = findOwn(value, after);
  const old = before === undefined ? '' : findOwn(value, before);
  if (typeof where !== 'string' || typeof put !== 'string' || typeof old !== 'string') return null;
  const [removed, added] = [splitLines(old), splitLines(put)];
  const max = Math.min(removed.length, added.length);
  let head = 0;
  while (head < max && removed[head] === added[head]) head += 1;
  let tail = 0;
  while (tail < max - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail += 1;
  const toRows = (change: DiffRow['change'], lines: readonly string[]) => lines.map((text) => ({ change, text }));
  const rows: readonly DiffRow[] = [
    ...toRows('same', removed.slice(Math.max(0, head - contextLines), head)),
    ...toRows('removed', removed.slice(head, removed.length - tail)),
    ...toRows('added', added.slice(head, added.length - tail)),
    ...toRows('same', removed.slice(removed.length - tail, removed.length - tail + contextLines)),
  ];
  return boundDiff(rows, omit(value, [before, after]), where);
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function boundDiff(rows: readonly DiffRow[], rest: Json, subject: string): DiffBlock {
  const count = (change: DiffRow['change']) => rows.filter((row) => row.change === change).length;
  const left = rows.length - blockLimits.diffRows;
  const visibleRows = rows.slice(0, blockLimits.diffRows);
  const cut = visibleRows.filter(({ text }) => text.length > blockLimits.diffRow).length;
  return {
    kind: 'diff',
    rows: visibleRows.map(({ change, text }) => ({ change, text: shorten(text, blockLimits.diffRow) })),
    omitted: [
      ...(left > 0 ? [formatPlural(left, 'more line')] : []),
      ...(cut > 0 ? [`the rest of ${cut} ${cut === 1 ? 'line' : 'lines'}`] : []),
    ],
    rest,
    added: count('added'),
    removed: count('removed'),
    subject,
  };
}

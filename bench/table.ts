/** Rows as a table for people. */

import type { DecideRow } from './decide.js';
import type { FanOutRow } from './fanout.js';
import type { LongRow } from './long.js';
import type { Row } from './measure.js';
import type { ReadRow } from './read.js';
import type { StoreRow } from './store.js';

type Columns<R> = readonly (readonly [heading: string, cell: (row: R) => string])[];

const systemColumns: Columns<Row> = [
  ['system', (row) => row.system],
  ['chains', (row) => String(row.chains)],
  ['steps', (row) => String(row.steps)],
  ['bytes/step', (row) => row.bytesPerStep.toFixed(0)],
  ['events/step', (row) => row.eventsPerStep.toFixed(2)],
  ['CPU ms/step', (row) => row.cpuMsPerStep.toFixed(1)],
  ['ms/step', (row) => row.msPerStep.toFixed(1)],
  ['steps/s', (row) => row.stepsPerSecond.toFixed(1)],
  ['completed', (row) => (row.completed ? 'yes' : 'no')],
];

const readColumns: Columns<ReadRow> = [
  ['what', (row) => row.what],
  ['steps', (row) => String(row.steps)],
  ['ms', (row) => row.ms?.toFixed(1) ?? ''],
  ['CPU ms', (row) => row.cpuMs?.toFixed(1) ?? ''],
  ['p50 ms', (row) => row.p50Ms?.toFixed(1) ?? ''],
  ['p99 ms', (row) => row.p99Ms?.toFixed(1) ?? ''],
];

const decideColumns: Columns<DecideRow> = [
  ['what', (row) => row.what],
  ['p50 ms', (row) => row.p50Ms.toFixed(1)],
  ['p99 ms', (row) => row.p99Ms.toFixed(1)],
];

const fanOutColumns: Columns<FanOutRow> = [
  ['system', (row) => row.system],
  ['children', (row) => String(row.children)],
  ['ms', (row) => row.ms.toFixed(0)],
  ['CPU ms', (row) => row.cpuMs.toFixed(0)],
  ['parent bytes/child', (row) => row.parentBytesPerChild.toFixed(0)],
];

const longColumns: Columns<LongRow> = [
  ['until step', (row) => String(row.step)],
  ['run', (row) => String(row.run)],
  ['ms/step', (row) => row.msPerStep.toFixed(1)],
  ['bytes/step', (row) => row.bytesPerStep.toFixed(0)],
];

export function longTable(rows: readonly LongRow[]): string {
  return table(longColumns, rows);
}

const storeColumns: Columns<StoreRow> = [
  ['database', (row) => row.database],
  ['what', (row) => row.what],
  ['ms', (row) => row.ms?.toFixed(1) ?? ''],
  ['CPU ms', (row) => row.cpuMs?.toFixed(1) ?? ''],
  ['bytes', (row) => row.bytes?.toFixed(0) ?? ''],
];

export function storeTable(rows: readonly StoreRow[]): string {
  return table(storeColumns, rows);
}

export function systemTable(rows: readonly Row[]): string {
  return table(systemColumns, rows);
}

export function readTable(rows: readonly ReadRow[]): string {
  return table(readColumns, rows);
}

export function decideTable(rows: readonly DecideRow[]): string {
  return table(decideColumns, rows);
}

export function fanOutTable(rows: readonly FanOutRow[]): string {
  return table(fanOutColumns, rows);
}

function table<R>(columns: Columns<R>, rows: readonly R[]): string {
  const lines = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The name to the left, numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

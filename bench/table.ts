/** Rows as a table for people. */

import type { Row } from './measure.js';

const columns: readonly (readonly [heading: string, cell: (row: Row) => string])[] = [
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

export function table(rows: readonly Row[]): string {
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

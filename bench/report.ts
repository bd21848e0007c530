/** Prints what was measured: as a table for people, or as JSON. Numbers mean little without the machine. */

import { cpus, loadavg, totalmem } from 'node:os';

export type Columns<R> = readonly (readonly [heading: string, cell: (row: R) => string])[];

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
  /** Load of the last minute when the measurement began: above 0 means that the machine was not quiet. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}

export function machineLine({ cpu, cores, node, loadBefore }: Machine): string {
  return `${cpu}, ${cores} cores, Node ${node}, load ${loadBefore} before`;
}

/** An empty cell for what was not measured. */
export function cell(value: number | null, digits: number): string {
  return value?.toFixed(digits) ?? '';
}

export function table<R>(columns: Columns<R>, rows: readonly R[]): string {
  const lines = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, cellOf]) => cellOf(row)))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((text, column) => pad(text, widths[column] ?? 0, column)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The name to the left, numbers to the right. */
function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}

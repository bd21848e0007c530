/** The result of a statement, as the chain stores it: values that are JSON, within limits of rows and bytes. */

import { formatBytes, isObject, type Json } from '../../../core/lib/index.js';

export interface SqlResult {
  readonly columns: readonly string[];
  /** Each row has the values in the order of `columns`, because names may occur twice. */
  readonly rows: readonly (readonly Json[])[];
  /** Number of rows in `rows`; of a statement that changes rows, the number of changed rows. */
  readonly rowCount: number;
  /** Whether there are more rows. */
  readonly truncated: boolean;
}

export interface RowLimits {
  readonly maxRows: number;
  /** Of the rows as JSON. */
  readonly maxBytes: number;
}

export interface RowCollector {
  /** Returns whether the row fits; after the first one that does not, none is added. */
  readonly add: (row: readonly unknown[]) => boolean;
  readonly finish: (columns: readonly string[], changed: number | null) => SqlResult;
  /** States why the result is empty though there is a row: the first one is too large. */
  readonly findProblem: () => string | null;
}

export function createRowCollector({ maxRows, maxBytes }: RowLimits): RowCollector {
  const rows: Json[][] = [];
  let bytes = 0;
  let truncated = false;
  let problem: string | null = null;
  return {
    add: (row) => {
      if (truncated) return false;
      const values = row.map(toJsonValue);
      const size = Buffer.byteLength(JSON.stringify(values)) + 1;
      truncated = rows.length >= maxRows || bytes + size > maxBytes;
      if (truncated && rows.length === 0) {
        problem = describeLargeRow(size, maxBytes);
      }
      if (truncated) return false;
      rows.push(values);
      bytes += size;
      return true;
    },
    finish: (columns, changed) => ({ columns, rows, rowCount: changed ?? rows.length, truncated }),
    findProblem: () => problem,
  };
}

export function describeLargeRow(bytes: number, maxBytes: number): string {
  return `The first row has ${formatBytes(bytes)}; the limit is ${formatBytes(maxBytes)}. Select fewer columns, or parts of long ones: substr(column, 1, 1000).`;
}

/**
 * Converts a value of a driver. A whole number that a JSON number cannot hold is a text, as are NaN and the infinities; bytes
 * are `{ base64 }`; times are texts.
 */
function toJsonValue(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (!isObject(value)) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJsonValue(member)]));
}

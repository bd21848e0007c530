/**
 * Judges rows: a case that no longer measures what it claims must fail, not print.
 *
 * A case states for each row, and for every column of it, the exact value or the range that is possible on any machine.
 * Ranges of bytes and events are narrow, because both are counted; ranges of times are wide.
 */

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Every column of a row: a column that nobody expects does not compile. */
export type Expected<R> = { readonly [column in keyof R]: R[column] | Range };

export function between(min: number, max: number): Range {
  return { min, max };
}

/** @returns a sentence for each column that is missing, unknown, not finite or out of range; rows are compared in order */
export function implausible<R extends object>(rows: readonly R[], expected: readonly Expected<R>[]): readonly string[] {
  const count = rows.length === expected.length ? [] : [`There are ${rows.length} rows; expected ${expected.length}.`];
  return [...count, ...expected.flatMap((row, at) => rowProblems(rows[at], row, at + 1))];
}

function rowProblems<R extends object>(row: R | undefined, expected: Expected<R>, nth: number): readonly string[] {
  const name = `Row ${nth} (${nameOf(expected)})`;
  if (row === undefined) return [`${name} is missing.`];
  const values = new Map<string, unknown>(Object.entries(row));
  const known = Object.entries<unknown>(expected);
  const wrong = known.flatMap(([column, wanted]) => {
    if (!values.has(column)) return [`${name} has no ${column}.`];
    const value = values.get(column);
    return fits(value, wanted) ? [] : [`${name}: ${column} is ${String(value)}; expected ${textOf(wanted)}.`];
  });
  const unknown = [...values.keys()].filter((column) => !Object.hasOwn(expected, column));
  return [...wrong, ...unknown.map((column) => `${name} has an unknown column ${column}.`)];
}

function fits(value: unknown, wanted: unknown): boolean {
  if (!isRange(wanted)) return value === wanted;
  return typeof value === 'number' && Number.isFinite(value) && value >= wanted.min && value <= wanted.max;
}

/** Returns the texts and whole numbers that identify a row: `longhand, 1, 500`. */
function nameOf(expected: object): string {
  return Object.values(expected)
    .filter((wanted) => typeof wanted === 'string' || typeof wanted === 'number')
    .join(', ');
}

function textOf(wanted: unknown): string {
  return isRange(wanted) ? `a number from ${wanted.min} to ${wanted.max}` : String(wanted);
}

function isRange(wanted: unknown): wanted is Range {
  return typeof wanted === 'object' && wanted !== null;
}

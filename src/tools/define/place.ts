/**
 * Where the function of a tool runs, for people. It is written on the function: nothing else of an isolated function or a
 * program reaches `defineTool`.
 */

const mark = Symbol.for('longhand.place');

type Execute = (...given: never[]) => unknown;

/** @param place a phrase: `a thread of its own` */
export function markPlace<F extends Execute>(execute: F, place: string): F {
  return Object.assign(execute, { [mark]: place });
}

/** Returns undefined for a function of the worker's own process. */
export function findPlace(execute: Execute): string | undefined {
  const place: unknown = mark in execute ? execute[mark] : undefined;
  return typeof place === 'string' ? place : undefined;
}

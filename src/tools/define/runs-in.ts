/**
 * Where the function of a tool runs, for people. It is written on the function: nothing else of an isolated function or a
 * program reaches `defineTool`.
 */

const mark = Symbol.for('longhand.runsIn');

type Execute = (...args: never[]) => unknown;

/** @param phrase a phrase: `a thread of its own` */
export function markRunsIn<F extends Execute>(execute: F, phrase: string): F {
  return Object.assign(execute, { [mark]: phrase });
}

/** Returns undefined for a function of the worker's own process. */
export function findRunsIn(execute: Execute): string | undefined {
  const phrase: unknown = mark in execute ? execute[mark] : undefined;
  return typeof phrase === 'string' ? phrase : undefined;
}

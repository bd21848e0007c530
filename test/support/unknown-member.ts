import type { JsonObject } from '../../src/index.js';

/** Returns the fault of the first member that an object may not have. @param path with a dot at its end */
export function findUnknownMember(value: JsonObject, known: readonly string[], path: string): string | null {
  const extra = Object.keys(value).find((name) => !known.includes(name));
  return extra === undefined ? null : `Unknown parameter: '${path}${extra}'.`;
}

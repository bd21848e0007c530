/**
 * Classes of data, such as `confidential`: a task or the results of a tool are marked with them, a chain collects those of all
 * that it has read, and only models whose catalogue entry lists all of them may see its requests.
 */

import { check } from '../lib/index.js';

export const checkDataClass = check.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be a data class');
export const isDataClass = checkDataClass.is;

export const checkDataClasses = check.list(checkDataClass);
export const isDataClassList = checkDataClasses.is;

/** Returns all classes of both, in order. Returns `a` itself where `b` adds none. */
export function mergeDataClasses(a: readonly string[], b: readonly string[] = []): readonly string[] {
  const added = b.filter((name) => !a.includes(name));
  return added.length === 0 ? a : [...new Set([...a, ...added])].sort();
}

/** Converts classes as users write them: a name, or a list. */
export function toDataClasses(names: string | readonly string[] | undefined): readonly string[] {
  return names === undefined ? [] : mergeDataClasses([], typeof names === 'string' ? [names] : names);
}

/** Arguments that somebody edits as they see them: what is hidden behind a mark stays what it is. */

import { canonical, isObject, type Json, own } from '../../core/lib/json.js';
import { marksIn } from '../../core/redact/labels.js';

/**
 * @param seen what was edited, redacted
 * @param whole what it stands for
 * @returns the arguments that are meant, or null where a mark stands where nobody knows what it hides
 */
export function restored(edited: Json, seen: Json, whole: Json): Json | null {
  const put = restore(edited, seen, whole);
  return marksOf(put) > marksOf(whole) ? null : put;
}

/** What was not touched is what it was, place by place. */
function restore(edited: Json, seen: Json | undefined, whole: Json | undefined): Json {
  if (seen === undefined || whole === undefined) return edited;
  if (canonical(edited) === canonical(seen)) return whole;
  if (isObject(edited) && isObject(seen) && isObject(whole)) {
    return Object.fromEntries(
      Object.entries(edited).map(([name, value]) => [name, restore(value, own(seen, name), own(whole, name))]),
    );
  }
  if (Array.isArray(edited) && Array.isArray(seen) && Array.isArray(whole)) {
    return edited.map((value: Json, at) => restore(value, seen[at], whole[at]));
  }
  return edited;
}

/** How many values in it are marks for what is hidden. */
export function marksOf(value: Json): number {
  if (typeof value === 'string') return marksIn(value).length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member: Json) => sum + marksOf(member), 0);
}

/** JSON that somebody has typed. */

import type { Json } from '../../core/lib/json.js';

/** Undefined for what is no JSON. */
export function jsonIn(written: string): Json | undefined {
  try {
    return JSON.parse(written) as Json;
  } catch {
    return undefined;
  }
}

/**
 * Hides secrets in what is logged (L8): a tool's error may quote the key that it failed with. What the process has handed
 * out is known, whatever it looks like; the rest is told by its looks.
 */

import { LRUCache } from 'lru-cache';
import type { Json } from '../core/lib/json.js';
import { createRedactor, type Redactor } from '../core/redact/redactor.js';
import { handedOut } from '../secrets/handed-out.js';
import type { LogEntry } from './log-entry.js';

/** Chains whose marks are remembered, so that equal values have equal marks in lines that lie apart. */
const remembered = 100;

/** @returns the entry with marks for what may not be read; never throws */
export function logMask(): (entry: LogEntry) => LogEntry {
  const redactors = new LRUCache<NonNullable<unknown>, Redactor>({
    max: remembered,
    memoMethod: () => createRedactor(),
  });
  // What belongs to no chain has nothing to be recognised by, and would be counted for ever.
  const redactorOf = (chainId: unknown): Redactor => (chainId == null ? createRedactor() : redactors.memo(chainId));
  return ({ message, place, said, error }) => {
    const redactor = redactorOf(place.chainId);
    const text = (said: string) => redactor.text(handedOut.text(said));
    const value = (said: Json) => redactor.value(handedOut.value(said));
    return {
      message: text(message),
      place,
      said: Object.fromEntries(Object.entries(said).map(([name, each]) => [name, shown(name, each, value)])),
      error: error && {
        ...error,
        message: text(error.message),
        stack: error.stack === null ? null : text(error.stack),
      },
    };
  };
}

/** By its name too: `{ password: … }` is a secret whatever it looks like. */
function shown(name: string, value: unknown, mask: Redactor['value']): unknown {
  try {
    const json = JSON.stringify({ [name]: value });
    const [masked] = Object.values(mask(JSON.parse(json)) as object);
    return masked;
  } catch {
    return mask(String(value));
  }
}

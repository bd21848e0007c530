/**
 * The secrets that this process has handed out lately. Whoever was given one may let it slip where nobody stands between:
 * in a line of the process's log, or in what it prints when it crashes. Both belong to the process, and so does this.
 */

import { LRUCache } from 'lru-cache';
import { type Hider, hiderOf, noHider } from '../core/redact/known-secrets.js';

/** Where each call has other secrets, the oldest are forgotten: each is looked for in every line. */
const most = 100;

const known = new LRUCache<string, true>({ max: most });
let hider: Hider = noHider;

/** @returns what hides just these */
export function handOut(secrets: readonly string[]): Hider {
  const fresh = secrets.filter((secret) => !known.has(secret));
  for (const secret of secrets) known.set(secret, true);
  if (fresh.length > 0) hider = hiderOf([...known.keys()]);
  return hiderOf(secrets);
}

/** Hides whatever has been handed out so far. */
export const handedOut: Hider = {
  text: (text) => hider.text(text),
  value: (value) => hider.value(value),
};

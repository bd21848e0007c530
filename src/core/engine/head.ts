/** The head of a chain: one digest over all of its facts, extended with each. */

import { digest, type Sha256 } from '../lib/digest.js';
import { canonical } from '../lib/json.js';
import type { Fact } from '../model/fact.js';

/**
 * How the head goes on from fact to fact. For a reader who is told the head of a chain that has ended, hashing its facts would
 * take as long as all else; what it was forked off is hashed all the same, because a fork holds it to its digest.
 */
export type Hashing = Sha256 | { readonly onlyOrigins: Sha256 };

/** The head over a chain's facts: equal heads mean equal facts in equal order. It stays where facts are not hashed. */
export function nextHead(head: string, fact: Fact, hashing: Hashing = digest): string {
  return typeof hashing === 'function' ? hashing(head + canonical(fact)) : head;
}

/**
 * The digest of a request: SHA-256 of its canonical JSON, in hex.
 *
 * A chain's next request begins with the messages of the one before. They are recognized by identity, because steps are
 * rendered once (core/strategies/conversation.ts), and hashing continues after them. Where they are not recognized, as after
 * earlier messages of a conversation, the whole request is hashed.
 */

import { createHash, type Hash } from 'node:crypto';
import { toCanonicalJson } from '../../core/lib/index.js';
import type { ModelMessage, ModelRequest } from '../../core/model/index.js';
import { computeSha256 } from '../../history/index.js';

/** The beginning of a request, as far as it was hashed. */
interface Beginning {
  /** Digest of the first message, which is rendered for each request, and may contain a summary. */
  readonly task: string;
  readonly messages: readonly ModelMessage[];
  readonly hash: Hash;
}

/** By the second message, which belongs to one chain. */
const beginnings = new WeakMap<ModelMessage, Beginning>();

export function hashRequest({ messages, ...rest }: ModelRequest): string {
  const [first, second] = messages;
  const opening = first === undefined ? '' : toCanonicalJson(first);
  const task = computeSha256(opening);
  const known = second === undefined ? undefined : beginnings.get(second);
  const isKnown = known !== undefined && known.task === task && beginsWith(messages, known.messages);
  const hash = isKnown ? known.hash.copy() : createHash('sha256').update(`{"messages":[${opening}`);
  // The newest step is rendered again: its results may be followed by a message of a person.
  const settled = Math.max(1, messages.length - 2);
  for (let at = isKnown ? known.messages.length : 1; at < messages.length; at++) {
    if (at === settled && second !== undefined)
      beginnings.set(second, { task, messages: messages.slice(0, at), hash: hash.copy() });
    hash.update(`,${toCanonicalJson(messages[at])}`);
  }
  // `messages` is the first name of the sorted ones.
  return hash.update(`],${toCanonicalJson(rest).slice(1)}`).digest('hex');
}

/** The first message is compared by its digest. */
function beginsWith(messages: readonly ModelMessage[], beginning: readonly ModelMessage[]): boolean {
  if (messages.length < beginning.length) return false;
  for (let at = 1; at < beginning.length; at++) if (messages[at] !== beginning[at]) return false;
  return true;
}

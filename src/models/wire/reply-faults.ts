/**
 * The faults of a streamed reply: it breaks the order of its API, or has more parts than a worker reads (L7). Such a reply is
 * a failed attempt: a part of it may be a call with other arguments than the model's.
 */

import { type Json, shorten } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';

export class ReplyFaults {
  #first: string | null = null;
  #parts = 0;
  #calls = 0;

  /** The first fault, as a clause; null for none. */
  get first(): string | null {
    return this.#first;
  }

  note(fault: string): void {
    this.#first ??= fault;
  }

  /** Counts a new part: a text, a thought, a call. */
  countPart(kind: 'call' | 'other'): void {
    this.#parts += 1;
    if (kind === 'call') this.#calls += 1;
    if (this.#calls > defaults.callsPerReply) this.note(`the reply has more than ${defaults.callsPerReply} calls`);
    else if (this.#parts > defaults.replyParts) this.note(`the reply has more than ${defaults.replyParts} parts`);
  }
}

/** Formats a value of a provider for a message. */
export function formatGiven(value: Json | undefined): string {
  return shorten(value === undefined ? 'nothing' : JSON.stringify(value), 40);
}

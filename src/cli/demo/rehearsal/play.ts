/** The parts of a rehearsal: what was asked, what has been observed so far, and what is said next. */

import type { Json, JsonObject } from '../../../core/lib/json.js';

/** What the model was shown of one call. */
export interface Seen {
  readonly failed: boolean;
  readonly text: string;
}

/** One reply: a thought, and a call or the answer. */
export type Move =
  | { readonly thought: string; readonly call: { readonly tool: string; readonly input: JsonObject } }
  /** A text, or with a result schema the arguments of the finish tool. */
  | { readonly thought: string; readonly answer: string | JsonObject }
  /** It cannot go on: what it says is no answer. */
  | { readonly thought: string; readonly stuck: string };

/** A task that the rehearsed model knows. Contract: it says nothing that it was not shown. */
export interface Play {
  readonly task: string;
  /** Whether it also goes on from a failed call; other plays end there, saying what failed. */
  readonly recovers?: boolean;
  readonly next: (seen: readonly Seen[]) => Move;
}

/** An observation as data; null for one that is none. */
export function dataOf(seen: Seen | undefined): Json {
  try {
    return JSON.parse(seen?.text ?? 'null') as Json;
  } catch {
    return null;
  }
}

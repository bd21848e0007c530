/** The fact of a call whose activity or workflow is the user's: one function for the workflow and its readers (L1). */

import { clipObservation } from '../core/engine/index.js';
import type { Json } from '../core/lib/index.js';
import { defaults, type Fact } from '../core/model/index.js';
import type { ActivityResult } from './failure.js';

/** Any value is a result. It is clipped to what a fact may hold; the core clips it to what the model sees. */
export function toForeignResultFact(call: string, at: number, ended: ActivityResult): Fact {
  if (!ended.ok) return { type: 'toolFailed', at, call, failure: ended.failure };
  // JSON has no `undefined`, which a function without a result returns.
  const value = ended.value === undefined ? 'done' : (ended.value as Json);
  return { type: 'toolReturned', at, call, observation: clipObservation(value, defaults.foreignResultTokens) };
}

/** How much was said and observed in a chain: an upper bound of what its steps take in a request, in UTF-8 bytes. */

import { canonical, utf8Bytes } from '../lib/json.js';
import type { Chain, PersonMessage, Step } from '../model/chain.js';
import { perObservation } from './budget.js';
import { observationText } from './observation-text.js';

export function spokenBytes(chain: Chain): number {
  const steps = chain.steps.reduce((sum, step) => sum + bytesOf(step, chain), 0);
  const guides = chain.guides.reduce((sum, { text }) => sum + utf8Bytes(text) + perObservation, steps);
  return chain.messages.reduce((sum, message) => sum + messageBytes(message), guides);
}

/** With who said it, and a block around it. */
export function messageBytes({ text, by }: Pick<PersonMessage, 'text' | 'by'>): number {
  return utf8Bytes(text) + utf8Bytes(by ?? '') + 2 * perObservation;
}

/** A message of its own for what was said, for what was paused, and for each answer to it. */
function bytesOf({ content, pausedContent, calls, problem }: Step, chain: Chain): number {
  const said = utf8Bytes(canonical([content, pausedContent, problem])) + 3 * perObservation;
  return calls.reduce((sum, call) => sum + utf8Bytes(observationText(chain, call)) + perObservation, said);
}

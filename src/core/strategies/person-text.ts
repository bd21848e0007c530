/** What people said to a chain, as the model is shown it: marked as theirs, so that it is not taken for an observation. */

import { labelled } from '../lib/framed.js';
import { oneLine } from '../lib/plain.js';
import type { Chain } from '../model/chain.js';

/**
 * Behind the last step stands also what was said while an attempt at the next one was in the air: the next attempt hears it.
 *
 * @param step the one behind which it was said; 0 for what was said before the first
 */
export function saidByPeople({ messages, steps }: Chain, step: number): readonly string[] {
  const last = step === (steps.at(-1)?.number ?? 0);
  return messages
    .filter(({ afterStep }) => afterStep === step || (last && afterStep > step))
    .map(({ by, text }) => labelled(`Message from ${oneLine(by ?? 'the user')}`, text));
}

/** What people said to a chain, as the model is shown it: marked as theirs, so that it is not taken for an observation. */

import type { Chain } from '../chain.js';

/** @param step the one behind which it was said; 0 for what was said before the first */
export function saidByPeople({ messages }: Chain, step: number): readonly string[] {
  return messages
    .filter(({ afterStep }) => afterStep === step)
    .map(({ by, text }) => `Message from ${by ?? 'the user'}:\n${text}`);
}

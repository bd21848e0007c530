/** Messages of people, as requests contain them. */

import { renderLabelledText, toOneLine } from '../lib/index.js';
import type { Chain } from '../model/index.js';

/**
 * Renders people's messages that follow a step. Those sent during an attempt at the next step follow the last one, so that
 * the next attempt includes them.
 *
 * @param step number of the step; 0 for messages before the first
 */
export function renderPeopleMessages({ messages, steps }: Chain, step: number): readonly string[] {
  const last = step === (steps.at(-1)?.number ?? 0);
  return messages
    .filter(({ afterStep }) => afterStep === step || (last && afterStep > step))
    .map(({ by, text }) => renderLabelledText(`Message from ${toOneLine(by ?? 'the user')}`, text));
}

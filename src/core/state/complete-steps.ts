/** How many of a chain's steps are complete: the last one is not while its calls run. */

import type { State } from '../model/state.js';

export function completeSteps({ steps, flight }: Pick<State, 'steps' | 'flight'>): number {
  return flight.kind === 'calls' ? steps - 1 : steps;
}

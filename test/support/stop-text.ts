/** Why a chain ends, as people read it; undefined for one that goes on. */

import type { State } from '../../src/core/model/state.js';
import { reasonOf } from '../../src/core/model/stop-reason.js';

export function stopText({ stop }: Pick<State, 'stop'>): string | undefined {
  return stop === null ? undefined : reasonOf(stop);
}

/** Why a chain ends, as people read it; undefined for one that goes on. */

import type { ChainState } from '../../src/core/model/state.js';
import { formatStop } from '../../src/core/model/stop-reason.js';

export function stopText({ stop }: Pick<ChainState, 'stop'>): string | undefined {
  return stop === null ? undefined : formatStop(stop);
}

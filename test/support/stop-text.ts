/** Why a chain ends, as people read it; undefined for one that goes on. */

import { formatStop } from '../../src/core/model/stop-reason.js';
import type { ChainState } from '../../src/index.js';

export function formatStopText({ stop }: Pick<ChainState, 'stop'>): string | undefined {
  return stop === null ? undefined : formatStop(stop);
}

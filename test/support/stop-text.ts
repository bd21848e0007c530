/** The stop reason of a chain as a sentence; undefined for a running one. */

import { formatStop } from '../../src/core/model/stop-reason.js';
import type { ChainState } from '../../src/entries/view.js';

export function formatStopText({ stop }: Pick<ChainState, 'stop'>): string | undefined {
  return stop === null ? undefined : formatStop(stop);
}

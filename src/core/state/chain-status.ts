/** What a running chain is found by among all others: whether it waits for somebody. */

import type { State } from '../model/state.js';
import { waiting } from './asks-due.js';

/** `waiting`: a person is asked something. `paused`: it goes on when somebody says so. */
export type ChainStatus = 'running' | 'waiting' | 'paused';

export function statusOf(state: State): ChainStatus {
  if (state.stop !== null) return 'running';
  if (waiting(state).length > 0) return 'waiting';
  return state.held === null ? 'running' : 'paused';
}

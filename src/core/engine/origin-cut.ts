/** The part of a chain that another begins with, as it is carried: its turns until a step was complete. */

import type { Origin } from '../model/origin.js';
import type { State } from '../model/state.js';
import { completeSteps } from '../state/complete-steps.js';
import { carriedTurns, packTurns } from './origin-turns.js';
import type { RecordedTurn } from './recorded-turn.js';
import { refold, type TakenTurn } from './refold.js';

export interface Until {
  readonly turns: readonly RecordedTurn[];
  /** What they come to. */
  readonly state: State;
}

/**
 * To the end of the workflow task that completed the step. A step that is an origin's own lies in what that one carries.
 * Null where there is no such step.
 */
export function turnsUntil(turns: readonly TakenTurn[], steps: number): Until | null {
  const last = turns.findIndex(({ state }) => completeSteps(state) >= steps);
  const taken = turns[last];
  const inner = carriedTurns(turns);
  const isOwn = last > 0 && taken !== undefined && steps > (taken.state.origin?.steps ?? 0);
  if (isOwn) return { turns: turns.slice(0, last + 1), state: taken.state };
  if (inner !== null) return turnsUntil(refold(inner).turns, steps);
  return taken === undefined ? null : { turns: turns.slice(0, last + 1), state: taken.state };
}

export function originOf(
  { chainId, runId }: Pick<Origin, 'chainId' | 'runId'>,
  { turns, state }: Until,
  steps: number,
  message: string | null,
): Origin {
  return { chainId, runId, steps, digest: state.head, turns: packTurns(turns), message };
}

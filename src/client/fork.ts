/** A new chain that begins with the first steps of another: what it is started with. */

import { completeSteps } from '../core/complete-steps.js';
import type { Origin } from '../core/origin.js';
import { carriedTurns, packTurns } from '../core/origin-turns.js';
import type { RecordedTurn } from '../core/recorded-turn.js';
import { refold, type TakenTurn } from '../core/refold.js';
import { ForkError } from './errors.js';
import type { Recorded } from './recorded.js';
import type { StartOptions } from './start.js';

export interface ForkOptions extends Omit<StartOptions, 'ifExists'> {
  /** The last of the origin's steps that the new chain begins with, from 1. Default: its last complete one. */
  readonly atStep?: number | undefined;
  /** What to tell the model before it goes on. A chain that has answered needs to be told something. */
  readonly message?: string | undefined;
}

export interface ForkStart {
  readonly agent: string;
  readonly task: string;
  readonly origin: Origin;
  readonly options: StartOptions;
}

/**
 * Who asked, for whom and by which model is the origin's unless it is said otherwise; limits are the agent's own.
 *
 * @throws {ForkError} when there is no such step, or nothing to go on with
 */
export function forkStart(recorded: Recorded, { atStep, message, ...options }: ForkOptions): ForkStart {
  const { chainId, runId, chain } = recorded;
  const { input } = chain.state;
  const complete = completeSteps(chain.state);
  if (input === null || complete === 0) throw new ForkError(`Chain ${chainId} has no complete step to go on from.`);
  const steps = atStep ?? complete;
  if (!Number.isSafeInteger(steps) || steps < 1 || steps > complete) {
    const there = complete === 1 ? 'one complete step' : `${complete} complete steps`;
    throw new ForkError(`Chain ${chainId} cannot be forked at step ${steps}: it has ${there}.`);
  }
  if (message === undefined && (chain.steps[steps - 1]?.answer ?? null) !== null) {
    throw new ForkError(`Step ${steps} of chain ${chainId} is its answer. Say what to go on with, or fork before it.`);
  }
  const { turns, digest } = turnsUntil(recorded.turns, steps);
  return {
    agent: input.agent,
    task: input.task,
    origin: { chainId, runId, steps, digest, turns: packTurns(turns), message: message ?? null },
    options: {
      ...options,
      model: options.model ?? input.model ?? undefined,
      tenant: options.tenant ?? input.tenant ?? undefined,
      user: options.user ?? input.user ?? undefined,
      roles: options.roles ?? input.roles,
    },
  };
}

/** To the end of the workflow task that completed the step. A step that is an origin's own lies in what the first fact carries. */
function turnsUntil(
  turns: readonly TakenTurn[],
  steps: number,
): { readonly turns: readonly RecordedTurn[]; readonly digest: string } {
  const last = turns.findIndex(({ state }) => completeSteps(state) >= steps);
  if (last > 0) return { turns: turns.slice(0, last + 1), digest: turns[last]?.state.head ?? '' };
  const inner = carriedTurns(turns);
  if (inner === null) throw new ForkError(`The chain has no step ${steps} to go on from.`);
  return turnsUntil(refold(inner).turns, steps);
}

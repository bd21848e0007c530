/** A new chain that begins with the first steps of another: what it is started with. */

import { originOf, turnsUntil } from '../../core/engine/refold.js';
import { mostUnpacked, unpackedBytes } from '../../core/lib/pack.js';
import type { ShownAs } from '../../core/model/lineage.js';
import { deepestFork, depthOfFork, type Origin } from '../../core/model/origin.js';
import type { State } from '../../core/model/state.js';
import { completeSteps } from '../../core/state/flight.js';
import { shownAs } from '../../core/view/descent.js';
import { ForkError } from '../errors/errors.js';
import type { Recorded } from '../read/recorded.js';
import type { StartOptions } from './start.js';

/** A fork has the plan that it comes to by its origin's steps. */
export interface ForkOptions extends Omit<StartOptions, 'ifExists' | 'plan'> {
  /** The last of the origin's steps that the new chain begins with, from 1. Default: its last complete one. */
  readonly atStep?: number | undefined;
  /** What to tell the model before it goes on. A chain that has answered needs to be told something. */
  readonly message?: string | undefined;
}

export interface ForkStart {
  readonly agent: string;
  readonly task: string;
  readonly origin: Origin;
  /** Null where it is not the fork of a sub-chain. */
  readonly shownAs: ShownAs | null;
  readonly options: StartOptions;
}

/**
 * Who asked, for whom and by which model is the origin's unless it is said otherwise; limits are the agent's own.
 *
 * @throws {ForkError} when there is no such step, nothing to go on with, or more than a fork can carry
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
  const until = turnsUntil(recorded.turns, steps);
  if (until === null) throw new ForkError(`Chain ${chainId} has no step ${steps} to go on from.`);
  checkDepth(chainId, until.state);
  const origin = originOf({ chainId, runId }, until, steps, message ?? null);
  checkUnpacked(chainId, steps, origin.turns);
  return {
    agent: input.agent,
    task: input.task,
    origin,
    shownAs: shownAs(chainId, input),
    options: {
      ...options,
      model: options.model ?? input.model ?? undefined,
      tenant: options.tenant ?? input.tenant ?? undefined,
      user: options.user ?? input.user ?? undefined,
      roles: options.roles ?? input.roles,
    },
  };
}

/** Its workflow would refuse it. */
function checkDepth(chainId: string, state: State): void {
  const { origin } = state;
  if (origin === null || depthOfFork(state) <= deepestFork) return;
  throw new ForkError(
    `Chain ${chainId} is a fork of forks, ${origin.depth} deep, and none may be deeper. Fork it at step ${origin.steps} or before, or start a new chain and say in its task what was found.`,
  );
}

/** Its workflow would not read it. */
function checkUnpacked(chainId: string, steps: number, packed: string): void {
  const bytes = unpackedBytes(packed);
  if (bytes <= mostUnpacked) return;
  throw new ForkError(
    `The first ${steps} steps of chain ${chainId} come to ${bytes} bytes; a fork carries ${mostUnpacked} at most. Fork it at an earlier step.`,
  );
}

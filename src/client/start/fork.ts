/** A new chain that begins with the first steps of another: what it is started with. */

import { findTurnPrefix, toOrigin } from '../../core/engine/fold-turns.js';
import { countUnpackedBytes, maxUnpackedBytes } from '../../core/lib/pack.js';
import type { VisibilitySource } from '../../core/model/lineage.js';
import { computeForkDepth, maxForkDepth, type Origin } from '../../core/model/origin.js';
import type { ChainState } from '../../core/model/state.js';
import { countCompleteSteps } from '../../core/state/flight.js';
import { findVisibilityLineage } from '../../core/view/ancestry.js';
import { ForkError } from '../errors/errors.js';
import type { RecordedChain } from '../read/recorded-chain.js';
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
  readonly shownAs: VisibilitySource | null;
  readonly options: StartOptions;
}

/**
 * Who asked, for whom and by which model is the origin's unless it is said otherwise; limits are the agent's own.
 *
 * @throws {ForkError} when there is no such step, nothing to go on with, or more than a fork can carry
 */
export function createForkStart(recorded: RecordedChain, { atStep, message, ...options }: ForkOptions): ForkStart {
  const { chainId, runId, chain } = recorded;
  const { input } = chain.state;
  const complete = countCompleteSteps(chain.state);
  if (input === null || complete === 0) throw new ForkError(`Chain ${chainId} has no complete step to go on from.`);
  const steps = atStep ?? complete;
  if (!Number.isSafeInteger(steps) || steps < 1 || steps > complete) {
    const there = complete === 1 ? 'one complete step' : `${complete} complete steps`;
    throw new ForkError(`Chain ${chainId} cannot be forked at step ${steps}: it has ${there}.`);
  }
  if (message === undefined && (chain.steps[steps - 1]?.answer ?? null) !== null) {
    throw new ForkError(`Step ${steps} of chain ${chainId} is its answer. Say what to go on with, or fork before it.`);
  }
  const until = findTurnPrefix(recorded.turns, steps);
  if (until === null) throw new ForkError(`Chain ${chainId} has no step ${steps} to go on from.`);
  checkDepth(chainId, until.state);
  const origin = toOrigin({ chainId, runId }, until, steps, message ?? null);
  checkUnpacked(chainId, steps, origin.turns);
  return {
    agent: input.agent,
    task: input.task,
    origin,
    shownAs: findVisibilityLineage(chainId, input),
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
function checkDepth(chainId: string, state: ChainState): void {
  const { origin } = state;
  if (origin === null || computeForkDepth(state) <= maxForkDepth) return;
  throw new ForkError(
    `Chain ${chainId} is a fork of forks, ${origin.depth} deep, and none may be deeper. Fork it at step ${origin.steps} or before, or start a new chain and say in its task what was found.`,
  );
}

/** Its workflow would not read it. */
function checkUnpacked(chainId: string, steps: number, packed: string): void {
  const bytes = countUnpackedBytes(packed);
  if (bytes <= maxUnpackedBytes) return;
  throw new ForkError(
    `The first ${steps} steps of chain ${chainId} come to ${bytes} bytes; a fork carries ${maxUnpackedBytes} at most. Fork it at an earlier step.`,
  );
}

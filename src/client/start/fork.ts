/** Creates the start of a fork: a new chain with the first steps of another chain. */

import { countCompleteSteps, findTurnPrefix, toOrigin } from '../../core/engine/index.js';
import { countUnpackedBytes, maxUnpackedBytes, omitUndefined } from '../../core/lib/index.js';
import {
  type ChainState,
  computeForkDepth,
  type EarlierMessages,
  maxForkDepth,
  mergeDataClasses,
  type Origin,
  type StoredFile,
  toDataClasses,
  type VisibilitySource,
} from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { findVisibilityLineage } from '../../core/view/index.js';
import { ForkError } from '../errors/errors.js';
import { inheritRequester } from './inherit-requester.js';
import type { StartOptions } from './start-options.js';

/** Options of a fork. The plan is the origin's plan at the chosen step. */
export interface ForkOptions extends Omit<StartOptions, 'ifExists' | 'plan' | 'context' | 'messages'> {
  /** The origin's last step that the fork keeps, from 1. Default: its last complete step. */
  readonly atStep?: number | undefined;
  /** Message to the model before the fork continues. Required when the origin has answered. */
  readonly message?: string | undefined;
}

export interface ForkStart {
  readonly agent: string;
  readonly task: string;
  readonly origin: Origin;
  /** Files of its task. */
  readonly files: readonly StoredFile[];
  /** Messages before its task: a fork of a follow-up begins a thread of its own with the same ones. */
  readonly earlier?: EarlierMessages;
  /** Null unless the origin is a sub-chain. */
  readonly shownAs: VisibilitySource | null;
  readonly options: StartOptions;
}

/**
 * Creates the start of a fork. Tenant, user and model default to the origin's, roles too for the same user; limits default
 * to the agent's.
 *
 * @throws {ForkError} when the step does not exist, nothing is left to do after it, or the steps are too large
 */
export function createForkStart(recorded: RecordedChain, { atStep, message, ...options }: ForkOptions): ForkStart {
  const { chainId, runId, chain } = recorded;
  const { input } = chain.state;
  const complete = countCompleteSteps(chain.state);
  if (input === null || complete === 0) throw new ForkError(`Chain ${chainId} has no complete step to fork from.`);
  const steps = atStep ?? complete;
  if (!Number.isSafeInteger(steps) || steps < 1 || steps > complete) {
    const available = complete === 1 ? 'one complete step' : `${complete} complete steps`;
    throw new ForkError(`Chain ${chainId} cannot be forked at step ${steps}: it has ${available}.`);
  }
  if (message === undefined && (chain.steps[steps - 1]?.answer ?? null) !== null) {
    const problem = `Step ${steps} of chain ${chainId} is its answer. Add a message, or fork at an earlier step.`;
    throw new ForkError(problem, 'fork_needs_message');
  }
  const until = findTurnPrefix(recorded.turns, steps);
  if (until === null) throw new ForkError(`Chain ${chainId} has no step ${steps} to fork from.`);
  checkDepth(chainId, until.state);
  const origin = toOrigin({ chainId, runId }, until, steps, message ?? null);
  checkUnpacked(chainId, steps, origin.turns);
  return {
    agent: input.agent,
    task: input.task,
    origin,
    files: input.files ?? [],
    ...omitUndefined({ earlier: input.earlier }),
    shownAs: findVisibilityLineage(chainId, input),
    options: {
      ...options,
      model: options.model ?? input.model ?? undefined,
      dataClass: mergeDataClasses(toDataClasses(input.dataClasses), toDataClasses(options.dataClass)),
      ...inheritRequester(options, input),
    },
  };
}

/** The fork's workflow would reject it. */
function checkDepth(chainId: string, state: ChainState): void {
  const { origin } = state;
  if (origin === null || computeForkDepth(state) <= maxForkDepth) return;
  throw new ForkError(
    `Chain ${chainId} is a fork at depth ${origin.depth}, which is the limit. Fork it at step ${origin.steps} or earlier, or start a new chain with the findings in its task.`,
  );
}

/** The fork's workflow could not read it. */
function checkUnpacked(chainId: string, steps: number, packed: string): void {
  const bytes = countUnpackedBytes(packed);
  if (bytes <= maxUnpackedBytes) return;
  throw new ForkError(
    `The first ${steps} steps of chain ${chainId} have ${bytes} bytes; the limit of a fork is ${maxUnpackedBytes}. Fork it at an earlier step.`,
  );
}

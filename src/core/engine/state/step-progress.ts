/** The progress of a chain without a plan: the step under way, of at most so many. With a plan, its tasks count. */

import { formatCount } from '../../lib/index.js';
import type { ChainState } from '../../model/index.js';

export interface StepProgress {
  /** From 1; a fork continues the numbers of its origin. */
  readonly number: number;
  /** Number of the last step that the limit allows. */
  readonly of: number;
}

/** Returns the step under way; null before the agent is known, with a plan, and once the chain ends. */
export function findCurrentStep({ agent, origin, stop, flight, steps }: ChainState): StepProgress | null {
  if (agent === null || stop !== null || agent.strategy.name === 'plan') return null;
  const maxSteps = agent.limits.steps + (origin?.steps ?? 0);
  return { number: Math.min(maxSteps, flight.kind === 'calls' ? steps : steps + 1), of: maxSteps };
}

/** `3 of at most 12` */
export function formatStepProgress({ number, of }: StepProgress): string {
  return `${formatCount(number)} of at most ${formatCount(of)}`;
}

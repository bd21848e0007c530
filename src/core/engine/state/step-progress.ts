/** The progress of a chain without a plan: the step under way, of at most so many. With a plan, its tasks count. */

import { formatCount } from '../../lib/index.js';
import type { AgentSnapshot, ChainState } from '../../model/index.js';
import { isStepOpen } from './flight.js';

export interface StepProgress {
  /** From 1; a fork continues the numbers of its origin. */
  readonly number: number;
  /** Number of the last step that the limit allows. */
  readonly of: number;
}

/** Returns the last step that the limit allows. A fork has a limit of its own, and continues the numbers of its origin. */
export function computeLastStep(
  { origin }: Pick<ChainState, 'origin'>,
  { limits }: Pick<AgentSnapshot, 'limits'>,
): number {
  return limits.steps + (origin?.steps ?? 0);
}

/** Returns the step under way; null before the agent is known, with a plan, and once the chain ends. */
export function findCurrentStep(state: ChainState): StepProgress | null {
  const { agent, stop, steps } = state;
  if (agent === null || stop !== null || agent.strategy.name === 'plan') return null;
  const maxSteps = computeLastStep(state, agent);
  return { number: Math.min(maxSteps, isStepOpen(state) ? steps : steps + 1), of: maxSteps };
}

/** `3 of at most 12` */
export function formatStepProgress({ number, of }: StepProgress): string {
  return `${formatCount(number)} of at most ${formatCount(of)}`;
}

/** A finished chain as an example for a `react` agent. */

import { isObject, LonghandError, toValueText } from '../lib/index.js';
import { hasResult, type ReactExample, type ReactExampleStep } from '../model/index.js';
import type { FullStep, ReasoningView } from './reasoning-view.js';

/**
 * Returns a chain as an example: its task, the calls that have a result, and its answer. Failed calls, unreadable replies,
 * notices and requests to people are omitted. Each of several calls in a step becomes a step with the same thought.
 *
 * @throws {LonghandError} `not_visible` if the viewer does not see the whole chain; `invalid_options` if it has no answer
 * @example
 * const example = toExample(await longhand.getHandle('weather-17').view(createViewer('developer')));
 * defineAgent({ ...meteorologist.definition, strategy: { name: 'react', examples: [example] } });
 */
export function toExample(view: ReasoningView): ReactExample {
  const steps = listFullSteps(view);
  const answer = toValueText(view.answer).trim();
  if (view.outcome !== 'success' || answer === '') {
    throw new LonghandError(
      'invalid_options',
      `Chain ${view.chainId} has no answer (${view.outcome ?? view.state}). Choose a chain that ended as success.`,
    );
  }
  const last = steps.findLast((step) => step.kind === 'synthesis')?.number;
  return {
    task: view.task,
    steps: steps.flatMap((step) => (step.kind === 'tool_result' ? toExampleSteps(step, steps) : [])),
    ...findThought(steps, last),
    answer,
  };
}

/** The steps that belong into an example; each must be visible in full. */
function listFullSteps({ chainId, steps, answerLevel }: ReasoningView): readonly FullStep[] {
  const parts = steps.filter(({ kind }) => kind !== 'notice' && kind !== 'approval');
  const unseen = parts.find(({ level }) => level !== 'full')?.id ?? (answerLevel === 'hidden' ? 'the answer' : null);
  if (unseen === null) return parts.flatMap((step) => (step.level === 'full' ? [step] : []));
  throw new LonghandError(
    'not_visible',
    `An example needs every step in full, but the viewer does not see ${unseen} of chain ${chainId} in full. Use a viewer with a higher level.`,
  );
}

function toExampleSteps(
  result: Extract<FullStep, { kind: 'tool_result' }>,
  steps: readonly FullStep[],
): readonly ReactExampleStep[] {
  const call = steps.find((step) => step.kind === 'tool_call' && step.correlationId === result.correlationId);
  if (call?.kind !== 'tool_call' || !isObject(call.input) || !hasResult(result.status)) return [];
  const { tool: action, input } = call;
  return [{ ...findThought(steps, call.number), action, input, observation: result.observation }];
}

function findThought(steps: readonly FullStep[], number: number | undefined): { readonly thought?: string } {
  const thinking = steps.find((step) => step.kind === 'thinking' && step.number === number);
  return thinking?.kind === 'thinking' && thinking.thought !== null ? { thought: thinking.thought } : {};
}

/** What a chain with `reflection` adds to the status of its requests: learnings, the last reflection, a suggestion after failures. */

import { shorten, shortenToBytes, toOneLine } from '../lib/index.js';
import {
  type AgentSnapshot,
  type CallFallback,
  type CallStatus,
  type Chain,
  findQuestionTool,
  hasResult,
  type Reflection,
  type Step,
  statusBytes,
} from '../model/index.js';

/** Learnings and characters of each text that a request contains. */
const maxShownLearnings = 5;
const maxTextLength = 300;

/** Returns the newest learnings of a chain, the newest last. */
export function listLearnings({ notices }: Chain): readonly string[] {
  return notices
    .filter(({ code }) => code === 'learned')
    .slice(-maxShownLearnings)
    .map(({ text }) => shorten(toOneLine(text), maxTextLength));
}

export function renderReflection(chain: Chain, agent: AgentSnapshot, { fallbacks }: Reflection): readonly string[] {
  const last = chain.notices.findLast(({ code }) => code === 'reflected');
  // The suggestion first: what is too long is cut at its end.
  const lines = [
    ...suggestFallback(chain.steps, agent, fallbacks),
    ...(last === undefined
      ? []
      : [`Reflection after step ${last.step}: ${shorten(toOneLine(last.text), 2 * maxTextLength)}`]),
    ...listLearnings(chain).map((text) => `Learned: ${text}`),
  ];
  return lines.length === 0 ? [] : [shortenToBytes(lines.join('\n'), statusBytes.reflection)];
}

/** The n-th step in a row without a result gets the n-th suggestion, and each later one the last. */
function suggestFallback(
  steps: readonly Step[],
  { tools }: AgentSnapshot,
  fallbacks: readonly CallFallback[],
): readonly string[] {
  const failed = countFailedSteps(steps);
  const question = findQuestionTool(tools);
  const ladder = fallbacks.filter((fallback) => fallback !== 'ask_user' || question !== null);
  const chosen = ladder[Math.min(failed, ladder.length) - 1];
  if (chosen === undefined) return [];
  const text = chosen === 'ask_user' ? `Ask the user with \`${question}\`.` : suggestions[chosen];
  return [`${failed === 1 ? 'The last step' : `The last ${failed} steps`} failed. ${text}`];
}

const suggestions: { readonly [fallback in Exclude<CallFallback, 'ask_user'>]: string } = {
  retry: 'Try again, with corrected arguments.',
  other_tool: 'Use another tool.',
  other_way: 'Find another way to the goal.',
  partial_answer: 'Answer with what you have, and name what is missing.',
};

/** What a person or a rule refused is no failure to work around. */
const failedStatuses: ReadonlySet<CallStatus> = new Set<CallStatus>(['error', 'unknown', 'abandoned']);

/** Counts the newest steps that failed: no call has a result, and one has an error. A reply that could not be read is one. */
function countFailedSteps(steps: readonly Step[]): number {
  const worked = steps.findLastIndex(
    ({ calls, problem }) =>
      problem === null &&
      (calls.some(({ status }) => hasResult(status)) || !calls.some(({ status }) => failedStatuses.has(status))),
  );
  return steps.length - 1 - worked;
}

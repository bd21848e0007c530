/** The correction of an answer that does not match the output schema. */

import { shorten } from '../../lib/index.js';
import type { AgentSnapshot } from '../../model/index.js';
import { findFinishTool } from './control-tools.js';

const problemStart = 'The answer does not match its schema.';
const maxLines = 20;
/** Of a line: the model's own words may be in it. */
const maxCharacters = 500;

/** @param problem what is wrong: one line for each place */
export function renderAnswerProblem(agent: Pick<AgentSnapshot, 'strategy'>, problem: string): string {
  const again = `${problemStart} Give the whole answer again, ${describeForm(agent)}.`;
  const lines = problem.split('\n').map((line) => shorten(line, maxCharacters));
  // One more line instead of the count of it: a problem that was shortened before stays as it is.
  if (lines.length <= maxLines + 1) return [again, ...lines].join('\n');
  return [again, ...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more`].join('\n');
}

/** The correction of a text where only a call of the finish tool may give the answer. */
export function renderFinishNeeded(agent: Pick<AgentSnapshot, 'strategy'>): string {
  return `${problemStart} Give the whole answer ${describeForm(agent)}.`;
}

/** Returns what was wrong with an answer; null for any other correction. */
export function parseAnswerProblem(problem: string | null): string | null {
  if (!problem?.startsWith(problemStart)) return null;
  return problem.split('\n').slice(1).join('\n');
}

function describeForm({ strategy }: Pick<AgentSnapshot, 'strategy'>): string {
  const finish = findFinishTool(strategy);
  if (finish !== null) return `with a call of \`${finish}\``;
  if (strategy.name === 'custom') return 'as one JSON object, in the required format';
  return strategy.name === 'react'
    ? 'as one JSON object after "Final Answer:"'
    : 'as one JSON object without other text';
}

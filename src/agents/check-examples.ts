/** Validates the examples of a `react` agent: an example that breaks the agent's own rules would teach the model to. */

import { check, findNearest, formatCount } from '../core/lib/index.js';
import {
  defaults,
  type ReactExample,
  type ReactExampleStep,
  type ReactOptions,
  type StrategyOptions,
} from '../core/model/index.js';
import { findThoughtProblem, renderExamples, renderSolvedTasks } from '../core/strategies/index.js';
import type { Tool, ToolSource } from '../tools/define/index.js';
import type { AgentDefinition } from './agent-definition.js';

const checkJson = check.define((value) => {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    // A circle, or a number without a JSON form.
    return false;
  }
}, 'must be a JSON value');

const checkStep = requireMembers(
  check.members<ReactExampleStep>({
    thought: check.text,
    action: check.nonEmptyText,
    input: (input, at) => check.object(input, at) ?? checkJson(input, at),
    observation: checkJson,
  }),
  ['action', 'input', 'observation'],
);

const checkExample = requireMembers(
  check.members<ReactExample>({
    task: check.nonEmptyText,
    steps: check.list(checkStep),
    thought: check.text,
    answer: check.nonEmptyText,
  }),
  ['task', 'steps', 'answer'],
);

/** Checks the form of examples. */
export const checkExamples = check.refine(
  check.list(checkExample),
  ({ length }) => length <= defaults.maxExamples,
  ({ length }) => `has ${length} examples; the limit is ${defaults.maxExamples}. Keep those that differ most`,
);

function requireMembers<T extends object>(
  check: check.Check<Partial<T>>,
  members: readonly (keyof T & string)[],
): check.ValueCheck {
  return (value, at) => {
    const problem = check(value, at);
    const missing = members.find((member) => Object(value)[member] === undefined);
    return problem ?? (missing === undefined ? null : `${at}.${missing} is missing`);
  };
}

/**
 * Returns the instructions of an agent. The examples of its prompt are part of them, except with the strategy `react`, which shows
 * them in its own format.
 */
export function renderInstructions(
  { prompt, instructions = '' }: Pick<AgentDefinition, 'prompt' | 'instructions'>,
  strategy: StrategyOptions['name'],
): string {
  const examples = prompt === undefined || strategy === 'react' ? '' : renderSolvedTasks(prompt.examples);
  return [prompt?.instructions ?? instructions, examples].filter((part) => part !== '').join('\n\n');
}

/**
 * Returns how examples break the rules of their agent, as a sentence without its full stop, or null.
 *
 * @param options with the examples of the prompt first
 * @param ofPrompt number of examples of the prompt
 * @param tools by name
 */
export function validateExamples(
  options: ReactOptions,
  ofPrompt: number,
  tools: ReadonlyMap<string, Tool>,
  sources: readonly ToolSource[],
): string | null {
  const place = (at: number) => (at < ofPrompt ? `prompt.examples.${at}` : `strategy.examples.${at - ofPrompt}`);
  const { length } = renderExamples(options);
  if (length > defaults.exampleCharacters) {
    return `${ofPrompt === 0 ? 'strategy' : 'prompt'}.examples have ${formatCount(length)} characters in the prompt; the limit is ${formatCount(defaults.exampleCharacters)}. Shorten their observations, or leave out examples`;
  }
  return check.findFirst(options.examples, ({ steps }, at) =>
    check.findFirst(steps, (step, index) =>
      validateStep(step, `${place(at)}.steps.${index}`, options, { tools, sources }),
    ),
  );
}

function validateStep(
  { thought, action, input }: ReactExampleStep,
  at: string,
  { requireThought, minThoughtLength }: ReactOptions,
  { tools, sources }: { readonly tools: ReadonlyMap<string, Tool>; readonly sources: readonly ToolSource[] },
): string | null {
  const problem = requireThought ? findThoughtProblem(thought ?? null, minThoughtLength) : null;
  if (problem !== null) return `${at}.thought ${problem}`;
  const tool = tools.get(action);
  // The tools of a source are unknown here.
  if (tool === undefined && sources.some(({ prefix }) => action.startsWith(prefix))) return null;
  if (tool === undefined) {
    const meant = findNearest(action, [...tools.keys()]);
    const has = tools.size === 0 ? 'it has no tools' : `expected ${[...tools.keys()].join(', ')}`;
    return `${at}.action ${JSON.stringify(action)} is not a tool of the agent; ${meant === null ? has : `you may mean ${meant}`}`;
  }
  const invalid = tool.validateInput(input);
  return invalid === null ? null : `${at}.input is invalid for ${action}: ${invalid.replaceAll('\n', '; ')}`;
}

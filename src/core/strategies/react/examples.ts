/**
 * Examples in the system prompt of a `react` agent, with the agent's own tags. Each is between two marks (F1): no text in it
 * can be taken for a part of the chain.
 */

import { frameText, renderLabelledText, toValueText } from '../../lib/index.js';
import type { AgentSnapshot, ReactExample, ReactExampleStep, ReactOptions } from '../../model/index.js';
import { createCallExample } from '../call-example.js';
import { reactDefaults } from '../strategy.js';

/** Returns an empty text without examples. */
export function renderExamples(options: ReactOptions, head = examplesHead): string {
  if (options.examples.length === 0) return '';
  const examples = options.examples.map(
    (example, at) => `Example ${at + 1}: ${frameText(renderExample(example, options))}`,
  );
  return [head, ...examples].join('\n\n');
}

/** Renders the examples of an agent of another strategy, for its instructions: its model does not write them. */
export function renderSolvedTasks(examples: readonly ReactExample[]): string {
  const labels = { ...reactDefaults, actionTag: 'Call', observationTag: 'Result', examples };
  return renderExamples(labels, solvedTasksHead);
}

/** Renders a call of one of the agent's own tools; empty where it shows none. */
export function renderCallExample(agent: AgentSnapshot, options: ReactOptions): string {
  const example = createCallExample(agent);
  if (example === null) return '';
  const thought = `To continue, I need a result of ${example.tool}.`;
  return `An example of the format with one of your tools. Its arguments are made up:

${options.thoughtTag}: ${thought}
${options.actionTag}: ${example.tool}
${options.actionTag} Input: ${JSON.stringify(example.input)}`;
}

const examplesHead = `These examples show the format with other tasks. Each is between two marks, and none is part of your conversation. NEVER use
an observation or an answer of an example for your own task.`;

const solvedTasksHead = `These examples show how other tasks were solved. Each is between two marks, and none is part of your conversation. Make your own calls
as your tools require, not as this text. NEVER use a result or an answer of an example for your own task.`;

function renderExample({ task, steps, thought, answer }: ReactExample, options: ReactOptions): string {
  return [
    renderLabelledText('Task', task.trim()),
    ...steps.flatMap((step) => renderStep(step, options)),
    ...renderThought(thought, options),
    `Final Answer: ${answer.trim()}`,
  ].join('\n');
}

function renderStep({ thought, action, input, observation }: ReactExampleStep, options: ReactOptions) {
  const { actionTag, observationTag } = options;
  return [
    ...renderThought(thought, options),
    `${actionTag}: ${action}`,
    `${actionTag} Input: ${JSON.stringify(input)}`,
    renderLabelledText(observationTag, toValueText(observation)),
  ];
}

/** A thought has no marks, and neither has an answer: the model writes them without. */
function renderThought(thought: string | undefined, { thoughtTag }: ReactOptions): readonly string[] {
  const text = thought?.trim() ?? '';
  return text === '' ? [] : [`${thoughtTag}: ${text}`];
}

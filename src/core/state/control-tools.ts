/** The tools by which a model tells of its plan. Nobody runs them: what they say changes the chain itself. */

import type { JsonObject } from '../lib/json.js';
import type { PlanOptions } from '../model/agent.js';
import type { ToolSpec } from '../model/model.js';

const names = ['make_plan', 'revise_plan', 'start_task', 'complete_task', 'fail_task', 'finish'] as const;

export type ControlTool = (typeof names)[number];

/** An agent by the strategy `plan` has no tools of these names. */
export const controlTools: readonly string[] = names;

export function controlTool(name: string): ControlTool | null {
  return names.find((each) => each === name) ?? null;
}

/** Those that an agent is given: one that plans nothing may still revise. */
export function controlToolsOf({ planning }: Pick<PlanOptions, 'planning'>): readonly ToolSpec[] {
  return names.filter((name) => planning || name !== 'make_plan').map((name) => ({ name, ...specs[name] }));
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const id = text('The id of the task.');

const tasks: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: text('Short, and its own: `read_code`.'),
      description: text('What is done when the task is completed.'),
      depends_on: { type: 'array', items: { type: 'string' }, description: 'Ids of the tasks to be completed first.' },
      tools: { type: 'array', items: { type: 'string' }, description: 'Names of the tools that it will likely need.' },
    },
    required: ['id', 'description'],
    additionalProperties: false,
  },
};

const specs: Readonly<Record<ControlTool, Omit<ToolSpec, 'name'>>> = {
  make_plan: {
    description: 'Make the plan: the tasks that reaching the goal takes, and which of them wait for which.',
    inputSchema: object({ tasks }),
  },
  revise_plan: {
    description:
      'Make the plan anew, when what you have learned asks for it. The tasks given here take the place of all that are not completed.',
    inputSchema: object({ reason: text('Why, in a sentence.'), tasks }),
  },
  start_task: {
    description: 'Say which task you work on from now on.',
    inputSchema: object({ id }),
  },
  complete_task: {
    description: 'Say that a task is completed, and what it came to.',
    inputSchema: object({ id, result: text('What it came to, as far as later tasks need it.') }),
  },
  fail_task: {
    description: 'Say that a task cannot be completed as it stands.',
    inputSchema: object({ id, error: text('What stands in the way.') }),
  },
  finish: {
    description: 'End the work with the final answer, once all tasks have ended.',
    inputSchema: {
      ...object({ result: text('The final answer.') }),
      properties: {
        result: text('The final answer.'),
        unfinished: text('Only where tasks are left: why they are not done.'),
      },
    },
  },
};

function object(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The tools by which a model tells of its plan. Nobody runs them: what they say changes the chain itself. */

import type { JsonObject } from '../lib/json.js';
import type { PlanOptions } from '../model/agent.js';
import type { ToolSpec } from '../model/model.js';

const controlToolNames = ['make_plan', 'revise_plan', 'start_task', 'complete_task', 'fail_task', 'finish'] as const;

export type ControlTool = (typeof controlToolNames)[number];

/** An agent by the strategy `plan` has no tools of these names. */
export const controlTools: readonly string[] = controlToolNames;

export function findControlTool(name: string): ControlTool | null {
  return controlToolNames.find((each) => each === name) ?? null;
}

/** Those that an agent is given: one that plans nothing may still revise. */
export function listControlTools({ planning }: Pick<PlanOptions, 'planning'>): readonly ToolSpec[] {
  return controlToolNames.filter((name) => planning || name !== 'make_plan').map((name) => ({ name, ...specs[name] }));
}

const toTextSchema = (description: string): JsonObject => ({ type: 'string', description });
const idSchema = toTextSchema('The id of the task.');

const tasksSchema: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: toTextSchema('Short, and its own: `read_code`.'),
      description: toTextSchema('What is done when the task is completed.'),
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
    inputSchema: toObjectSchema({ tasks: tasksSchema }),
  },
  revise_plan: {
    description:
      'Make the plan anew, when what you have learned asks for it. The tasks given here take the place of all that are not completed.',
    inputSchema: toObjectSchema({ reason: toTextSchema('Why, in a sentence.'), tasks: tasksSchema }),
  },
  start_task: {
    description: 'Say which task you work on from now on.',
    inputSchema: toObjectSchema({ id: idSchema }),
  },
  complete_task: {
    description: 'Say that a task is completed, and what it came to.',
    inputSchema: toObjectSchema({
      id: idSchema,
      result: toTextSchema('What it came to, as far as later tasks need it.'),
    }),
  },
  fail_task: {
    description: 'Say that a task cannot be completed as it stands.',
    inputSchema: toObjectSchema({ id: idSchema, error: toTextSchema('What stands in the way.') }),
  },
  finish: {
    description: 'End the work with the final answer, once all tasks have ended.',
    inputSchema: {
      ...toObjectSchema({ result: toTextSchema('The final answer.') }),
      properties: {
        result: toTextSchema('The final answer.'),
        unfinished: toTextSchema('Only where tasks are left: why they are not done.'),
      },
    },
  },
};

function toObjectSchema(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Control tools, with which the model changes its plan. They are not executed: the chain applies them itself. */

import type { JsonObject } from '../lib/json.js';
import type { PlanOptions } from '../model/agent.js';
import type { ToolSpec } from '../model/model.js';

const controlToolNames = ['make_plan', 'revise_plan', 'start_task', 'complete_task', 'fail_task', 'finish'] as const;

export type ControlTool = (typeof controlToolNames)[number];

/** Reserved names: an agent with the strategy `plan` cannot have tools of these names. */
export const controlTools: readonly string[] = controlToolNames;

export function findControlTool(name: string): ControlTool | null {
  return controlToolNames.find((each) => each === name) ?? null;
}

/** Returns the control tools of an agent. Without planning it may still revise. */
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
      id: toTextSchema('Short and unique, such as `read_code`.'),
      description: toTextSchema('What is done when the task is completed.'),
      depends_on: { type: 'array', items: { type: 'string' }, description: 'Ids of tasks to complete first.' },
      tools: { type: 'array', items: { type: 'string' }, description: 'Names of the tools it will likely need.' },
    },
    required: ['id', 'description'],
    additionalProperties: false,
  },
};

const specs: Readonly<Record<ControlTool, Omit<ToolSpec, 'name'>>> = {
  make_plan: {
    description: 'Make the plan: the tasks needed to reach the goal, with their dependencies.',
    inputSchema: toObjectSchema({ tasks: tasksSchema }),
  },
  revise_plan: {
    description:
      'Replace the plan when new information requires it. The given tasks replace all tasks that are not completed.',
    inputSchema: toObjectSchema({ reason: toTextSchema('The reason, in one sentence.'), tasks: tasksSchema }),
  },
  start_task: {
    description: 'Start a task: your next steps belong to it.',
    inputSchema: toObjectSchema({ id: idSchema }),
  },
  complete_task: {
    description: 'Report that a task is completed, with its result.',
    inputSchema: toObjectSchema({
      id: idSchema,
      result: toTextSchema('The result, as far as later tasks need it.'),
    }),
  },
  fail_task: {
    description: 'Report that a task cannot be completed as planned.',
    inputSchema: toObjectSchema({ id: idSchema, error: toTextSchema('What prevents it.') }),
  },
  finish: {
    description: 'End the work with the final answer, when all tasks have ended.',
    inputSchema: {
      ...toObjectSchema({ result: toTextSchema('The final answer.') }),
      properties: {
        result: toTextSchema('The final answer.'),
        unfinished: toTextSchema('Only if tasks are left: why they are not done.'),
      },
    },
  },
};

function toObjectSchema(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

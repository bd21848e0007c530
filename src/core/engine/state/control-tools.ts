/**
 * Control tools, with which the model changes its plan and ends the chain. They are not executed: the chain applies them
 * itself.
 */

import { findOwn, isObject, type Json, type JsonObject, toValueText } from '../../lib/index.js';
import {
  type KnownTool,
  maxLearnings,
  type PlanOptions,
  type Reading,
  type RequestedCall,
  type StrategyOptions,
  type ToolSpec,
  taskComplexities,
} from '../../model/index.js';

const controlToolNames = [
  'make_plan',
  'revise_plan',
  'review_plan',
  'start_task',
  'complete_task',
  'fail_task',
  'finish',
] as const;

export type ControlTool = (typeof controlToolNames)[number];

/** Reserved names: an agent with the strategy `plan` cannot have tools of these names. */
export const controlTools: readonly string[] = controlToolNames;

export function findControlTool(name: string): ControlTool | null {
  return controlToolNames.find((controlToolName) => controlToolName === name) ?? null;
}

/** Returns the control tools of an agent. Without planning it may still revise. */
export function listControlTools(
  { planning, reflection }: Pick<PlanOptions, 'planning' | 'reflection'>,
  outputSchema?: JsonObject,
): readonly ToolSpec[] {
  const omitted: readonly ControlTool[] = [
    ...(planning ? [] : (['make_plan'] as const)),
    ...(reflection ? [] : (['review_plan'] as const)),
  ];
  return controlToolNames
    .filter((name) => !omitted.includes(name))
    .map((name) => ({
      name,
      ...specs[name],
      ...(name === 'finish' && outputSchema !== undefined ? { inputSchema: createFinishSchema(outputSchema) } : {}),
    }));
}

/** The tool with which the strategies `tools` and `autonomous` fail, where their agent permits it. */
export const cannotComplete: ToolSpec = {
  name: 'cannot_complete',
  description: 'End the work because the task cannot be completed. Never present a guess as an answer instead.',
  inputSchema: toObjectSchema({ reason: toTextSchema('The reason, and what was found.') }),
};

/** Returns the names of the tools that end the chain. */
export function listFinishTools(strategy: StrategyOptions): readonly string[] {
  const finish = findFinishTool(strategy);
  const fails = (strategy.name === 'tools' || strategy.name === 'autonomous') && strategy.canFail === true;
  return [...(finish === null ? [] : [finish]), ...(fails ? [cannotComplete.name] : [])];
}

/** Returns the call that ends the chain, or null. A rejected call does not. */
export function findFinishCall<C extends Pick<RequestedCall, 'tool' | 'rejected'>>(
  strategy: StrategyOptions,
  calls: readonly C[],
): C | null {
  const names = listFinishTools(strategy);
  return calls.find(({ tool, rejected }) => names.includes(tool) && rejected === null) ?? null;
}

/** Reads the answer or the failure of a call that ends the chain. */
export function readFinishCall({
  tool,
  input,
}: Pick<RequestedCall, 'tool' | 'input'>): Pick<Reading, 'answer' | 'failure'> {
  if (tool !== cannotComplete.name) return readFinish(input);
  return { answer: null, failure: readReason(input) };
}

function readReason(input: Json): string {
  const reason = isObject(input) ? findOwn(input, 'reason') : null;
  return toValueText(reason ?? '').trim() || 'The model gave no reason.';
}

/** Returns the name of the finish tool; null if a text ends the chain. */
export function findFinishTool(strategy: StrategyOptions): string | null {
  if (strategy.name === 'autonomous') return strategy.finishToolName;
  return strategy.name === 'plan' ? ('finish' satisfies ControlTool) : null;
}

/** Returns the control tools of a chain as readers know tools: the kinds `plan` and `finish`. */
export function listControlViews(strategy: StrategyOptions | undefined): readonly KnownTool[] {
  const finish = strategy === undefined ? [] : listFinishTools(strategy);
  const names: readonly string[] = strategy?.name === 'plan' ? controlToolNames : finish;
  return names.map((name) => ({ name, kind: finish.includes(name) ? 'finish' : 'plan', view: {} }));
}

/** Reads the arguments of a finish call. Without a result, a failure has no findings and a success an empty answer. */
export function readFinish(input: Json): Pick<Reading, 'answer' | 'failure'> {
  if (!isObject(input)) return { answer: input };
  const result = findOwn(input, 'result') ?? null;
  const success = findOwn(input, 'success');
  if (success !== false && success !== 'false') return { answer: result ?? '' };
  return { answer: result, failure: readReason(input) };
}

/** Returns the schema of a finish tool: its result is a text, or a value of the output schema, which a failure does not need. */
export function createFinishSchema(outputSchema?: JsonObject): JsonObject {
  const success: JsonObject = { type: 'boolean', default: true, description: 'Whether the task is completed.' };
  const reason = toTextSchema('Only if the task, or a part of it, is not completed: the reason.');
  if (outputSchema === undefined) {
    const properties = { result: toTextSchema('The final answer.'), success, reason };
    return { type: 'object', properties, required: ['result'], additionalProperties: false };
  }
  const { $defs, ...result } = moveRootReferences(outputSchema) as JsonObject;
  return {
    type: 'object',
    properties: { result, success, reason },
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
  };
}

/** References to the whole schema: it becomes a member of another. */
function moveRootReferences(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moveRootReferences);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) =>
      name === '$ref' && value === '#' ? [name, '#/properties/result'] : [name, moveRootReferences(value)],
    ),
  );
}

function toTextSchema(description: string): JsonObject {
  return { type: 'string', description };
}

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
      complexity: { type: 'string', enum: taskComplexities, description: 'Your estimate.' },
      why: toTextSchema('Why the goal needs it, in a short sentence.'),
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
  review_plan: {
    description: 'When you check the plan: record what you learned, and your assessment of the progress.',
    inputSchema: toObjectSchema({
      learned: {
        type: 'array',
        items: { type: 'string' },
        description: `What you learned that matters for the rest of the work: at most ${maxLearnings} short sentences.`,
      },
      assessment: toTextSchema('How far the goal is reached, and whether the plan is still right. One sentence.'),
    }),
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
    inputSchema: createFinishSchema(),
  },
};

function toObjectSchema(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

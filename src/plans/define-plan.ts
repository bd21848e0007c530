/** Defines plan templates: plans with parameters. The definition is validated here, so that every task can start. */

import type { z } from 'zod';
import { maxTaskTextLength, validateTasks } from '../core/engine/index.js';
import {
  check,
  findNearest,
  findOwn,
  isObject,
  type Json,
  type JsonObject,
  LonghandError,
  omitUndefined,
  shorten,
  toValueText,
} from '../core/lib/index.js';
import type { PlannedTask, PlanTemplate, TaskComplexity } from '../core/model/index.js';
import { createDefinitionErrorFactory, toJsonSchema, validateInput, validateSchema } from '../tools/define/index.js';

export interface PlanTaskDefinition {
  /** Short and unique in the plan template: `reproduce`. */
  readonly id: string;
  /** The work, and its result. */
  readonly description: string;
  /** Ids of the tasks that must be completed first. Default: the previous task; `[]` for none. */
  readonly dependsOn?: readonly string[];
  /** Names of the tools that it probably needs. */
  readonly tools?: readonly string[];
  /** Names of the tools whose calls always need approval while this task is in progress. */
  readonly confirm?: readonly string[];
  /** An estimate, for people and the model. */
  readonly complexity?: TaskComplexity;
  /** Free data for readers and programs, which the model does not see. */
  readonly metadata?: JsonObject;
}

export interface PlanDefinitionOptions<S extends z.ZodType = z.ZodType> {
  /** Its name on the command line: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** One sentence for people. */
  readonly description: string;
  /** An object schema; describe its members. */
  readonly parameters: S;
  /**
   * Template of the chain's task. `{error}` is replaced by the parameter of that name, here and in the steps. A line with a
   * parameter that was not given is omitted.
   */
  readonly goal: string;
  readonly steps: readonly PlanTaskDefinition[];
}

/** The task and the plan to start a chain with: `longhand.start(agent, task, { plan })`. */
export interface PlanStart {
  readonly task: string;
  readonly plan: PlanTemplate;
}

/** A validated plan template. */
export interface PlanDefinition<Parameters = unknown> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly parameters: JsonObject;
  readonly goal: string;
  /** The tasks, with places for parameters. */
  readonly steps: readonly PlannedTask[];
  /** Returns what is wrong with the parameters, one line for each fault, or null. */
  readonly validateParameters: (parameters: unknown) => string | null;
  // A method, so that plan templates with different parameters fit into one list.
  /** @throws {LonghandError} `invalid_plan` for invalid parameters */
  plan(parameters: Parameters): PlanStart;
}

/** Checks only for unknown members: `validateTasks` checks the planned task. */
const checkTask = check.members<PlanTaskDefinition>({
  ...check.elsewhere('id', 'description', 'dependsOn', 'tools', 'confirm', 'complexity', 'metadata'),
});
const checkOptions = check.members<PlanDefinitionOptions>({
  name: check.anything,
  description: check.nonEmptyText,
  parameters: validateSchema,
  goal: check.nonEmptyText,
  steps: check.list(checkTask),
});

/**
 * Defines a plan template for agents with the strategy `plan`.
 *
 * @throws an error with what is wrong and the fix
 * @example
 * export const upgrade = definePlan({
 *   name: 'upgrade_package',
 *   description: 'Upgrades a package to a new version.',
 *   parameters: z.object({ package: z.string(), version: z.string().default('latest') }),
 *   goal: 'Upgrade {package} to {version}, and fix what breaks.',
 *   steps: [
 *     { id: 'read', description: 'Find out what {version} changes.' },
 *     { id: 'upgrade', description: 'Upgrade it.', tools: ['shell_exec'], confirm: ['shell_exec'] },
 *     { id: 'test', description: 'Run the tests and fix what fails.', tools: ['run_tests', 'file_edit'] },
 *   ],
 * });
 */
export function definePlan<S extends z.ZodType>(definition: PlanDefinitionOptions<S>): PlanDefinition<z.input<S>> {
  const complain = createDefinitionErrorFactory('definePlan', definition);
  const { name, description, parameters, goal } = definition;
  const missing = (['description', 'parameters', 'goal', 'steps'] as const).find(
    (member) => definition[member] === undefined,
  );
  if (missing !== undefined) throw complain(`\`${missing}\` is missing.`);
  const mistake = checkOptions(definition, '');
  if (mistake !== null) throw complain(`${mistake}.`);
  const schema = toJsonSchema(parameters, 'parameters', complain);
  const steps = definition.steps.map((step, index) => toPlannedTask(step, definition.steps[index - 1]));
  const misplaced =
    validateTasks(steps, 'steps') ??
    validatePlaces(schema, goal, 'goal') ??
    check.findFirst(steps, (step) => validatePlaces(schema, step.description, `the description of ${step.id}`));
  if (misplaced !== null) throw complain(`${misplaced}.`);
  return {
    name,
    description: description.trim(),
    parameters: schema,
    goal,
    steps,
    validateParameters: (values) => validateInput(parameters, values),
    plan: (input) => {
      const problem = validateInput(parameters, input);
      if (problem !== null)
        throw new LonghandError('invalid_plan', `Invalid parameters of the plan template ${name}. ${problem}`);
      const values = toJsonObject(parameters.parse(input));
      const tasks = steps.map((step) => ({
        ...step,
        description: shorten(fillPlaces(step.description, values), maxTaskTextLength),
      }));
      return { task: fillPlaces(goal, values), plan: { name, tasks } };
    },
  };
}

function toPlannedTask(planTaskDefinition: PlanTaskDefinition, before: PlanTaskDefinition | undefined): PlannedTask {
  const { id, description, dependsOn, tools = [], confirm = [], complexity, metadata } = planTaskDefinition;
  return {
    id,
    description,
    dependsOn: dependsOn ?? (before === undefined ? [] : [before.id]),
    tools,
    confirm,
    ...omitUndefined({ complexity, metadata }),
  };
}

/** Rejects places without a parameter, and texts that are empty without their optional parameters. */
function validatePlaces(schema: JsonObject, text: string, at: string): string | null {
  const properties = findOwn(schema, 'properties');
  const known = isObject(properties) ? properties : {};
  const stranger = listPlaces(text).find((name) => findOwn(known, name) === undefined);
  if (stranger !== undefined) {
    const names = Object.keys(known);
    const meant = findNearest(stranger, names);
    const help = meant === null ? `the parameters are: ${names.join(', ') || 'none'}` : `you may mean {${meant}}`;
    return `${at} has {${stranger}}, which is not a parameter; ${help}`;
  }
  const required = findOwn(schema, 'required') ?? [];
  const requiredPairs = Object.entries(known).filter(([name, member]) => {
    return (
      (Array.isArray(required) && required.includes(name)) ||
      (isObject(member) && findOwn(member, 'default') !== undefined)
    );
  });
  if (fillPlaces(text, Object.fromEntries(requiredPairs.map(([name]) => [name, 'x']))) !== '') return null;
  return `${at} is empty without ${listPlaces(text).join(' and ')}: add a line without it`;
}

/** Converts parsed parameters, which may contain any type, to JSON. */
function toJsonObject(value: unknown): JsonObject {
  const json = JSON.parse(JSON.stringify(value)) as Json;
  return isObject(json) ? json : {};
}

/** Places for parameters in a text: `Fix: {error}`. */
const placePattern = /\{([A-Za-z_]\w*)\}/g;

/** Names of the parameters that a text has places for. */
function listPlaces(text: string): readonly string[] {
  return [...text.matchAll(placePattern)].map(([, name = '']) => name);
}

/** Fills the places of a text; places within parameters are kept. Lines without their parameter are omitted. */
function fillPlaces(text: string, parameters: JsonObject): string {
  const lines = text
    .split('\n')
    .filter((line) => listPlaces(line).every((name) => findOwn(parameters, name) !== undefined));
  return lines
    .join('\n')
    .replace(placePattern, (_place, name: string) => formatValue(findOwn(parameters, name) ?? ''))
    .trim();
}

function formatValue(value: Json): string {
  return Array.isArray(value) ? value.map(toValueText).join(', ') : toValueText(value);
}

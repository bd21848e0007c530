/**
 * Makes a plan template of its definition: a plan for tasks of one kind, with places for what differs between them. The definition
 * is checked here: a step that waits for a missing one would never begin.
 */

import type { z } from 'zod';
import {
  checkList,
  checkMembers,
  checkNonEmptyText,
  findFirstProblem,
  type ValueCheck,
} from '../../core/lib/check-value.js';
import { shorten } from '../../core/lib/display.js';
import { findOwn, isObject, type Json, type JsonObject, toValueText } from '../../core/lib/json.js';
import { findNearest } from '../../core/lib/nearest.js';
import type { PlannedTask, PlanTemplate } from '../../core/model/plan.js';
import { maxTaskTextLength } from '../../core/plan/normalize-tasks.js';
import { validateTasks } from '../../core/plan/validate-plan.js';
import { validateInput } from '../../tools/define/define-tool.js';
import { createDefinitionErrorFactory } from '../../tools/define/definition-error.js';
import { toJsonSchema, validateSchema } from '../../tools/define/json-schema.js';

export interface PlanTaskDefinition {
  /** Short, and its own within the plan template: `reproduce`. */
  readonly id: string;
  /** What is done when the step is completed. */
  readonly description: string;
  /** Ids of the steps that must be completed first. Default: the step before; `[]` for none. */
  readonly dependsOn?: readonly string[];
  /** Names of the tools that it will most likely need. */
  readonly tools?: readonly string[];
  /** Names of the tools whose calls a person approves while this step is worked on, whatever else says. */
  readonly confirm?: readonly string[];
}

export interface PlanDefinitionOptions<S extends z.ZodType = z.ZodType> {
  /** Letters, digits, `_` and `-`, at most 64: what it is called on the command line. */
  readonly name: string;
  /** For people: what it does, in a sentence. */
  readonly description: string;
  /** An object schema; describe its members. */
  readonly parameters: S;
  /**
   * The task that the agent is given. `{error}` stands for the parameter of that name, here and in the steps. A line that
   * has a parameter which was left out is left out as a whole.
   */
  readonly goal: string;
  readonly steps: readonly PlanTaskDefinition[];
}

/** A task for an agent, and the plan to begin it with: `longhand.start(agent, task, { plan })`. */
export interface PlanStart {
  readonly task: string;
  readonly plan: PlanTemplate;
}

/** A plan template that was checked. */
export interface PlanDefinition<Parameters = unknown> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly parameters: JsonObject;
  readonly goal: string;
  /** As a plan has them, with places for parameters. */
  readonly steps: readonly PlannedTask[];
  /** What is wrong with parameters, one fault a line, or null. */
  readonly validateParameters: (parameters: unknown) => string | null;
  // A method: plan templates of all parameters stand in one list.
  /** @throws {TypeError} for parameters that are not right */
  plan(parameters: Parameters): PlanStart;
}

const checkedElsewhere: ValueCheck = () => null;
/** Looked at as what becomes of it. */
const taskCheck = checkMembers<PlanTaskDefinition>({
  id: checkedElsewhere,
  description: checkedElsewhere,
  dependsOn: checkedElsewhere,
  tools: checkedElsewhere,
  confirm: checkedElsewhere,
});
const optionsCheck = checkMembers<PlanDefinitionOptions>({
  name: checkedElsewhere,
  description: checkNonEmptyText,
  parameters: validateSchema,
  goal: checkNonEmptyText,
  steps: checkList(taskCheck),
});

/**
 * Defines a plan template: a plan that agents with the strategy `plan` can be started with.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * export const upgrade = definePlan({
 *   name: 'upgrade_package',
 *   description: 'Raises a package to a new version.',
 *   parameters: z.object({ package: z.string(), version: z.string().default('latest') }),
 *   goal: 'Raise {package} to {version}, and mend what breaks.',
 *   steps: [
 *     { id: 'read', description: 'Find out what {version} changes.' },
 *     { id: 'raise', description: 'Raise it.', tools: ['shell_exec'], confirm: ['shell_exec'] },
 *     { id: 'test', description: 'Run the tests and mend what fails.', tools: ['run_tests', 'file_edit'] },
 *   ],
 * });
 */
export function definePlan<S extends z.ZodType>(definition: PlanDefinitionOptions<S>): PlanDefinition<z.input<S>> {
  const complain = createDefinitionErrorFactory('definePlan', definition);
  const { name, description, parameters, goal } = definition;
  const missing = (['description', 'parameters', 'goal', 'steps'] as const).find(
    (each) => definition[each] === undefined,
  );
  if (missing !== undefined) throw complain(`write its \`${missing}\`.`);
  const wrong = optionsCheck(definition, '');
  if (wrong !== null) throw complain(`${wrong}.`);
  const schema = toJsonSchema(parameters, 'parameters', complain);
  const steps = definition.steps.map((each, index) => toPlannedTask(each, definition.steps[index - 1]));
  const misplaced =
    validateTasks(steps, 'steps') ??
    validatePlaces(schema, goal, 'goal') ??
    findFirstProblem(steps.map((each) => validatePlaces(schema, each.description, `the description of ${each.id}`)));
  if (misplaced !== null) throw complain(`${misplaced}.`);
  return {
    name,
    description: description.trim(),
    parameters: schema,
    goal,
    steps,
    validateParameters: (given) => validateInput(parameters, given),
    plan: (given) => {
      const problem = validateInput(parameters, given);
      if (problem !== null) throw new TypeError(`The parameters of plan template ${name} are not right. ${problem}`);
      const values = toJsonObject(parameters.parse(given));
      const tasks = steps.map((each) => ({
        ...each,
        description: shorten(fillPlaces(each.description, values), maxTaskTextLength),
      }));
      return { task: fillPlaces(goal, values), plan: { name, tasks } };
    },
  };
}

function toPlannedTask(written: PlanTaskDefinition, before: PlanTaskDefinition | undefined): PlannedTask {
  const { id, description, dependsOn, tools = [], confirm = [] } = written;
  return { id, description, dependsOn: dependsOn ?? (before === undefined ? [] : [before.id]), tools, confirm };
}

/** A place must stand for a parameter, and a text must say something even where all that may be left out is. */
function validatePlaces(schema: JsonObject, text: string, at: string): string | null {
  const properties = findOwn(schema, 'properties');
  const known = isObject(properties) ? properties : {};
  const stranger = listPlaces(text).find((name) => findOwn(known, name) === undefined);
  if (stranger !== undefined) {
    const names = Object.keys(known);
    const meant = findNearest(stranger, names);
    const help = meant === null ? `there are ${names.join(', ') || 'none'}` : `you may mean {${meant}}`;
    return `${at} has {${stranger}}, which is no parameter; ${help}`;
  }
  const required = findOwn(schema, 'required') ?? [];
  const given = Object.entries(known).filter(([name, member]) => {
    return (
      (Array.isArray(required) && required.includes(name)) ||
      (isObject(member) && findOwn(member, 'default') !== undefined)
    );
  });
  if (fillPlaces(text, Object.fromEntries(given.map(([name]) => [name, 'x']))) !== '') return null;
  return `${at} says nothing where ${listPlaces(text).join(' and ')} is left out: add a line without it`;
}

/** What a parameter's own transforms gave out, as it stands in a text. */
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

/** The text with what its places stand for. What a parameter says has no places. A line without its parameter is left out. */
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

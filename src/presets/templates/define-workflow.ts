/** Makes a workflow of what a user writes. It is checked here: a step that waits for nothing that there is never begins. */

import type { z } from 'zod';
import { type Check, firstOf, listOf, membersOf, words } from '../../core/lib/check-value.js';
import { shorten } from '../../core/lib/display.js';
import { isObject, type Json, type JsonObject, own } from '../../core/lib/json.js';
import { nearest } from '../../core/lib/nearest.js';
import type { PlannedTask, PlanTemplate } from '../../core/model/plan.js';
import { problemWithTasks } from '../../core/plan/check-plan.js';
import { longestText } from '../../core/plan/fit-tasks.js';
import { complaintsOf } from '../../tools/define/complaint.js';
import { problemWith } from '../../tools/define/define-tool.js';
import { problemWithSchema, schemaOf } from '../../tools/define/json-schema.js';
import { filled, placesIn } from './fill.js';
import type { WorkflowDefinition, WorkflowStep } from './workflow-definition.js';

export type { WorkflowDefinition, WorkflowStep } from './workflow-definition.js';

/** A task for an agent, and the plan to begin it with: `longhand.start(agent, task, { plan })`. */
export interface FilledWorkflow {
  readonly task: string;
  readonly plan: PlanTemplate;
}

/** A workflow that was checked. */
export interface Workflow<Parameters = unknown> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly parameters: JsonObject;
  readonly goal: string;
  /** As a plan has them, with places for parameters. */
  readonly steps: readonly PlannedTask[];
  /** What is wrong with parameters, one fault a line, or null. */
  readonly problemWith: (parameters: unknown) => string | null;
  // A method: workflows of all parameters stand in one list.
  /** @throws {TypeError} for parameters that are not right */
  plan(parameters: Parameters): FilledWorkflow;
}

const elsewhere: Check = () => null;
/** Looked at as what becomes of it. */
const step = membersOf<WorkflowStep>({
  id: elsewhere,
  description: elsewhere,
  dependsOn: elsewhere,
  tools: elsewhere,
  confirm: elsewhere,
});
const members = membersOf<WorkflowDefinition>({
  name: elsewhere,
  description: words,
  parameters: problemWithSchema,
  goal: words,
  steps: listOf(step),
});

/**
 * Defines a workflow: a plan that agents with the strategy `plan` can be started with.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * export const upgrade = defineWorkflow({
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
export function defineWorkflow<S extends z.ZodType>(definition: WorkflowDefinition<S>): Workflow<z.input<S>> {
  const complain = complaintsOf('defineWorkflow', definition);
  const { name, description, parameters, goal } = definition;
  const missing = (['description', 'parameters', 'goal', 'steps'] as const).find(
    (each) => definition[each] === undefined,
  );
  if (missing !== undefined) throw complain(`write its \`${missing}\`.`);
  const wrong = members(definition, '');
  if (wrong !== null) throw complain(`${wrong}.`);
  const schema = schemaOf(parameters, 'parameters', complain);
  const steps = definition.steps.map((each, index) => taskOf(each, definition.steps[index - 1]));
  const misplaced =
    problemWithTasks(steps, 'steps') ??
    problemWithPlaces(schema, goal, 'goal') ??
    firstOf(steps.map((each) => problemWithPlaces(schema, each.description, `the description of ${each.id}`)));
  if (misplaced !== null) throw complain(`${misplaced}.`);
  return {
    name,
    description: description.trim(),
    parameters: schema,
    goal,
    steps,
    problemWith: (given) => problemWith(parameters, given),
    plan: (given) => {
      const problem = problemWith(parameters, given);
      if (problem !== null) throw new TypeError(`The parameters of workflow ${name} are not right. ${problem}`);
      const values = asJson(parameters.parse(given));
      const tasks = steps.map((each) => ({
        ...each,
        description: shorten(filled(each.description, values), longestText),
      }));
      return { task: filled(goal, values), plan: { name, tasks } };
    },
  };
}

function taskOf(written: WorkflowStep, before: WorkflowStep | undefined): PlannedTask {
  const { id, description, dependsOn, tools = [], confirm = [] } = written;
  return { id, description, dependsOn: dependsOn ?? (before === undefined ? [] : [before.id]), tools, confirm };
}

/** A place must stand for a parameter, and a text must say something even where all that may be left out is. */
function problemWithPlaces(schema: JsonObject, text: string, at: string): string | null {
  const properties = own(schema, 'properties');
  const known = isObject(properties) ? properties : {};
  const stranger = placesIn(text).find((name) => own(known, name) === undefined);
  if (stranger !== undefined) {
    const names = Object.keys(known);
    const meant = nearest(stranger, names);
    const help = meant === null ? `there are ${names.join(', ') || 'none'}` : `you may mean {${meant}}`;
    return `${at} has {${stranger}}, which is no parameter; ${help}`;
  }
  const required = own(schema, 'required') ?? [];
  const given = Object.entries(known).filter(([name, member]) => {
    return (
      (Array.isArray(required) && required.includes(name)) || (isObject(member) && own(member, 'default') !== undefined)
    );
  });
  if (filled(text, Object.fromEntries(given.map(([name]) => [name, 'x']))) !== '') return null;
  return `${at} says nothing where ${placesIn(text).join(' and ')} is left out: add a line without it`;
}

/** What a parameter's own transforms gave out, as it stands in a text. */
function asJson(value: unknown): JsonObject {
  const json = JSON.parse(JSON.stringify(value)) as Json;
  return isObject(json) ? json : {};
}

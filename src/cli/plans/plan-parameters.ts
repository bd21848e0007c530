/** Finds plan templates by name and parses parameters: `--param error="sum is wrong" --param files=a.ts,b.ts`. */

import {
  findNearest,
  findOwn,
  isObject,
  type Json,
  type JsonObject,
  omitUndefined,
  parseJsonOrText,
} from '../../core/lib/index.js';
import type { PlanDefinition, PlanStart } from '../../plans/index.js';
import { builtInPlans } from '../../presets/index.js';
import { UsageError } from '../flags/usage-error.js';

/** Returns the plan templates of a module and the built-in ones. The module's own replace built-in ones by name. */
export function listAllPlans(own: readonly PlanDefinition[]): readonly PlanDefinition[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...builtInPlans.filter(({ name }) => !names.has(name))];
}

/** Returns the plan template of a name. @throws {UsageError} with the existing names */
export function getPlan(own: readonly PlanDefinition[], name: string): PlanDefinition {
  const all = listAllPlans(own);
  const plan = all.find((template) => template.name === name);
  if (plan !== undefined) return plan;
  const names = all.map((template) => template.name);
  const nearest = findNearest(name, names);
  const hint = nearest === null ? '' : `Did you mean ${nearest}? `;
  throw new UsageError(
    `Plan template ${name} not found. ${hint}Available: ${names.join(', ')}. Load your own with --module.`,
  );
}

/** A parameter of a plan template. */
export interface PlanParameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** The type in JSON Schema; empty if there are several. */
  readonly type: string;
  readonly default: Json | undefined;
}

export function listParameters({ parameters }: PlanDefinition): readonly PlanParameter[] {
  const properties = findOwn(parameters, 'properties');
  const required = findOwn(parameters, 'required');
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const property: JsonObject = isObject(schema) ? schema : {};
    const fallback = findOwn(property, 'default');
    return {
      name,
      description: getText(property, 'description'),
      required: Array.isArray(required) && required.includes(name) && fallback === undefined,
      type: getText(property, 'type'),
      default: fallback,
    };
  });
}

/**
 * Parses the parameters and returns the task and the plan.
 *
 * @param flagValues parameters from other flags, by name; undefined for a flag that was not given
 * @throws {UsageError} with the invalid parameter
 */
export function fillPlan(
  template: PlanDefinition,
  assignments: readonly string[],
  flagValues: Readonly<Record<string, unknown>> = {},
): PlanStart {
  const known = listParameters(template);
  const values: Record<string, unknown> = omitUndefined(flagValues);
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    const name = assignment.slice(0, Math.max(0, at));
    const parameter = known.find((candidate) => candidate.name === name);
    if (parameter === undefined) throw new UsageError(formatUnknownParameter(template, assignment, known));
    values[name] = parseParameter(parameter, assignment.slice(at + 1), values[name]);
  }
  const problem = template.validateParameters(values);
  if (problem === null) return template.plan(values);
  throw new UsageError(
    `Invalid parameters for plan template ${template.name}: ${problem.replaceAll('\n', '; ')}. ${formatUsage(template)}`,
  );
}

/** Formats the command that runs a plan template. */
export function formatRunCommand(template: PlanDefinition, module?: string): string {
  const needed = listParameters(template).filter(({ required }) => required);
  const from = module === undefined ? [] : [`--module ${module}`];
  return [`longhand plan run ${template.name}`, ...from, ...needed.map(({ name }) => `--param ${name}="…"`)].join(' ');
}

const formatUsage = (template: PlanDefinition) =>
  `Write: ${formatRunCommand(template)}. For all parameters: longhand plan show ${template.name}`;

function formatUnknownParameter({ name }: PlanDefinition, assignment: string, known: readonly PlanParameter[]): string {
  if (!assignment.includes('=')) return `Invalid --param ${assignment}. Write --param name=value.`;
  const names = known.map((parameter) => parameter.name);
  const unknown = assignment.slice(0, assignment.indexOf('='));
  const nearest = findNearest(unknown, names);
  const hint = nearest === null ? `It has: ${names.join(', ') || 'none'}.` : `Did you mean ${nearest}?`;
  return `Plan template ${name} has no parameter ${unknown}. ${hint}`;
}

/** Parses a value by its type. An invalid one stays a text, which the schema of the plan template then rejects. */
function parseParameter({ type }: PlanParameter, text: string, before: unknown): unknown {
  switch (type) {
    case 'array': {
      const items = text.trimStart().startsWith('[')
        ? parseJsonOrText(text)
        : text.split(',').map((item) => item.trim());
      return Array.isArray(before) && Array.isArray(items)
        ? [...(before as unknown[]), ...(items as unknown[])]
        : items;
    }
    case 'number':
    case 'integer':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
    case 'object':
      return parseJsonOrText(text);
    default:
      return text;
  }
}

function getText(schema: JsonObject, member: string): string {
  const value = findOwn(schema, member);
  return typeof value === 'string' ? value : '';
}

/** Plan templates by name, and their parameters as a person writes them: `--param error="sum is wrong" --param files=a.ts,b.ts`. */

import { findOwn, isObject, type Json, type JsonObject } from '../../core/lib/json.js';
import { findNearest } from '../../core/lib/nearest.js';
import { builtInPlans } from '../../presets/plans/built-in-plans.js';
import type { PlanDefinition, PlanStart } from '../../presets/plans/define-plan.js';
import { UsageError } from '../flags/usage-error.js';

/** Returns the plan templates of a module and the built-in ones, except those with a name that the module uses. */
export function listAllPlans(own: readonly PlanDefinition[]): readonly PlanDefinition[] {
  const named = new Set(own.map(({ name }) => name));
  return [...own, ...builtInPlans.filter(({ name }) => !named.has(name))];
}

/** @throws {UsageError} with the names that exist */
export function getPlan(own: readonly PlanDefinition[], name: string): PlanDefinition {
  const all = listAllPlans(own);
  const found = all.find((template) => template.name === name);
  if (found !== undefined) return found;
  const names = all.map((template) => template.name);
  const meant = findNearest(name, names);
  const help = meant === null ? `There is: ${names.join(', ')}.` : `Do you mean ${meant}?`;
  throw new UsageError(`There is no plan template named ${name}. ${help} Your own come from --module.`);
}

/** A parameter of a plan template. */
export interface PlanParameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** As JSON Schema names it; empty where it may be of several. */
  readonly type: string;
  readonly default: Json | undefined;
}

export function listParameters({ parameters }: PlanDefinition): readonly PlanParameter[] {
  const properties = findOwn(parameters, 'properties');
  const required = findOwn(parameters, 'required');
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const said: JsonObject = isObject(schema) ? schema : {};
    const fallback = findOwn(said, 'default');
    return {
      name,
      description: getText(said, 'description'),
      required: Array.isArray(required) && required.includes(name) && fallback === undefined,
      type: getText(said, 'type'),
      default: fallback,
    };
  });
}

/**
 * The task and the plan, once the parameters are read.
 *
 * @param given of other flags, by name; undefined where such a flag was left out
 * @throws {UsageError} for what cannot be read, and where the plan template does not take it
 */
export function fillPlan(
  template: PlanDefinition,
  written: readonly string[],
  given: Readonly<Record<string, unknown>> = {},
): PlanStart {
  const known = listParameters(template);
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  for (const each of written) {
    const at = each.indexOf('=');
    const name = each.slice(0, Math.max(0, at));
    const parameter = known.find((candidate) => candidate.name === name);
    if (parameter === undefined) throw new UsageError(formatUnknownParameter(template, each, known));
    values[name] = parseParameter(parameter, each.slice(at + 1), values[name]);
  }
  const problem = template.validateParameters(values);
  if (problem === null) return template.plan(values);
  throw new UsageError(
    `Plan template ${template.name} cannot be run so. ${problem.replaceAll('\n', '; ')}. ${formatUsage(template)}`,
  );
}

/** What a person types to run it. */
export function formatRunCommand(template: PlanDefinition): string {
  const needed = listParameters(template).filter(({ required }) => required);
  return [`longhand plan run ${template.name}`, ...needed.map(({ name }) => `--param ${name}="…"`)].join(' ');
}

const formatUsage = (template: PlanDefinition) =>
  `Write: ${formatRunCommand(template)}; longhand plan show ${template.name} has all.`;

function formatUnknownParameter({ name }: PlanDefinition, written: string, known: readonly PlanParameter[]): string {
  if (!written.includes('=')) return `--param ${written} cannot be read: write --param name=value.`;
  const names = known.map((parameter) => parameter.name);
  const asked = written.slice(0, written.indexOf('='));
  const meant = findNearest(asked, names);
  return `Plan template ${name} has no parameter ${asked}${meant === null ? `: it has ${names.join(', ') || 'none'}` : `; you may mean ${meant}`}.`;
}

/** What cannot be read stays a text: what it should be, the plan template's schema says. */
function parseParameter({ type }: PlanParameter, written: string, before: unknown): unknown {
  switch (type) {
    case 'array': {
      const items = written.trimStart().startsWith('[')
        ? parseJsonOrText(written)
        : written.split(',').map((item) => item.trim());
      return Array.isArray(before) && Array.isArray(items)
        ? [...(before as unknown[]), ...(items as unknown[])]
        : items;
    }
    case 'number':
    case 'integer':
      return written.trim() === '' || Number.isNaN(Number(written)) ? written : Number(written);
    case 'boolean':
    case 'object':
      return parseJsonOrText(written);
    default:
      return written;
  }
}

function parseJsonOrText(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

function getText(schema: JsonObject, member: string): string {
  const value = findOwn(schema, member);
  return typeof value === 'string' ? value : '';
}

/** Workflows by their names: those of a module, and those that are built in. */

import { nearest } from '../../core/lib/nearest.js';
import { builtInWorkflows } from '../../presets/templates/built-in.js';
import type { Workflow } from '../../presets/templates/define-workflow.js';
import { UsageError } from '../flags/usage-error.js';

/** One of the module's takes the place of a built-in one of its name. */
export function allWorkflows(own: readonly Workflow[]): readonly Workflow[] {
  const named = new Set(own.map(({ name }) => name));
  return [...own, ...builtInWorkflows.filter(({ name }) => !named.has(name))];
}

/** @throws {UsageError} naming those that there are */
export function findWorkflow(own: readonly Workflow[], name: string): Workflow {
  const all = allWorkflows(own);
  const found = all.find((workflow) => workflow.name === name);
  if (found !== undefined) return found;
  const names = all.map((workflow) => workflow.name);
  const meant = nearest(name, names);
  const help = meant === null ? `There is: ${names.join(', ')}.` : `Do you mean ${meant}?`;
  throw new UsageError(`There is no workflow named ${name}. ${help} Your own come from --module.`);
}

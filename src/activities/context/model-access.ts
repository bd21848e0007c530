/**
 * The last check before a request leaves the worker: whether the model may see the chain's data, and whether the worker's rules
 * allow it. By the worker's own catalogue, so that a change holds immediately for running chains. Nothing overrides it.
 */

import { getRequester } from '../../core/engine/index.js';
import type { ChainState, ModelFailure, ModelFailureKind, ModelSnapshot, Requester } from '../../core/model/index.js';
import { type AccessRules, findRuleProblem, type Models, type RuledModel } from '../../models/index.js';

/** A model with the part of its catalogue entry that protects data. */
interface GuardedModel extends RuledModel {
  /** Classes of data that it may see, beside data without a class. */
  readonly dataClasses: readonly string[];
}

/** What a request contains, and for whom it is made. */
export interface RequestOrigin {
  readonly dataClasses: readonly string[];
  readonly requester: Requester;
}

export function toRequestOrigin(state: Pick<ChainState, 'dataClasses' | 'input'>): RequestOrigin {
  return { dataClasses: state.dataClasses, requester: getRequester(state) };
}

/** Returns the failure of a call that must not be made, or null. */
export function checkModelAccess(
  { dataClasses, requester }: RequestOrigin,
  called: Pick<ModelSnapshot, 'name' | 'provider' | 'id'>,
  models: Pick<Models, 'resolve'>,
  { rules, environment }: AccessRules,
): ModelFailure | null {
  const model = findGuardedModel(called, models);
  const unseen = dataClasses.filter((dataClass) => !model.dataClasses.includes(dataClass));
  if (unseen.length > 0) {
    const classes = unseen.length === 1 ? `class ${unseen[0]}` : `classes ${unseen.join(', ')}`;
    return createRejection('data_class', `${describe(model)} may not see data of the ${classes}`);
  }
  const { tenant, roles } = requester;
  const problem = findRuleProblem(rules, { tenant, roles, environment }, model, (name) => findNamed(name, models));
  return problem === null ? null : createRejection('not_allowed', `${describe(model)} is rejected: ${problem}`);
}

/** An alias may name another model by now: a running chain calls the one of its snapshot, which then may see no marked data. */
function findGuardedModel(
  { name, provider, id }: Pick<ModelSnapshot, 'name' | 'provider' | 'id'>,
  models: Pick<Models, 'resolve'>,
): GuardedModel {
  const unlisted: GuardedModel = { name, provider, id, region: null, dataClasses: [] };
  const model = findNamed(name, models);
  if (model === null || model.provider !== provider || model.id !== id || model.entry === null) return unlisted;
  const { region, dataClasses } = model.entry;
  return { ...unlisted, region, dataClasses: dataClasses ?? [] };
}

/** Where a model runs, by the worker's catalogue: for a reply. Empty if it states nothing. */
export function findRegion(
  called: Pick<ModelSnapshot, 'name' | 'provider' | 'id'>,
  models: Pick<Models, 'resolve'>,
): { readonly region?: string } {
  const { region } = findGuardedModel(called, models);
  return region === null ? {} : { region };
}

/** Returns null for a name that this worker cannot resolve. */
export function findNamed(name: string, { resolve }: Pick<Models, 'resolve'>) {
  try {
    const { provider, ...rest } = resolve(name);
    return { ...rest, provider: provider.name };
  } catch {
    return null;
  }
}

function describe({ name, region }: GuardedModel): string {
  return region === null ? name : `${name} (${region})`;
}

/** Nothing was sent, so nothing is charged. */
export function createRejection(kind: ModelFailureKind, message: string): ModelFailure {
  return { kind, message, status: null, retryAfterMs: null, settle: 'nothing', usage: null };
}

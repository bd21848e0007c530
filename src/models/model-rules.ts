/** Rules of a worker: which models and regions its chains may use, by tenant, environment and the roles of the chain's user. */

import { check } from '../core/lib/index.js';

/** Names of models (`strong`, an id, `provider/id`, `provider/*`) and of regions. */
export interface ModelList {
  readonly models?: readonly string[];
  readonly regions?: readonly string[];
}

/** A rule applies to a call if all members before `allow` match; an absent one matches every call. */
export interface ModelRule {
  readonly tenants?: readonly string[];
  /** Environments of workers (`LONGHAND_ENVIRONMENT`). */
  readonly environments?: readonly string[];
  /** Roles of the chain's user: one of them is enough. */
  readonly roles?: readonly string[];
  /** Only these. A call to which several rules apply needs a place in each of them. */
  readonly allow?: ModelList;
  /** None of these, even where another rule allows them. */
  readonly deny?: ModelList;
}

/** The rules of a worker. */
export interface AccessRules {
  readonly rules: readonly ModelRule[];
  /** The worker's environment; null for none. */
  readonly environment: string | null;
}

/** A call as rules see it. */
export interface RuledCall {
  readonly tenant: string | null;
  readonly roles: readonly string[];
  readonly environment: string | null;
}

/** A model as rules see it. */
export interface RuledModel {
  readonly name: string;
  readonly provider: string;
  readonly id: string;
  /** Null if the catalogue states none: no rule allows an unknown region. */
  readonly region: string | null;
}

/** Names of the catalogue for a model: an alias is another name of it. Null for a name that the catalogue does not have. */
export type FindNamed = (name: string) => Pick<RuledModel, 'provider' | 'id'> | null;

/**
 * Returns why the rules reject the model, as a clause, or null. A denied name denies its model, by each of its names.
 */
export function findRuleProblem(
  rules: readonly ModelRule[],
  call: RuledCall,
  model: RuledModel,
  findNamed: FindNamed = () => null,
): string | null {
  for (const rule of rules) {
    if (!appliesTo(rule, call)) continue;
    const { allow = {}, deny = {} } = rule;
    const isDenied = deny.models?.some((name) => matchesModel(name, model) || isSameModel(findNamed(name), model));
    if (isDenied) return `model ${model.name} is denied`;
    if (deny.regions?.some((region) => region === model.region)) return `region ${model.region} is denied`;
    if (allow.models?.some((name) => matchesModel(name, model)) === false) return `model ${model.name} is not allowed`;
    if (allow.regions !== undefined && (model.region === null || !allow.regions.includes(model.region))) {
      return model.region === null ? 'its region is unknown' : `region ${model.region} is not allowed`;
    }
  }
  return null;
}

function appliesTo({ tenants, environments, roles }: ModelRule, call: RuledCall): boolean {
  return (
    matches(tenants, call.tenant) &&
    matches(environments, call.environment) &&
    (roles === undefined || roles.some((role) => call.roles.includes(role)))
  );
}

function matches(names: readonly string[] | undefined, name: string | null): boolean {
  return names === undefined || (name !== null && names.includes(name));
}

/** Also compares ids without their dates: `claude-opus-5-5-20260701` is `claude-opus-5-5`. */
function isSameModel(entry: ReturnType<FindNamed>, { provider, id }: RuledModel): boolean {
  return entry !== null && entry.provider === provider && removeDate(entry.id) === removeDate(id);
}

function removeDate(id: string): string {
  return id.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}

function matchesModel(pattern: string, { name, provider, id }: RuledModel): boolean {
  return pattern === name || pattern === id || pattern === `${provider}/${id}` || pattern === `${provider}/*`;
}

const checkTexts = check.list(check.nonEmptyText);

const checkModelList = check.members<ModelList>({ models: checkTexts, regions: checkTexts });

/** Validates the option `modelRules` of a worker. */
export const checkModelRules: check.ValueCheck = check.list(
  check.members<ModelRule>({
    tenants: checkTexts,
    environments: checkTexts,
    roles: checkTexts,
    allow: checkModelList,
    deny: checkModelList,
  }),
);

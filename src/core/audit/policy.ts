/**
 * How much of chains is kept in the audit log, as whoever runs the worker and its tenants want it.
 *
 * 1. A tenant's level raises and never lowers: who runs the worker answers for the least that is kept.
 * 2. What a chain says besides its calls (task, thoughts, answer, reasons) goes by the worker's and the tenant's level, and
 *    at `none` as at `basic`: that a chain ran, who started it and how it ended is always told.
 */

import { checkMembers, type ValueCheck } from '../lib/check-value.js';
import { findOwn, isObject } from '../lib/json.js';
import { type AuditLevel, checkAuditLevel, chooseHigherLevel } from '../model/agent.js';
import type { RedactionPolicy } from '../redact/policy.js';
import { validateVisibility } from '../view/validate-visibility.js';
import type { VisibilityConfig } from '../view/visibility.js';

export interface AuditPolicy {
  /** Of tools that say nothing of it. Default `full`. */
  readonly level?: AuditLevel;
  /** The least that a tenant wants to be kept of its chains, whatever tools and the worker say. */
  readonly tenants?: { readonly [tenant: string]: AuditLevel };
  /** What is masked in contents besides fields that are sensitive. Default: credentials and card numbers. */
  readonly redact?: RedactionPolicy;
  /** The rules on who sees what: fields that they call sensitive are masked in contents too. */
  readonly visibility?: VisibilityConfig;
}

/** Of a chain's own words. */
export function computeChainLevel({ level = 'full', tenants = {} }: AuditPolicy, tenant: string | null): AuditLevel {
  return chooseHigherLevel(level, getTenantLevel(tenants, tenant));
}

/** @param said what the tool says of itself, if it does */
export function computeToolLevel(
  { level = 'full', tenants = {} }: AuditPolicy,
  said: AuditLevel | null,
  tenant: string | null,
): AuditLevel {
  return chooseHigherLevel(said ?? level, getTenantLevel(tenants, tenant));
}

function getTenantLevel(tenants: NonNullable<AuditPolicy['tenants']>, tenant: string | null): AuditLevel {
  return tenant === null ? 'none' : (findOwn(tenants, tenant) ?? 'none');
}

/** What is wrong with a policy, as the end of a sentence; null when it can be used. */
export const auditPolicyCheck: ValueCheck = checkMembers<AuditPolicy>({
  level: checkAuditLevel,
  tenants: (value, at) => {
    if (!isObject(value)) return `${at} must be an object`;
    const wrong = Object.entries(value).map(([tenant, level]) => checkAuditLevel(level, `${at}.${tenant}`));
    return wrong.find((problem) => problem !== null) ?? null;
  },
  redact: (value, at) => prefixProblem(validateVisibility({ redact: value as RedactionPolicy }), at),
  visibility: (value, at) => prefixProblem(validateVisibility(value), at),
});

function prefixProblem(problem: string | null, at: string): string | null {
  return problem === null ? null : `${at}: ${problem}`;
}

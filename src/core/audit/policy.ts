/**
 * The policy on how much of chains the audit log records, set by the operator of the worker.
 *
 * 1. A tenant's level raises the worker's level and never lowers it: the operator is responsible for the minimum.
 * 2. Texts outside of calls (task, thoughts, answer, reasons) use the higher of the worker's and the tenant's level, where
 *    `none` works like `basic`: the log always records that a chain ran, who started it and how it ended.
 */

import { check, findOwn } from '../lib/index.js';
import { type AuditLevel, checkAuditLevel, chooseHigherLevel } from '../model/index.js';
import type { RedactionPolicy } from '../redact/index.js';
import { type VisibilityConfig, validateVisibility } from '../view/index.js';

export interface AuditPolicy {
  /** Level of tools that have no `audit` level. Default `full`. */
  readonly level?: AuditLevel;
  /** Minimum level per tenant, above the levels of tools and the worker. */
  readonly tenants?: { readonly [tenant: string]: AuditLevel };
  /** Masked in contents, in addition to sensitive fields. Default: credentials and card numbers. */
  readonly redact?: RedactionPolicy;
  /** Visibility rules: their sensitive fields are masked in contents too. */
  readonly visibility?: VisibilityConfig;
}

/** Returns the level of a chain's texts outside of calls. */
export function computeChainLevel({ level = 'full', tenants = {} }: AuditPolicy, tenant: string | null): AuditLevel {
  return chooseHigherLevel(level, getTenantLevel(tenants, tenant));
}

/** Returns the level of a tool's calls. @param own the tool's `audit` level */
export function computeToolLevel(
  { level = 'full', tenants = {} }: AuditPolicy,
  own: AuditLevel | null,
  tenant: string | null,
): AuditLevel {
  return chooseHigherLevel(own ?? level, getTenantLevel(tenants, tenant));
}

function getTenantLevel(tenants: NonNullable<AuditPolicy['tenants']>, tenant: string | null): AuditLevel {
  return tenant === null ? 'none' : (findOwn(tenants, tenant) ?? 'none');
}

/** Validates a policy: returns the problem as the end of a sentence, or null. */
export const checkAuditPolicy = check.members<AuditPolicy>({
  level: checkAuditLevel,
  tenants: check.record(checkAuditLevel),
  redact: (value, at) => prefixProblem(validateVisibility({ redact: value as RedactionPolicy }), at),
  visibility: (value, at) => prefixProblem(validateVisibility(value), at),
});

function prefixProblem(problem: string | null, at: string): string | null {
  return problem === null ? null : `${at}: ${problem}`;
}

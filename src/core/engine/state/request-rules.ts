/** Default rules of requests, and the combination of several rules: the strictest wins. */

import { defaults, type Effects, type RequestRules, type Risk } from '../../model/index.js';

const risks: readonly Risk[] = ['low', 'medium', 'high'];

export function toRisk(effects: Effects): Risk {
  return effects === 'unsafe' ? 'high' : effects === 'idempotent' ? 'medium' : 'low';
}

export function createRequestRules(rules: Partial<RequestRules> & Pick<RequestRules, 'reason' | 'risk'>): RequestRules {
  return {
    roles: [],
    approvers: 1,
    byRequester: true,
    expiresMs: defaults.requestExpiryMs,
    onExpiry: 'deny',
    escalation: null,
    ...rules,
  };
}

/** @param rules at least one; where roles conflict, the first wins */
export function combineAllRules(rules: readonly RequestRules[]): RequestRules | null {
  return rules.reduce<RequestRules | null>((all, one) => (all === null ? one : combineRules(all, one)), null);
}

function combineRules(a: RequestRules, b: RequestRules): RequestRules {
  return {
    reason: a.reason === b.reason ? a.reason : `${a.reason} ${b.reason}`,
    risk: risks[Math.max(risks.indexOf(a.risk), risks.indexOf(b.risk))] ?? 'high',
    roles: intersectRoles(a.roles, b.roles),
    approvers: Math.max(a.approvers, b.approvers),
    byRequester: a.byRequester && b.byRequester,
    expiresMs: chooseSooner(a.expiresMs, b.expiresMs),
    onExpiry: a.onExpiry === 'deny' ? 'deny' : b.onExpiry,
    escalation: combineEscalations(a, b),
  };
}

/** Roles after escalation: only those that both rules admit. */
function combineEscalations(a: RequestRules, b: RequestRules): RequestRules['escalation'] {
  const roles = intersectRoles(a.roles, b.roles);
  const more = intersectRoles(listFinalRoles(a), listFinalRoles(b)).filter((role) => !roles.includes(role));
  if (more.length === 0) return null;
  return { afterMs: Math.max(a.escalation?.afterMs ?? 0, b.escalation?.afterMs ?? 0), roles: more };
}

/** Returns the roles after escalation; empty: anybody. */
function listFinalRoles({ roles, escalation }: RequestRules): readonly string[] {
  return roles.length === 0 ? [] : [...roles, ...(escalation?.roles ?? [])];
}

/** Without a common role no person could decide; the first list then wins. */
function intersectRoles(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length === 0 || b.length === 0) return [...a, ...b];
  const both = a.filter((role) => b.includes(role));
  return both.length === 0 ? a : both;
}

function chooseSooner(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

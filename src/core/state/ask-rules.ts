/** The rules of requests where nobody set any, and of calls that several rules hold for: the strictest wins. */

import type { Effects } from '../model/agent.js';
import type { AskRules, Risk } from '../model/ask.js';
import { defaults } from '../model/defaults.js';

const risks: readonly Risk[] = ['low', 'medium', 'high'];

export function riskOf(effects: Effects): Risk {
  return effects === 'unsafe' ? 'high' : effects === 'idempotent' ? 'medium' : 'low';
}

export function askRules(given: Partial<AskRules> & Pick<AskRules, 'reason' | 'risk'>): AskRules {
  return {
    roles: [],
    approvers: 1,
    byRequester: true,
    expiresMs: defaults.askMs,
    onExpiry: 'deny',
    escalation: null,
    ...given,
  };
}

/** @param rules at least one; the first is that of who has most to say */
export function strictest(rules: readonly AskRules[]): AskRules | null {
  return rules.reduce<AskRules | null>((all, one) => (all === null ? one : stricter(all, one)), null);
}

function stricter(a: AskRules, b: AskRules): AskRules {
  return {
    reason: a.reason === b.reason ? a.reason : `${a.reason} ${b.reason}`,
    risk: risks[Math.max(risks.indexOf(a.risk), risks.indexOf(b.risk))] ?? 'high',
    roles: rolesInBoth(a.roles, b.roles),
    approvers: Math.max(a.approvers, b.approvers),
    byRequester: a.byRequester && b.byRequester,
    expiresMs: sooner(a.expiresMs, b.expiresMs),
    onExpiry: a.onExpiry === 'deny' ? 'deny' : b.onExpiry,
    escalation: escalationInBoth(a, b),
  };
}

/** Who may decide later, by both: nobody is let in by one whom the other keeps out. */
function escalationInBoth(a: AskRules, b: AskRules): AskRules['escalation'] {
  const roles = rolesInBoth(a.roles, b.roles);
  const more = rolesInBoth(inTheEnd(a), inTheEnd(b)).filter((role) => !roles.includes(role));
  if (more.length === 0) return null;
  return { afterMs: Math.max(a.escalation?.afterMs ?? 0, b.escalation?.afterMs ?? 0), roles: more };
}

/** Empty: anybody. */
function inTheEnd({ roles, escalation }: AskRules): readonly string[] {
  return roles.length === 0 ? [] : [...roles, ...(escalation?.roles ?? [])];
}

/** Two lists without a common role would leave nobody to ask: then the first one's say. */
function rolesInBoth(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length === 0 || b.length === 0) return [...a, ...b];
  const both = a.filter((role) => b.includes(role));
  return both.length === 0 ? a : both;
}

function sooner(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

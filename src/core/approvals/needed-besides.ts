/**
 * What a call would have needed besides what it was approved by, had it stood as it stands now. Rules alone are compared,
 * not people: whoever could have approved it by the first has to be able to by the second.
 */

import type { AskRules } from '../model/ask.js';

/** @returns what is missing, to go behind "needs"; null for nothing */
export function neededBesides(approvedBy: AskRules, now: AskRules): string | null {
  const needs: readonly string[] = [
    ...(letsIn(now, approvedBy) ? [] : [`somebody of the role ${now.roles.join(' or ')}`]),
    ...(now.approvers > approvedBy.approvers ? [`${now.approvers} different people`] : []),
    ...(approvedBy.byRequester && !now.byRequester ? ['somebody else than who asked for the chain'] : []),
  ];
  return needs.length === 0 ? null : `${needs.join(', and ')} to approve it`;
}

/** Whether everybody who could decide by the one may by the other, and as early. */
function letsIn(now: AskRules, before: AskRules): boolean {
  if (now.roles.length === 0) return true;
  if (before.roles.length === 0) return false;
  const { roles: later, afterMs } = now.escalation ?? { roles: [], afterMs: 0 };
  const early = before.roles.every((role) => now.roles.includes(role));
  const asLate = before.escalation !== null && before.escalation.afterMs >= afterMs;
  const escalated = (before.escalation?.roles ?? []).every(
    (role) => now.roles.includes(role) || (asLate && later.includes(role)),
  );
  return early && escalated;
}

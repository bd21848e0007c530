/**
 * Arguments that a person changed: whether they match the tool's JSON Schema, and which approvals they need in addition.
 * The tool checks its own refinements when it runs.
 */

import {
  computeCallKey,
  createJsonValidator,
  type Json,
  type JsonObject,
  type JsonValidator,
  toErrorMessage,
} from '../../lib/index.js';
import type { RequestRules } from '../../model/index.js';
import type { WaitingCall } from '../state/due-requests.js';

/** Returns whether arguments differ from those that the call has now. */
export function hasChangedArguments({ tool, key }: Pick<WaitingCall, 'tool' | 'key'>, input: Json): boolean {
  return computeCallKey(tool, input) !== key;
}

/** Returns all problems with their positions, or null. Where the schema is invalid, the tool checks its own when it runs. */
export function validateArguments(schema: JsonObject, input: Json): string | null {
  const validate = tryCreateValidator(schema);
  if (validate === null) return null;
  try {
    const problems = validate(input);
    return problems.length === 0 ? null : problems.join(' ');
  } catch (error) {
    // Caused by the value: too deep for the stack, or with a name that is not a text in Unicode.
    if (error instanceof RangeError) return 'is nested too deep, or has too many problems.';
    return `cannot be validated: ${toErrorMessage(error)}.`;
  }
}

function tryCreateValidator(schema: JsonObject): JsonValidator | null {
  try {
    return createJsonValidator(schema);
  } catch {
    return null;
  }
}

/**
 * Finds approvals still missing after a call's arguments were changed. Compares rules, not people: everybody who could
 * approve under the old rules must be able to under the new ones.
 *
 * @returns the missing approvals, to follow "needs"; null for none
 */
export function findMissingApprovals(approvedBy: RequestRules, now: RequestRules): string | null {
  const needs: readonly string[] = [
    ...(canSameRolesDecide(now, approvedBy) ? [] : [`a person with the role ${now.roles.join(' or ')}`]),
    ...(now.approvers > approvedBy.approvers ? [`${now.approvers} different people`] : []),
    ...(approvedBy.byRequester && !now.byRequester ? ['a person other than the requester of the chain'] : []),
  ];
  return needs.length === 0 ? null : `${needs.join(', and ')} to approve it`;
}

/** Returns whether everybody who could decide under the old rules can under the new ones, and as early. */
function canSameRolesDecide(now: RequestRules, before: RequestRules): boolean {
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

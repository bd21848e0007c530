/**
 * Arguments that a person has changed: whether they fit the JSON Schema that the model was shown of the tool, and which
 * approvals they need that the first arguments did not. The tool checks its own refinements where it runs.
 */

import { type ValidationResult, Validator } from '@cfworker/json-schema';
import type { Json, JsonObject } from '../lib/json.js';
import type { RequestRules } from '../model/request.js';

/** What is wrong, one fault after the other with where it is, or null. */
export function validateArguments(schema: JsonObject, input: Json): string | null {
  const { valid, errors } = runValidator(schema, input);
  if (valid) return null;
  // A fault deep down is told of everything around it, too.
  const places = errors.map(({ instanceLocation }) => instanceLocation);
  const deepest = errors.filter(({ instanceLocation: at }) => !places.some((other) => other.startsWith(`${at}/`)));
  // What has a name is written as a pattern besides: the name says more.
  const named = new Set(
    deepest.flatMap(({ keyword, instanceLocation }) => (keyword === 'format' ? [instanceLocation] : [])),
  );
  const told = deepest.filter(({ keyword, instanceLocation }) => keyword !== 'pattern' || !named.has(instanceLocation));
  return told.map(({ instanceLocation, error }) => `${formatPlace(instanceLocation)}${error}`).join(' ');
}

/** A schema that cannot be followed says nothing of any arguments: the tool checks its own where it runs. */
function runValidator(schema: JsonObject, input: Json): Pick<ValidationResult, 'valid' | 'errors'> {
  try {
    return new Validator(schema, '2020-12', false).validate(input);
  } catch {
    return { valid: true, errors: [] };
  }
}

/** `#/user/name` as `user.name: ` */
function formatPlace(location: string): string {
  const path = location.replace(/^#\/?/, '').replaceAll('/', '.');
  return path === '' ? '' : `${path}: `;
}

/**
 * Approvals still missing after a call's arguments were changed. Rules alone are compared, not people: everybody who could
 * have approved it by the first has to be able to by the second.
 *
 * @returns what is missing, to go behind "needs"; null for nothing
 */
export function findMissingApprovals(approvedBy: RequestRules, now: RequestRules): string | null {
  const needs: readonly string[] = [
    ...(canSameRolesDecide(now, approvedBy) ? [] : [`somebody of the role ${now.roles.join(' or ')}`]),
    ...(now.approvers > approvedBy.approvers ? [`${now.approvers} different people`] : []),
    ...(approvedBy.byRequester && !now.byRequester ? ['somebody else than who asked for the chain'] : []),
  ];
  return needs.length === 0 ? null : `${needs.join(', and ')} to approve it`;
}

/** Whether everybody who could decide by the one may by the other, and as early. */
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

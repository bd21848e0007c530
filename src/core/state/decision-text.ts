/** Texts about requests: remarks for the people who decide, commands to decide with, and decisions. */

import { toValueText } from '../lib/json.js';
import { type Decision, listApprovals, type RequestKind, type RequestRules } from '../model/request.js';
import { formatActor, formatCause } from '../model/stop-reason.js';

interface RequestSummary extends Pick<RequestRules, 'risk' | 'roles' | 'approvers' | 'onExpiry'> {
  readonly request: RequestKind;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** Number of approvals so far. */
  readonly approved: number;
}

/** Returns remarks such as `risk high`, `for ops or lead`, `1 of 2 have approved`, `until 2026-11-28 12:00 UTC`. */
export function listRequestRemarks({
  request,
  risk,
  roles,
  approvers,
  onExpiry,
  expiresAt,
  approved,
}: RequestSummary): readonly string[] {
  const then = request === 'approval' && onExpiry === 'approve' ? ', then it is run' : '';
  return [
    ...(request === 'question' ? [] : [`risk ${risk}`]),
    ...(roles.length === 0 ? [] : [`for ${roles.join(' or ')}`]),
    ...(approvers === 1 ? [] : [`${approved} of ${approvers} have approved`]),
    ...(expiresAt === null ? [] : [`until ${formatMinute(expiresAt)}${then}`]),
  ];
}

/** Returns the commands that decide a request. */
export function listDecisionCommands(
  request: RequestKind,
  chainId: string,
  call: string,
  roles: readonly string[],
): readonly string[] {
  return decisionCommands[request].map(
    ([command, rest]) => `longhand ${command} ${chainId} ${call}${rest}${formatRoleFlag(roles)}`,
  );
}

/** Returns the flag for a role; any of several roles is enough, so the first is used. */
export function formatRoleFlag([role]: readonly string[]): string {
  return role === undefined ? '' : ` --role ${role}`;
}

const decisionCommands = {
  approval: [
    ['approve', ''],
    ['deny', ''],
  ],
  outcome: [
    ['answer', ' --happened'],
    ['answer', ' --not-happened'],
    ['answer', ' --give-up'],
  ],
  question: [['answer', ' "…"']],
} as const satisfies { readonly [kind in RequestKind]: readonly (readonly [command: string, rest: string])[] };

/** `2026-11-28 12:00 UTC` */
export function formatMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Formats a decision as a sentence.
 *
 * @param changed the arguments that a person changed, as the reader may see them; null to omit them
 * @param all all decisions of the request until now
 */
export function formatDecision(
  decided: Decision,
  changed: string | null,
  all: readonly Decision[] = [decided],
): string {
  const { kind, by, reason, answer, always, partly } = decided;
  const counts = !partly || listApprovals(all).includes(decided);
  const how = [
    ...(changed === null ? [] : [`with ${changed}`]),
    ...(answer === undefined ? [] : [`with ${toValueText(answer)}`]),
    ...(always ? ['for the rest of the chain'] : []),
    ...(counts ? [] : ['void since the arguments were changed']),
    ...(counts && partly ? ['as one of several'] : []),
  ];
  return `${[describeDecision(kind, by), ...how].join(', ')}${formatCause(reason)}.`;
}

function describeDecision(kind: Decision['kind'], by: string | null): string {
  if (kind === 'expired') return 'No decision in time';
  if (kind === 'happened' || kind === 'not_happened') return `${decisionWords[kind]}, according to ${by ?? 'a person'}`;
  return decisionWords[kind] + formatActor(by);
}

const decisionWords = {
  approved: 'Approved',
  denied: 'Denied',
  answered: 'Answered',
  happened: 'It happened',
  not_happened: 'It did not happen',
  given_up: 'Given up',
} as const satisfies { readonly [kind in Exclude<Decision['kind'], 'expired'>]: string };

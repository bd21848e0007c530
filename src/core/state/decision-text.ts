/** Requests to people in words: what somebody should know who is asked, and what was said, in a sentence each. */

import { type Decision, listApprovals, type RequestKind, type RequestRules } from '../model/request.js';
import { formatActor, formatCause } from '../model/stop-reason.js';

interface RequestSummary extends Pick<RequestRules, 'risk' | 'roles' | 'approvers' | 'onExpiry'> {
  readonly request: RequestKind;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** How many have approved so far. */
  readonly approved: number;
}

/** `risk high`, `for ops or lead`, `1 of 2 have approved`, `until 2026-11-28 12:00 UTC`. */
export function listRequestFacts({
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

/** What to type to decide it. */
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

/** As whom, behind a command: any of several roles is enough. */
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
 * @param changed the arguments that a person changed, as they may be read here; null where they are not told
 * @param all what was said of the request until now
 */
export function formatDecision(
  decided: Decision,
  changed: string | null,
  all: readonly Decision[] = [decided],
): string {
  const { kind, by, reason, always, partly } = decided;
  const counts = !partly || listApprovals(all).includes(decided);
  const how = [
    ...(changed === null ? [] : [`with ${changed}`]),
    ...(always ? ['for the rest of the chain'] : []),
    ...(counts ? [] : ['void since the arguments were changed']),
    ...(counts && partly ? ['as one of several'] : []),
  ];
  return `${[describeDecision(kind, by), ...how].join(', ')}${formatCause(reason)}.`;
}

function describeDecision(what: Decision['kind'], by: string | null): string {
  if (what === 'expired') return 'Nobody decided in time';
  if (what === 'happened' || what === 'not_happened') return `${decisionWords[what]}, says ${by ?? 'somebody'}`;
  return decisionWords[what] + formatActor(by);
}

const decisionWords = {
  approved: 'Approved',
  denied: 'Denied',
  answered: 'Answered',
  happened: 'It happened',
  not_happened: 'It did not happen',
  given_up: 'Given up',
} as const satisfies { readonly [what in Exclude<Decision['kind'], 'expired'>]: string };

/** Texts about requests: remarks for the people who decide, commands to decide with, and decisions. */

import { formatLongDuration, toValueText } from '../../lib/index.js';
import {
  type Decision,
  formatActor,
  formatCause,
  listApprovals,
  type RequestKind,
  type RequestRules,
} from '../../model/index.js';

export interface RequestRemarks extends Pick<RequestRules, 'risk' | 'roles' | 'approvers' | 'onExpiry'> {
  readonly kind: RequestKind;
  /** Milliseconds since 1970; null if the request never expires. */
  readonly expiresAt: number | null;
  /** Number of approvals so far. */
  readonly approved: number;
  /** Their people, where they are known. */
  readonly voters?: readonly string[];
  /** The user who may not decide. */
  readonly excludedUser?: string | null;
  /** When further roles may decide. */
  readonly escalates?: { readonly at: number; readonly roles: readonly string[] } | null;
}

/**
 * Returns what applies to the decision of a request: `high risk`, `for ops or lead`, `1 of 2 have approved: ann`,
 * `until 2026-11-28 12:00 UTC`.
 *
 * @param now milliseconds since 1970, for a reader who looks on as time passes: `6 days left`; null for texts that are kept
 */
export function listRequestRemarks(
  { kind, risk, roles, approvers, onExpiry, expiresAt, approved, voters = [], excludedUser, escalates }: RequestRemarks,
  now: number | null,
): readonly string[] {
  const byItself = kind === 'approval' && onExpiry === 'approve';
  return [
    ...(kind === 'question' ? [] : [`${risk} risk`]),
    ...(roles.length === 0 ? [] : [`for ${roles.join(' or ')}`]),
    ...(excludedUser == null ? [] : [`not by ${excludedUser}`]),
    ...(escalates == null || now === null
      ? []
      : [`in ${formatTimeUntil(escalates.at, now)} also for ${escalates.roles.join(' or ')}`]),
    ...(approvers === 1
      ? []
      : [`${approved} of ${approvers} have approved${voters.length === 0 ? '' : `: ${voters.join(', ')}`}`]),
    ...(now === null
      ? expiresAt === null
        ? []
        : [`until ${formatMinute(expiresAt)}${byItself ? ', then it is run' : ''}`]
      : [expiresAt === null ? 'no end' : formatTimeLeft(expiresAt, now) + (byItself ? ', then approved' : '')]),
  ];
}

function formatTimeLeft(at: number, now: number): string {
  return `${at <= now ? 'no time' : formatTimeUntil(at, now)} left`;
}

/** Rounds up to whole seconds: shorter times do not matter to a person. */
function formatTimeUntil(at: number, now: number): string {
  return formatLongDuration(Math.ceil((at - now) / 1_000) * 1_000);
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

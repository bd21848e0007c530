/** Requests to people in words: what somebody should know who is asked, and what was said, in a sentence each. */

import { type AskKind, type AskRules, approvalsOf, type Decided } from '../model/ask.js';
import { because, byWhom } from '../model/stop-reason.js';

interface Asked extends Pick<AskRules, 'risk' | 'roles' | 'approvers' | 'onExpiry'> {
  readonly request: AskKind;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** How many have approved so far. */
  readonly approved: number;
}

/** `risk high`, `for ops or lead`, `1 of 2 have approved`, `until 2026-11-28 12:00 UTC`. */
export function askFacts({ request, risk, roles, approvers, onExpiry, expiresAt, approved }: Asked): readonly string[] {
  const then = request === 'approval' && onExpiry === 'approve' ? ', then it is run' : '';
  return [
    ...(request === 'question' ? [] : [`risk ${risk}`]),
    ...(roles.length === 0 ? [] : [`for ${roles.join(' or ')}`]),
    ...(approvers === 1 ? [] : [`${approved} of ${approvers} have approved`]),
    ...(expiresAt === null ? [] : [`until ${minute(expiresAt)}${then}`]),
  ];
}

/** What to type to decide it. */
export function decideCommands(
  request: AskKind,
  chainId: string,
  call: string,
  roles: readonly string[],
): readonly string[] {
  return commands[request].map(([command, rest]) => `longhand ${command} ${chainId} ${call}${rest}${asRole(roles)}`);
}

/** As whom, behind a command: any of several roles is enough. */
export function asRole([role]: readonly string[]): string {
  return role === undefined ? '' : ` --role ${role}`;
}

const commands = {
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
} as const satisfies { readonly [kind in AskKind]: readonly (readonly [command: string, rest: string])[] };

/** `2026-11-28 12:00 UTC` */
export function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * @param changed the arguments that a person changed, as they may be read here; null where they are not told
 * @param all what was said of the request until now
 */
export function decidedText(decided: Decided, changed: string | null, all: readonly Decided[] = [decided]): string {
  const { what, by, reason, always, partly } = decided;
  const counts = !partly || approvalsOf(all).includes(decided);
  const how = [
    ...(changed === null ? [] : [`with ${changed}`]),
    ...(always ? ['for the rest of the chain'] : []),
    ...(counts ? [] : ['void since the arguments were changed']),
    ...(counts && partly ? ['as one of several'] : []),
  ];
  return `${[said(what, by), ...how].join(', ')}${because(reason)}.`;
}

function said(what: Decided['what'], by: string | null): string {
  if (what === 'expired') return 'Nobody decided in time';
  if (what === 'happened' || what === 'not_happened') return `${words[what]}, says ${by ?? 'somebody'}`;
  return words[what] + byWhom(by);
}

const words = {
  approved: 'Approved',
  denied: 'Denied',
  answered: 'Answered',
  happened: 'It happened',
  not_happened: 'It did not happen',
  given_up: 'Given up',
} as const satisfies { readonly [what in Exclude<Decided['what'], 'expired'>]: string };

/** Why a chain rejects a command: a stable code, and a sentence for the person who sent it. */

/** One row for each code: what it means. docs/codes.md is made from this table. */
export const rejectionCodes = {
  unreadable: 'The command is not valid JSON of its kind.',
  duplicate: 'A command with this id was accepted before.',
  other_chain: 'The command names another chain.',
  ending: 'The chain is about to end.',
  not_ready: 'The agent of the chain is not known yet.',
  not_permitted: 'The agent does not permit this command to the roles of the sender.',
  call_not_found: 'The chain has no such call.',
  call_not_waiting: 'The call awaits no decision, or has no wait to end.',
  request_expired: 'The time to decide has expired.',
  call_changed: 'The digest is not that of the call as it is now.',
  not_entitled: 'The sender may not decide this request: by role, or because the chain is the sender’s own.',
  sender_missing: 'The decision needs the name of its sender.',
  sender_ambiguous: 'The name of the sender mixes alphabets.',
  wrong_decision: 'The request takes another kind of decision.',
  already_approved: 'The sender has approved this call before.',
  arguments_fixed: 'The arguments of this call cannot be changed.',
  arguments_invalid: 'The changed arguments do not match the tool’s schema.',
  answer_invalid: 'The answer does not match the schema of the question.',
  queue_full: 'More commands wait for the chain than it takes at once.',
  too_long: 'The content is longer than the limit.',
  empty: 'The command has no content.',
  already_paused: 'The chain is paused.',
  not_paused: 'The chain is not paused, and nothing holds it.',
  breakpoints_full: 'The chain has as many breakpoints as it keeps.',
  breakpoint_passed: 'The step of the breakpoint has started.',
  breakpoint_unknown: 'The breakpoint names a tool or a cost that the agent does not have.',
  signal_invalid: 'The name of a signal is invalid.',
  signal_unawaited: 'The agent has no tool whose calls wait for signals.',
  limit_invalid: 'A limit is invalid, or the chain does not have it.',
  limit_lowered: 'Limits can only be raised.',
  limit_reached: 'The chain waits at a limit, which a resume does not raise.',
  limit_over_share: 'The limit exceeds the share of the parent’s budget.',
} as const satisfies { readonly [code: string]: string };

export type RejectionCode = keyof typeof rejectionCodes;

export interface Rejection {
  readonly code: RejectionCode;
  /** What is wrong, with the value; then the fix. */
  readonly message: string;
}

export function isRejectionCode(code: unknown): code is RejectionCode {
  return typeof code === 'string' && Object.hasOwn(rejectionCodes, code);
}

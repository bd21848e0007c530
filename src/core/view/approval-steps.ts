/** Requests to people about a call: each is a step of its own, with one line that says what became of it. */

import { callKey } from '../lib/digest.js';
import type { Json } from '../lib/json.js';
import { approvalsOf, type CallRequest, type Decided, decisive, questionIn, rolesOf } from '../model/ask.js';
import type { Call } from '../model/chain.js';
import type { ApprovalStatus, ApprovalStep } from './reasoning.js';

interface Around {
  readonly number: number;
  readonly toolKind: string;
  /** Milliseconds since 1970 as of which it is told. */
  readonly now: number;
  /** Whether the chain has ended. */
  readonly ended: boolean;
}

export function approvalSteps(call: Call, around: Around): readonly ApprovalStep[] {
  let input = call.changedFrom === undefined ? call.input : call.changedFrom;
  return (call.requests ?? []).map((request, index) => {
    const step = approvalStep(call, request, { ...around, index, input });
    if (step.changedInput !== undefined) input = step.changedInput;
    return step;
  });
}

function approvalStep(
  call: Call,
  { kind, rules, digest, askedAt, expiresAt, decisions }: CallRequest,
  { number, toolKind, now, ended, index, input }: Around & { readonly index: number; readonly input: Json },
): ApprovalStep {
  const { id, tool } = call;
  const { reason, risk, approvers, onExpiry, escalation } = rules;
  const decided = decisive(decisions);
  const changedInput = decisions.findLast((each) => each.input !== undefined)?.input;
  const escalatesAt = escalation === null ? null : askedAt + escalation.afterMs;
  return {
    kind: 'approval',
    id: `${id}p${index + 1}`,
    number,
    at: askedAt,
    correlationId: id,
    tool,
    toolKind,
    request: kind,
    reason,
    risk,
    roles: rolesOf({ rules, escalatesAt }, decided?.at ?? now),
    approvers,
    onExpiry,
    digest: changedInput === undefined ? digest : callKey(tool, changedInput),
    input,
    ...(changedInput === undefined ? {} : { changedInput }),
    status: statusOf(call, decided, ended),
    decisions,
    expiresAt,
    durationMs: decided === null ? null : decided.at - askedAt,
  };
}

function statusOf({ status }: Call, decided: Decided | null, ended: boolean): ApprovalStatus {
  if (decided !== null) return decided.what;
  return status === 'pending' && !ended ? 'waiting' : 'not_decided';
}

/** Milliseconds in which nothing was done with a call but people were waited for. */
export function waitedMs({ requests = [], endedAt }: Call): number {
  return requests.reduce((sum, { askedAt, decisions }) => {
    const until = decisive(decisions)?.at ?? endedAt ?? askedAt;
    return sum + until - askedAt;
  }, 0);
}

export function sayApproval({ request, tool, input, status, decisions }: ApprovalStep): string {
  const last = decisions.at(-1);
  // Of several who approved, all did.
  const decided = last?.what === 'approved' ? approvalsOf(decisions) : decisions.slice(-1);
  const people = decided.flatMap(({ by }) => by ?? []);
  const who = people.length === 0 ? null : people.join(' and ');
  const said = { who: who ?? 'A person', by: who === null ? '' : ` by ${who}`, tool };
  switch (request) {
    case 'approval': {
      const changed = decisions.some(({ input }) => input !== undefined) ? ' with other arguments' : '';
      return ofApproval(status, { ...said, changed });
    }
    case 'outcome':
      return ofOutcome(status, said);
    case 'question':
      return ofQuestion(status, { ...said, question: questionIn(input) });
  }
}

interface Said {
  readonly who: string;
  readonly by: string;
  readonly tool: string;
}

function ofApproval(status: ApprovalStatus, { who, by, tool, changed }: Said & { readonly changed: string }): string {
  switch (status) {
    case 'waiting':
      return `Waiting for approval of ${tool}`;
    case 'approved':
      return `${tool} was approved${changed}${by}`;
    case 'denied':
      return `${tool} was denied${by}`;
    case 'answered':
      return `${who} answered instead of ${tool}`;
    case 'expired':
      return `Nobody decided on ${tool} in time`;
    default:
      return `Nobody decided on ${tool} before the chain ended`;
  }
}

function ofOutcome(status: ApprovalStatus, { who, tool }: Said): string {
  switch (status) {
    case 'waiting':
      return `Waiting to be told whether ${tool} was done`;
    case 'happened':
      return `${who} said that ${tool} was done`;
    case 'not_happened':
      return `${who} said that ${tool} was not done`;
    case 'expired':
      return `Nobody said in time whether ${tool} was done`;
    default:
      return `Nobody could tell whether ${tool} was done`;
  }
}

function ofQuestion(
  status: ApprovalStatus,
  { who, tool, question }: Said & { readonly question: string | null },
): string {
  switch (status) {
    case 'waiting':
      return question === null ? `Waiting for an answer to ${tool}` : `Waiting for an answer: ${question}`;
    case 'answered':
      return `${who} answered ${tool}`;
    case 'denied':
      return `${who} did not want to answer ${tool}`;
    case 'expired':
      return `Nobody answered ${tool} in time`;
    default:
      return `Nobody answered ${tool} before the chain ended`;
  }
}

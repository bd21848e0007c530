/** What people were asked about a call, each request a step of its own. */

import { callKey } from '../lib/digest.js';
import type { Json } from '../lib/json.js';
import { type CallRequest, type Decided, decisive, rolesOf } from '../model/ask.js';
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

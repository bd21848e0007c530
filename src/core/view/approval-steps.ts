/** Requests to people about a call: each is a step with one line on its status. */

import { computeCallKey, type Json, omitUndefined } from '../lib/index.js';
import {
  type Call,
  type CallRequest,
  type Decision,
  findDecision,
  findQuestion,
  getSubject,
  listApprovals,
  listDecidingRoles,
} from '../model/index.js';
import type { ApprovalStatus, ApprovalStep } from './reasoning.js';

interface ApprovalContext {
  readonly number: number;
  readonly toolKind: string;
  /** Milliseconds since 1970 of the view. */
  readonly now: number;
  /** Whether the chain has ended. */
  readonly ended: boolean;
  /** Of the call. */
  readonly visibility?: ApprovalStep['visibility'];
}

export function toApprovalSteps(call: Call, context: ApprovalContext): readonly ApprovalStep[] {
  let input = call.changedFrom === undefined ? call.input : call.changedFrom;
  return (call.requests ?? []).map((request, index) => {
    const step = toApprovalStep(call, request, { ...context, index, input });
    if (step.changedInput !== undefined) input = step.changedInput;
    return step;
  });
}

function toApprovalStep(
  call: Call,
  { kind, question, rules, digest, requestedAt, expiresAt, decisions }: CallRequest,
  {
    number,
    toolKind,
    now,
    ended,
    visibility,
    index,
    input,
  }: ApprovalContext & { readonly index: number; readonly input: Json },
): ApprovalStep {
  const { id, tool } = call;
  const { reason, risk, approvers, onExpiry, escalation } = rules;
  const decided = findDecision(decisions);
  const changedInput = decisions.findLast((decision) => decision.input !== undefined)?.input;
  const escalatesAt = escalation === null ? null : requestedAt + escalation.afterMs;
  return {
    kind: 'approval',
    id: `${id}p${index + 1}`,
    number,
    at: requestedAt,
    correlationId: id,
    tool,
    toolKind,
    request: kind,
    reason,
    risk,
    roles: listDecidingRoles({ rules, escalatesAt }, decided?.at ?? now),
    approvers,
    onExpiry,
    digest: changedInput === undefined ? digest : computeCallKey(tool, changedInput),
    input: getSubject(omitUndefined({ question }), input),
    ...(question === undefined ? {} : { byTool: true as const }),
    ...(changedInput === undefined ? {} : { changedInput }),
    status: toApprovalStatus(call, decided, ended),
    decisions,
    expiresAt,
    durationMs: decided === null ? null : decided.at - requestedAt,
    ...(visibility === undefined ? {} : { visibility }),
  };
}

function toApprovalStatus({ status }: Call, decided: Decision | null, ended: boolean): ApprovalStatus {
  if (decided !== null) return decided.kind;
  return status === 'pending' && !ended ? 'waiting' : 'not_decided';
}

export function describeApprovalStep({ request, tool, input, status, decisions }: ApprovalStep): string {
  const last = decisions.at(-1);
  // An approval names everybody who approved.
  const decided = last?.kind === 'approved' ? listApprovals(decisions) : decisions.slice(-1);
  const people = decided.flatMap(({ by }) => by ?? []);
  const who = people.length === 0 ? null : people.join(' and ');
  const texts = { person: who ?? 'A person', byPerson: who === null ? '' : ` by ${who}`, tool };
  switch (request) {
    case 'approval': {
      const changed = decisions.some(({ input }) => input !== undefined) ? ' with other arguments' : '';
      return describeApproval(status, { ...texts, changed });
    }
    case 'outcome':
      return describeOutcomeRequest(status, texts);
    case 'question':
      return describeQuestion(status, { ...texts, question: findQuestion(input) });
  }
}

interface ApprovalWording {
  readonly person: string;
  readonly byPerson: string;
  readonly tool: string;
}

function describeApproval(
  status: ApprovalStatus,
  { person, byPerson, tool, changed }: ApprovalWording & { readonly changed: string },
): string {
  switch (status) {
    case 'waiting':
      return `Waiting for approval of ${tool}`;
    case 'approved':
      return `${tool} was approved${changed}${byPerson}`;
    case 'denied':
      return `${tool} was denied${byPerson}`;
    case 'answered':
      return `${person} answered instead of ${tool}`;
    case 'expired':
      return `The approval request for ${tool} expired`;
    default:
      return `${tool} was not decided before the chain ended`;
  }
}

function describeOutcomeRequest(status: ApprovalStatus, { person, tool }: ApprovalWording): string {
  switch (status) {
    case 'waiting':
      return `Waiting for the outcome of ${tool}`;
    case 'happened':
      return `${person} reported that ${tool} happened`;
    case 'not_happened':
      return `${person} reported that ${tool} did not happen`;
    case 'expired':
      return `The request for the outcome of ${tool} expired`;
    default:
      return `The outcome of ${tool} remained unknown`;
  }
}

function describeQuestion(
  status: ApprovalStatus,
  { person, tool, question }: ApprovalWording & { readonly question: string | null },
): string {
  switch (status) {
    case 'waiting':
      return question === null ? `Waiting for an answer to ${tool}` : `Waiting for an answer: ${question}`;
    case 'answered':
      return `${person} answered ${tool}`;
    case 'denied':
      return `${person} declined to answer ${tool}`;
    case 'expired':
      return `The question of ${tool} expired`;
    default:
      return `${tool} was not answered before the chain ended`;
  }
}

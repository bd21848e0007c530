/** Requests to people about a call, and their decisions, as lines. */

import { formatDecision, listRequestRemarks } from '../../engine/index.js';
import { formatArguments, formatLongDuration, formatTime, type Json } from '../../lib/index.js';
import { type Decision, findQuestion, listApprovals, type RequestKind } from '../../model/index.js';
import type { FullStep } from '../reasoning-view.js';
import { createLine, createNamedLabel, type Line, type Remark, toWords } from './line.js';

type ApprovalView = Extract<FullStep, { kind: 'approval' }>;

export function formatRequestLines(step: ApprovalView, detail: 'short' | 'full'): readonly Line[] {
  if (detail === 'full') return formatFullRequest(step);
  const { request, tool, status, durationMs, decisions } = step;
  return [
    ...decisions.map((decided) => {
      const took = decided === decisions.at(-1) && durationMs !== null ? [formatLongDuration(durationMs)] : [];
      return formatDecisionLine({ request, tool, decision: decided, decisions }, took);
    }),
    ...(status === 'waiting' ? [formatWaitingLine(step, listApprovals(decisions).length, findToolQuestion(step))] : []),
    ...(status === 'not_decided' ? [formatUndecidedLine(step)] : []),
  ];
}

/**
 * A waiting request. A notice explains an unknown outcome; the question of `ask_user` is in its call.
 *
 * @param question that of a running tool, as it may be shown
 */
function formatWaitingLine(
  step: Pick<ApprovalView, 'request' | 'tool' | 'reason' | 'risk' | 'roles' | 'approvers' | 'onExpiry' | 'expiresAt'>,
  approved: number,
  question: string | null = null,
): Line {
  const { request, tool, reason } = step;
  const text = {
    approval: `Waits for approval. ${reason}`,
    outcome: 'Waits for a person to resolve the outcome.',
    question: question === null ? 'Waits for an answer.' : `Waits for an answer: ${question}`,
  };
  const remarks = listRequestRemarks({ ...step, kind: request, approved }, null).map(
    (remark): Remark => ({ text: remark }),
  );
  return createLine(createNamedLabel(request, 'person', tool), {
    content: text[request],
    style: 'warning',
    remarks,
  });
}

export interface DecisionLineInput {
  readonly request: RequestKind;
  readonly tool: string;
  readonly decision: Decision;
  /** All decisions of the request. Default: this one. */
  readonly decisions?: readonly Decision[];
  /** The changed arguments as they may be shown. Default: those of the decision. */
  readonly changed?: Json;
}

export function formatDecisionLine(
  { request, tool, decision, decisions = [decision], changed = decision.input }: DecisionLineInput,
  remarks: readonly Remark[] = [],
): Line {
  const text = formatDecision(decision, changed === undefined ? null : formatArguments(changed), decisions);
  return createLine(createNamedLabel(request, 'person', tool), {
    content: text,
    style: isPositive(decision) ? 'good' : 'warning',
    remarks,
  });
}

function isPositive({ kind }: Decision): boolean {
  return kind === 'approved' || kind === 'answered' || kind === 'happened' || kind === 'not_happened';
}

function findToolQuestion({ byTool, input }: ApprovalView): string | null {
  return byTool ? findQuestion(input) : null;
}

function formatUndecidedLine({ request, tool }: ApprovalView): Line {
  return createLine(createNamedLabel(request, 'person', tool), {
    content: 'Not decided: the chain ended first.',
    style: 'warning',
  });
}

function formatFullRequest(step: ApprovalView): readonly Line[] {
  const { request, tool, status, reason, decisions, digest, durationMs } = step;
  const remarks: readonly Remark[] = [
    toWords(status),
    ...listRequestRemarks({ ...step, kind: request, approved: listApprovals(decisions).length }, null).map((text) => ({
      text,
    })),
    `digest ${digest}`,
    ...(durationMs === null ? [] : [`decided after ${formatLongDuration(durationMs)}`]),
  ];
  const decided = decisions.flatMap((decision): readonly Line[] => [
    createLine(createNamedLabel('decision', 'person'), {
      content: formatDecision(decision, null, decisions),
      remarks: [
        formatTime(decision.at),
        ...(decision.roles.length === 0 ? [] : [{ text: `as ${decision.roles.join(', ')}` }]),
      ],
    }),
    ...(decision.input === undefined
      ? []
      : [createLine(createNamedLabel('changed to', 'person'), { content: decision.input, form: 'arguments' })]),
  ]);
  return [createLine(createNamedLabel(request, 'person', tool), { content: reason, remarks }), ...decided];
}

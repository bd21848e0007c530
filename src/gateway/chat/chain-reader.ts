/**
 * Reads the events of `watch` as parts of a chat.
 *
 * 1. Tokens are a draft until their step is recorded: then the draft is confirmed, or discarded and replaced.
 * 2. A step, a call and a result become a part once, however often they are emitted; arguments again if they changed.
 * 3. The same events give the same parts, on any gateway and at any time; only drafts and interim results depend on the
 *    reader being there.
 */

import type { WatchEvent } from '../../client/follow/event.js';
import type { EventPosition } from '../../client/read/read-chain.js';
import { type Json, toCanonicalJson, toValueText } from '../../core/lib/json.js';
import type { RequestKind } from '../../core/model/request.js';
import type { FullStep, ReasoningView, StepView } from '../../core/view/reasoning-view.js';
import { createDraftReader } from './chat-draft.js';
import type { ChatCost, ChatPart } from './chat-part.js';

/** A request that waits, as the viewer sees it. */
export interface WaitingRequest {
  readonly call: string;
  /** Null where the viewer sees a line only. */
  readonly kind: RequestKind | null;
  readonly digest: string | null;
  readonly tool: string | null;
  readonly input: Json;
  readonly reason: string | null;
}

/** An event of `watch`, from any place. */
export type ReadableEvent = WatchEvent extends infer E
  ? E extends WatchEvent
    ? Omit<E, keyof EventPosition>
    : never
  : never;

export interface ChainReader {
  readonly read: (event: ReadableEvent) => readonly ChatPart[];
  /** The visible requests that wait, as of the last event. */
  readonly listWaiting: () => readonly WaitingRequest[];
  readonly getCost: () => ChatCost;
}

type Full<K extends StepView['kind']> = Extract<FullStep, { readonly kind: K }>;

export function createChainReader(): ChainReader {
  let step: number | null = null;
  let cost: ChatCost = { tokens: 0, costUsd: null };
  let lastPlan = '';
  const readIds = new Set<string>();
  /** Arguments of calls, to find changes. */
  const inputs = new Map<string, string>();
  const results = new Set<string>();
  const approvals = new Set<string>();
  const waitingRequests = new Map<string, WaitingRequest>();

  const enterStep = (number: number): readonly ChatPart[] => {
    if (step !== null && number <= step) return [];
    const before = finishStep();
    step = number;
    return [...before, { type: 'step-started', step: number }];
  };
  const finishStep = (): readonly ChatPart[] => {
    if (step === null) return [];
    const finished = step;
    step = null;
    return [{ type: 'step-finished', step: finished }];
  };
  const draft = createDraftReader(enterStep);

  const readText = (type: 'answer' | 'thought', { id, number }: StepView, text: string): readonly ChatPart[] => {
    if (readIds.has(id)) return [];
    readIds.add(id);
    const confirmation = draft.confirm(number, type, text);
    if (confirmation !== null) return confirmation;
    return [...draft.discard(), ...enterStep(number), ...(text === '' ? [] : [{ type, id, text } as const])];
  };

  const readCall = (
    { number }: StepView,
    call: { readonly id: string; readonly tool: string | null; readonly input: Json; readonly line: string | null },
  ): readonly ChatPart[] => {
    const key = toCanonicalJson([call.tool, call.input]);
    if (inputs.get(call.id) === key) return [];
    inputs.set(call.id, key);
    const { id, tool, input, line } = call;
    return [
      ...draft.discard(),
      ...enterStep(number),
      { type: 'call', call: id, tool: tool ?? hiddenTool, input, line },
    ];
  };

  const readApproval = (request: Full<'approval'>): readonly ChatPart[] => {
    const { id, correlationId: call, status, tool, digest, reason } = request;
    if (status === 'waiting') {
      waitingRequests.set(call, { call, kind: request.request, digest, tool, input: request.input, reason });
      return [];
    }
    waitingRequests.delete(call);
    if (request.request !== 'approval' || status === 'not_decided' || readIds.has(id)) return [];
    readIds.add(id);
    approvals.add(call);
    const approved = status === 'expired' ? request.onExpiry === 'approve' : status !== 'denied';
    const decision = request.decisions.at(-1);
    return [{ type: 'decided', call, digest, approved, reason: decision?.reason ?? null }];
  };

  /** A line has neither the kind of the request nor its digest. */
  const readApprovalLine = (
    { id, status, tool, summary }: Extract<StepView, { level: 'summary' }>,
    call: string,
  ): readonly ChatPart[] => {
    if (status === 'waiting') {
      waitingRequests.set(call, { call, kind: null, digest: null, tool, input: null, reason: summary });
      return [];
    }
    waitingRequests.delete(call);
    if ((status !== 'approved' && status !== 'denied') || readIds.has(id)) return [];
    readIds.add(id);
    approvals.add(call);
    return [{ type: 'decided', call, digest: null, approved: status === 'approved', reason: null }];
  };

  const readResult = (call: string, status: Full<'tool_result'>['status'], observation: Json): readonly ChatPart[] => {
    if (results.has(call) || !inputs.has(call)) return [];
    results.add(call);
    waitingRequests.delete(call);
    return [{ type: 'result', call, status, denied: status === 'denied' && approvals.has(call), observation }];
  };

  const readNotice = (id: string, code: string, text: string): readonly ChatPart[] => {
    if (readIds.has(id)) return [];
    readIds.add(id);
    return [{ type: 'notice', id, code, text }];
  };

  const readFull = (seen: FullStep): readonly ChatPart[] => {
    switch (seen.kind) {
      case 'thinking':
        return readText('thought', seen, seen.thought ?? '');
      case 'tool_call':
        return readCall(seen, { ...seen, line: seen.line ?? null });
      case 'approval':
        return readApproval(seen);
      case 'tool_result':
        return readResult(seen.correlationId, seen.status, seen.observation);
      case 'synthesis':
        return readText('answer', seen, toValueText(seen.conclusion));
      case 'notice':
        return readNotice(seen.id, seen.notice, seen.text);
    }
  };

  const readLine = (seen: Extract<StepView, { level: 'summary' }>): readonly ChatPart[] => {
    const { id, kind, summary, status, tool } = seen;
    const call = seen.correlationId ?? '';
    switch (kind) {
      case 'thinking':
        return readText('thought', seen, summary);
      case 'tool_call':
        return readCall(seen, { id, tool, input: {}, line: summary });
      case 'approval':
        return readApprovalLine(seen, call);
      case 'tool_result':
        return readResult(call, (status as Full<'tool_result'>['status'] | null) ?? 'ok', summary);
      case 'synthesis':
        return readText('answer', seen, summary);
      case 'notice':
        return readNotice(id, 'notice', summary);
    }
  };

  const readStep = (seen: StepView): readonly ChatPart[] => {
    if (seen.level === 'full') return readFull(seen);
    if (seen.level === 'summary') return readLine(seen);
    return seen.kind === 'tool_result' ? readResult(seen.id.replace(/r$/, ''), 'ok', null) : [];
  };

  const readCost = ({ tokens, costUsd }: ChatCost): readonly ChatPart[] => {
    if (cost.tokens === tokens && cost.costUsd === costUsd) return [];
    cost = { tokens, costUsd };
    return [{ type: 'cost', cost }];
  };

  const readEnd = (view: ReasoningView): readonly ChatPart[] => {
    const parts: ChatPart[] = [...view.steps.flatMap(readStep), ...draft.discard()];
    for (const call of inputs.keys()) parts.push(...readResult(call, 'not_run', null));
    const hasAnswer = view.steps.some(({ kind, level }) => kind === 'synthesis' && level !== 'hidden');
    const rest = view.answer === null || hasAnswer ? view.partial : toValueText(view.answer);
    if (rest !== null && rest !== '') parts.push({ type: 'answer', id: 'end', text: rest });
    parts.push(...finishStep(), ...readCost(view), { type: 'ended', view });
    return parts;
  };

  return {
    read: (event) => {
      switch (event.type) {
        case 'view-opened':
          return [];
        case 'step-changed':
          return readStep(event.step);
        case 'token':
          return draft.add(event);
        case 'interim-result':
          return event.interim === null || !inputs.has(event.call) || results.has(event.call)
            ? []
            : [{ type: 'interim', call: event.call, value: event.interim.value }];
        case 'sub-chain-changed':
          return [{ type: 'sub-chain', child: event.child }];
        case 'turn-completed': {
          const plan = event.plan === undefined ? '' : toCanonicalJson(event.plan);
          const isNew = event.plan !== undefined && plan !== lastPlan;
          lastPlan = plan;
          return [...(isNew ? [{ type: 'plan', plan: event.plan } as const] : []), ...readCost(event)];
        }
        case 'view-completed':
          return readEnd(event.view);
      }
    },
    listWaiting: () => [...waitingRequests.values()],
    getCost: () => cost,
  };
}

/** Name of a tool that the viewer may not know. */
const hiddenTool = 'tool';

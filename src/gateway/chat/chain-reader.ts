/**
 * Reads the events of `watch` as parts of a chat.
 *
 * 1. Tokens are a draft until their step is recorded: then the draft is confirmed, or discarded and replaced.
 * 2. A step, a call and a result become a part once, however often they are emitted; arguments again if they changed.
 * 3. The same events give the same parts, on any gateway and at any time; only drafts and interim results depend on the
 *    reader being there.
 */

import type { EventPosition, WatchEvent } from '../../client/index.js';
import { type Json, toCanonicalJson, toValueText } from '../../core/lib/index.js';
import type { RequestKind } from '../../core/model/index.js';
import type { FullStep, ReasoningView, StepView } from '../../core/view/index.js';
import { createDraftReader } from './chat-draft.js';
import type { ChatCost, ChatPart } from './chat-part.js';

/** A request that waits, as the viewer sees it. */
export interface WaitingRequest {
  readonly call: string;
  /** Null if the viewer sees a line only. */
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

type Full<K extends StepView['kind']> = Extract<FullStep, { readonly kind: K }>;

export class ChainReader {
  private step: number | null = null;
  private cost: ChatCost = { tokens: 0, costUsd: null };
  private lastPlan = '';
  private readonly readIds = new Set<string>();
  /** Arguments of calls, to find changes. */
  private readonly inputs = new Map<string, string>();
  private readonly results = new Set<string>();
  private readonly approvals = new Set<string>();
  private readonly waitingRequests = new Map<string, WaitingRequest>();
  private readonly draft = createDraftReader((number) => this.enterStep(number));

  read(event: ReadableEvent): readonly ChatPart[] {
    switch (event.type) {
      case 'view-opened':
        return [];
      case 'step-changed':
        return this.readStep(event.step);
      case 'token':
        return this.draft.add(event);
      case 'interim-result':
        return event.interim === null || !this.inputs.has(event.call) || this.results.has(event.call)
          ? []
          : [{ type: 'interim', call: event.call, value: event.interim.value }];
      case 'sub-chain-changed':
        return [{ type: 'sub-chain', child: event.child }];
      case 'turn-completed': {
        const plan = event.plan === undefined ? '' : toCanonicalJson(event.plan);
        const isNew = event.plan !== undefined && plan !== this.lastPlan;
        this.lastPlan = plan;
        return [...(isNew ? [{ type: 'plan', plan: event.plan } as const] : []), ...this.readCost(event)];
      }
      case 'view-completed':
        return this.readEnd(event.view);
    }
  }

  /** The visible requests that wait, as of the last event. */
  listWaiting(): readonly WaitingRequest[] {
    return [...this.waitingRequests.values()];
  }

  getCost(): ChatCost {
    return this.cost;
  }

  private enterStep(number: number): readonly ChatPart[] {
    if (this.step !== null && number <= this.step) return [];
    const before = this.finishStep();
    this.step = number;
    return [...before, { type: 'step-started', step: number }];
  }

  private finishStep(): readonly ChatPart[] {
    if (this.step === null) return [];
    const finished = this.step;
    this.step = null;
    return [{ type: 'step-finished', step: finished }];
  }

  private readText(type: 'answer' | 'thought', { id, number }: StepView, text: string): readonly ChatPart[] {
    if (this.readIds.has(id)) return [];
    this.readIds.add(id);
    const confirmation = this.draft.confirm(number, type, text);
    if (confirmation !== null) return confirmation;
    return [...this.draft.discard(), ...this.enterStep(number), ...(text === '' ? [] : [{ type, id, text } as const])];
  }

  private readCall(
    { number }: StepView,
    call: { readonly id: string; readonly tool: string | null; readonly input: Json; readonly line: string | null },
  ): readonly ChatPart[] {
    const key = toCanonicalJson([call.tool, call.input]);
    if (this.inputs.get(call.id) === key) return [];
    this.inputs.set(call.id, key);
    const { id, tool, input, line } = call;
    return [
      ...this.draft.discard(),
      ...this.enterStep(number),
      { type: 'call', call: id, tool: tool ?? hiddenTool, input, line },
    ];
  }

  private readApproval(request: Full<'approval'>): readonly ChatPart[] {
    const { id, correlationId: call, status, tool, digest, reason } = request;
    if (status === 'waiting') {
      this.waitingRequests.set(call, { call, kind: request.request, digest, tool, input: request.input, reason });
      return [];
    }
    this.waitingRequests.delete(call);
    if (request.request !== 'approval' || status === 'not_decided' || this.readIds.has(id)) return [];
    this.readIds.add(id);
    this.approvals.add(call);
    const approved = status === 'expired' ? request.onExpiry === 'approve' : status !== 'denied';
    const decision = request.decisions.at(-1);
    return [{ type: 'decided', call, digest, approved, reason: decision?.reason ?? null }];
  }

  /** A line has neither the kind of the request nor its digest. */
  private readApprovalLine(
    { id, status, tool, summary }: Extract<StepView, { level: 'summary' }>,
    call: string,
  ): readonly ChatPart[] {
    if (status === 'waiting') {
      this.waitingRequests.set(call, { call, kind: null, digest: null, tool, input: null, reason: summary });
      return [];
    }
    this.waitingRequests.delete(call);
    if ((status !== 'approved' && status !== 'denied') || this.readIds.has(id)) return [];
    this.readIds.add(id);
    this.approvals.add(call);
    return [{ type: 'decided', call, digest: null, approved: status === 'approved', reason: null }];
  }

  private readResult(call: string, status: Full<'tool_result'>['status'], observation: Json): readonly ChatPart[] {
    if (this.results.has(call) || !this.inputs.has(call)) return [];
    this.results.add(call);
    this.waitingRequests.delete(call);
    return [{ type: 'result', call, status, denied: status === 'denied' && this.approvals.has(call), observation }];
  }

  private readNotice(id: string, code: string, text: string): readonly ChatPart[] {
    if (this.readIds.has(id)) return [];
    this.readIds.add(id);
    return [{ type: 'notice', id, code, text }];
  }

  private readFull(fullStep: FullStep): readonly ChatPart[] {
    switch (fullStep.kind) {
      case 'thinking':
        return this.readText('thought', fullStep, fullStep.thought ?? '');
      case 'tool_call':
        return this.readCall(fullStep, { ...fullStep, line: fullStep.line ?? null });
      case 'approval':
        return this.readApproval(fullStep);
      case 'tool_result':
        return this.readResult(fullStep.correlationId, fullStep.status, fullStep.observation);
      case 'synthesis':
        return this.readText('answer', fullStep, toValueText(fullStep.conclusion));
      case 'notice':
        return this.readNotice(fullStep.id, fullStep.notice, fullStep.text);
    }
  }

  private readLine(step: Extract<StepView, { level: 'summary' }>): readonly ChatPart[] {
    const { id, kind, summary, status, tool } = step;
    const call = step.correlationId ?? '';
    switch (kind) {
      case 'thinking':
        return this.readText('thought', step, summary);
      case 'tool_call':
        return this.readCall(step, { id, tool, input: {}, line: summary });
      case 'approval':
        return this.readApprovalLine(step, call);
      case 'tool_result':
        return this.readResult(call, (status as Full<'tool_result'>['status'] | null) ?? 'ok', summary);
      case 'synthesis':
        return this.readText('answer', step, summary);
      case 'notice':
        return this.readNotice(id, 'notice', summary);
    }
  }

  private readStep(stepView: StepView): readonly ChatPart[] {
    if (stepView.level === 'full') return this.readFull(stepView);
    if (stepView.level === 'summary') return this.readLine(stepView);
    return stepView.kind === 'tool_result' ? this.readResult(stepView.id.replace(/r$/, ''), 'ok', null) : [];
  }

  private readCost({ tokens, costUsd }: ChatCost): readonly ChatPart[] {
    if (this.cost.tokens === tokens && this.cost.costUsd === costUsd) return [];
    this.cost = { tokens, costUsd };
    return [{ type: 'cost', cost: this.cost }];
  }

  private readEnd(view: ReasoningView): readonly ChatPart[] {
    const parts: ChatPart[] = [...view.steps.flatMap((step) => this.readStep(step)), ...this.draft.discard()];
    for (const call of this.inputs.keys()) parts.push(...this.readResult(call, 'not_run', null));
    const hasAnswer = view.steps.some(({ kind, level }) => kind === 'synthesis' && level !== 'hidden');
    const rest = view.answer === null || hasAnswer ? view.partial : toValueText(view.answer);
    if (rest !== null && rest !== '') parts.push({ type: 'answer', id: 'end', text: rest });
    parts.push(...this.finishStep(), ...this.readCost(view), { type: 'ended', view });
    return parts;
  }
}

/** Name of a tool that the viewer may not know. */
const hiddenTool = 'tool';

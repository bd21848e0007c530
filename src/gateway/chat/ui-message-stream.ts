/**
 * Encodes the parts of a chat as chunks of the AI SDK's UI message stream.
 *
 * A client of version 6 fails at a chunk that it does not know: `reset-step`, which takes back the parts of a step, and
 * `tool-approval-response`. For it, text that was streamed stays, a raw reply is not streamed, and a call that was approved
 * is sent again, as one that runs.
 */

import { type JsonObject, toValueText } from '../../core/lib/index.js';
import { hasAnswer, hasResult } from '../../core/model/index.js';
import type { ReasoningView } from '../../core/view/index.js';
import type { ChatEncoder } from './chat-encoder.js';
import { formatCallId, formatRequestId } from './chat-ids.js';
import type { ChatPart, ChatRequest } from './chat-part.js';
import type { ChatData, ChatMetadata, FinishReason, UiMessageChunk } from './ui-message-chunk.js';

/** Major version of the AI SDK in the page. */
export type SdkVersion = 6 | 7;

type ChatPartOf<Type extends ChatPart['type']> = Extract<ChatPart, { type: Type }>;

type DraftPart = ChatPartOf<'draft-started' | 'draft-added' | 'draft-confirmed' | 'draft-discarded'>;

/** Encodes the parts of a chain in their order. The id of the message is that of the chain. */
export class UiEncoder implements ChatEncoder<UiMessageChunk> {
  /** Data since the step began: to reset a step removes them as well. */
  private stepData: readonly ChatData[] = [];
  private readonly drafts = new Map<string, 'text' | 'reasoning'>();
  private readonly calls = new Map<string, ChatPartOf<'call'>>();

  constructor(
    private readonly chainId: string,
    private readonly sdk: SdkVersion,
  ) {}

  start(): readonly UiMessageChunk[] {
    const messageMetadata = { chainId: this.chainId, outcome: null, tokens: 0, costUsd: null };
    return [{ type: 'start', messageId: this.chainId, messageMetadata }];
  }

  encode(part: ChatPart): readonly UiMessageChunk[] {
    switch (part.type) {
      case 'step-started':
        this.stepData = [];
        return [{ type: 'start-step' }];
      case 'step-finished':
        return [{ type: 'finish-step' }];
      case 'draft-started':
      case 'draft-added':
      case 'draft-confirmed':
      case 'draft-discarded':
        return this.encodeDraft(part);
      case 'thought':
        return encodeText('reasoning', part);
      case 'answer':
        return encodeText('text', part);
      case 'call':
        this.calls.set(part.call, part);
        return [toInputChunk(this.toCallId(part.call), part, true)];
      case 'requested':
        return this.encodeRequest(part.request);
      case 'decided':
        return this.encodeDecision(part);
      case 'interim': {
        const toolCallId = this.toCallId(part.call);
        return [{ type: 'tool-output-available', toolCallId, output: part.value, dynamic: true, preliminary: true }];
      }
      case 'result':
        return [toResultChunk(this.toCallId(part.call), part)];
      case 'notice': {
        const { id, code, text } = part;
        return this.addData({ type: 'data-notice', id, data: { code, text } });
      }
      case 'plan':
        return this.addData({ type: 'data-plan', id: 'plan', data: { ...part.plan } as unknown as JsonObject });
      case 'cost':
        return this.addData({ type: 'data-cost', id: 'cost', data: part.cost });
      case 'sub-chain': {
        const { chainId: id, agent, state, call, steps, requests } = part.child;
        const data = { agent, state, toolCallId: this.toCallId(call), steps, requests };
        return this.addData({ type: 'data-agent', id, data });
      }
      case 'suspended': {
        const messageMetadata = { chainId: this.chainId, outcome: null, ...part.cost };
        return [{ type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls', messageMetadata }];
      }
      case 'ended':
        return encodeEnd(this.chainId, part.view);
    }
  }

  catchUp(): readonly UiMessageChunk[] {
    return [];
  }

  fail(errorText: string): readonly UiMessageChunk[] {
    return [{ type: 'error', errorText }];
  }

  private encodeDraft(part: DraftPart): readonly UiMessageChunk[] {
    const { id } = part;
    const kind = this.drafts.get(id);
    switch (part.type) {
      case 'draft-started': {
        if (this.sdk === 6 && part.raw) return [];
        const started = part.raw ? 'reasoning' : 'text';
        this.drafts.set(id, started);
        return [{ type: `${started}-start`, id }];
      }
      case 'draft-added':
        return kind === undefined ? [] : [{ type: `${kind}-delta`, id, delta: part.text }];
      case 'draft-confirmed': {
        const { as, text, rest } = part;
        if (kind === undefined) return encodeText(as === 'thought' ? 'reasoning' : 'text', { id, text });
        if (as === 'thought' && this.sdk === 7) return [...this.resetStep(), ...encodeText('reasoning', { id, text })];
        const last = rest === '' ? [] : [{ type: `${kind}-delta`, id, delta: rest } as const];
        return [...last, { type: `${kind}-end`, id }];
      }
      case 'draft-discarded':
        if (this.sdk === 7) return this.resetStep();
        return kind === undefined ? [] : [{ type: `${kind}-end`, id }];
    }
  }

  private encodeRequest(request: ChatRequest): readonly UiMessageChunk[] {
    if (request.kind === 'approval') return [toApprovalRequest(this.chainId, request)];
    const toolCallId = this.toCallId(request.call);
    return [
      toInputChunk(toolCallId, { ...request, line: null }, false),
      ...this.addData(toQuestionData(toolCallId, request)),
    ];
  }

  private encodeDecision({ call, digest, approved, reason }: ChatPartOf<'decided'>): readonly UiMessageChunk[] {
    const toolCallId = this.toCallId(call);
    // A result follows for a call that was denied.
    if (this.sdk === 6) {
      const started = approved ? this.calls.get(call) : undefined;
      return started === undefined ? [] : [toInputChunk(toolCallId, started, true)];
    }
    const approvalId = digest === null ? toolCallId : formatRequestId(this.chainId, call, digest);
    return [
      // Again: the arguments may have changed, and with them the id. Other people's requests were not sent at all.
      { type: 'tool-approval-request', approvalId, toolCallId },
      { type: 'tool-approval-response', approvalId, approved, ...(reason === null ? {} : { reason }) },
    ];
  }

  private addData(data: ChatData): readonly UiMessageChunk[] {
    this.stepData = [...this.stepData.filter(({ id, type }) => id !== data.id || type !== data.type), data];
    return [data];
  }

  private resetStep(): readonly UiMessageChunk[] {
    return [{ type: 'reset-step' }, ...this.stepData];
  }

  private toCallId(call: string): string {
    return formatCallId(this.chainId, call);
  }
}

function encodeText(
  kind: 'text' | 'reasoning',
  { id, text }: { readonly id: string; readonly text: string },
): readonly UiMessageChunk[] {
  return [
    { type: `${kind}-start`, id },
    { type: `${kind}-delta`, id, delta: text },
    { type: `${kind}-end`, id },
  ];
}

function toInputChunk(
  toolCallId: string,
  { tool, input, line }: Pick<ChatPartOf<'call'>, 'tool' | 'input' | 'line'>,
  providerExecuted: boolean,
): UiMessageChunk {
  const title = line === null ? {} : { title: line };
  return { type: 'tool-input-available', toolCallId, toolName: tool, input, dynamic: true, providerExecuted, ...title };
}

function toApprovalRequest(chainId: string, { call, digest, reason }: ChatRequest): UiMessageChunk {
  return {
    type: 'tool-approval-request',
    approvalId: formatRequestId(chainId, call, digest),
    toolCallId: formatCallId(chainId, call),
    ...(reason === null ? {} : { reason }),
  };
}

function toQuestionData(toolCallId: string, { question, digest, expiresAt }: ChatRequest): ChatData {
  const content = question ?? { text: '', options: [], schema: null };
  return { type: 'data-question', id: toolCallId, data: { ...content, toolCallId, digest, expiresAt } };
}

function toResultChunk(toolCallId: string, { status, denied, observation }: ChatPartOf<'result'>): UiMessageChunk {
  if (denied) return { type: 'tool-output-denied', toolCallId };
  if (hasResult(status)) return { type: 'tool-output-available', toolCallId, output: observation, dynamic: true };
  const errorText = observation === null ? `The call has no result: ${status}.` : toValueText(observation);
  return { type: 'tool-output-error', toolCallId, errorText, dynamic: true };
}

export function toMetadata(
  chainId: string,
  { tokens, costUsd, outcome, reason }: Pick<ReasoningView, 'tokens' | 'costUsd' | 'outcome' | 'reason'>,
): ChatMetadata {
  return { chainId, outcome, tokens, costUsd, ...(reason === null ? {} : { reason }) };
}

function encodeEnd(chainId: string, view: ReasoningView): readonly UiMessageChunk[] {
  const { reason } = view;
  const messageMetadata = toMetadata(chainId, view);
  const finishReason = toFinishReason(view.outcome);
  const failed = finishReason === 'error';
  return [
    // Clients send a message again whose last step has only answered calls. This one has nothing to wait for.
    ...(hasAnswer(view.outcome) ? [] : [{ type: 'start-step' } as const, { type: 'finish-step' } as const]),
    // A client that throws at the error reads no further.
    ...(failed ? [{ type: 'message-metadata', messageMetadata } as const] : []),
    ...(failed ? [{ type: 'error', errorText: reason ?? 'The chain failed.' } as const] : []),
    { type: 'finish', finishReason, messageMetadata },
  ];
}

function toFinishReason(outcome: ReasoningView['outcome']): FinishReason {
  if (hasAnswer(outcome)) return 'stop';
  switch (outcome) {
    case 'max_iterations':
    case 'token_budget':
    case 'cost_budget':
    case 'timeout':
      return 'length';
    case 'refused':
      return 'content-filter';
    case 'failure':
    case 'terminated':
      return 'error';
    default:
      return 'other';
  }
}

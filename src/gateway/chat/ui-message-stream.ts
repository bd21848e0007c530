/**
 * Encodes the parts of a chat as chunks of the AI SDK's UI message stream.
 *
 * A client of version 6 fails at a chunk that it does not know: `reset-step`, which takes back the parts of a step, and
 * `tool-approval-response`. For it, text that was streamed stays, a raw reply is not streamed, and a call that was approved
 * is sent again, as one that runs.
 */

import { type JsonObject, toValueText } from '../../core/lib/json.js';
import { hasResult } from '../../core/model/chain.js';
import { hasAnswer } from '../../core/model/stop-reason.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import type { ChatEncoder } from './chat-encoder.js';
import { formatCallId, formatRequestId } from './chat-ids.js';
import type { ChatPart, ChatRequest } from './chat-part.js';
import type { ChatData, ChatMetadata, FinishReason, UiMessageChunk } from './ui-message-chunk.js';

/** Major version of the AI SDK in the page. */
export type SdkVersion = 6 | 7;

/** The id of the message is that of the chain. */
export function createUiStream(chainId: string, sdk: SdkVersion): ChatEncoder<UiMessageChunk> {
  const messageMetadata = { chainId, outcome: null, tokens: 0, costUsd: null };
  return {
    start: () => [{ type: 'start', messageId: chainId, messageMetadata }],
    encode: createUiEncoder(chainId, sdk),
    catchUp: () => [],
    fail: (text) => [{ type: 'error', errorText: text }],
  };
}

/** Creates a function that encodes the parts of a chain in their order. */
export function createUiEncoder(chainId: string, sdk: SdkVersion): ChatEncoder<UiMessageChunk>['encode'] {
  /** Data since the step began: to reset a step removes them as well. */
  let stepData: readonly ChatData[] = [];
  const drafts = new Map<string, 'text' | 'reasoning'>();
  const calls = new Map<string, Extract<ChatPart, { type: 'call' }>>();
  const toCallId = (call: string) => formatCallId(chainId, call);

  const addData = (data: ChatData): readonly UiMessageChunk[] => {
    stepData = [...stepData.filter(({ id, type }) => id !== data.id || type !== data.type), data];
    return [data];
  };
  const resetStep = (): readonly UiMessageChunk[] => [{ type: 'reset-step' }, ...stepData];

  return (part) => {
    switch (part.type) {
      case 'step-started':
        stepData = [];
        return [{ type: 'start-step' }];
      case 'step-finished':
        return [{ type: 'finish-step' }];
      case 'draft-started': {
        if (sdk === 6 && part.raw) return [];
        const kind = part.raw ? 'reasoning' : 'text';
        drafts.set(part.id, kind);
        return [{ type: `${kind}-start`, id: part.id }];
      }
      case 'draft-added': {
        const kind = drafts.get(part.id);
        return kind === undefined ? [] : [{ type: `${kind}-delta`, id: part.id, delta: part.text }];
      }
      case 'draft-confirmed': {
        const { id, as, text, rest } = part;
        const kind = drafts.get(id);
        if (kind === undefined) return encodeText(as === 'thought' ? 'reasoning' : 'text', { id, text });
        if (as === 'thought' && sdk === 7) return [...resetStep(), ...encodeText('reasoning', { id, text })];
        return [
          ...(rest === '' ? [] : [{ type: `${kind}-delta`, id, delta: rest } as const]),
          { type: `${kind}-end`, id },
        ];
      }
      case 'draft-discarded': {
        const kind = drafts.get(part.id);
        if (sdk === 7) return resetStep();
        return kind === undefined ? [] : [{ type: `${kind}-end`, id: part.id }];
      }
      case 'thought':
        return encodeText('reasoning', part);
      case 'answer':
        return encodeText('text', part);
      case 'call':
        calls.set(part.call, part);
        return [toInputChunk(toCallId(part.call), part, true)];
      case 'requested':
        return part.request.kind === 'approval'
          ? [toApprovalRequest(chainId, part.request)]
          : [
              toInputChunk(toCallId(part.request.call), { ...part.request, line: null }, false),
              ...addData(toQuestionData(toCallId(part.request.call), part.request)),
            ];
      case 'decided': {
        const { call, digest, approved, reason } = part;
        // A result follows for a call that was denied.
        if (sdk === 6) {
          const begun = approved ? calls.get(call) : undefined;
          return begun === undefined ? [] : [toInputChunk(toCallId(call), begun, true)];
        }
        const approvalId = digest === null ? toCallId(call) : formatRequestId(chainId, call, digest);
        return [
          // Again: the arguments may have changed, and with them the id. Other people's requests were not sent at all.
          { type: 'tool-approval-request', approvalId, toolCallId: toCallId(call) },
          { type: 'tool-approval-response', approvalId, approved, ...(reason === null ? {} : { reason }) },
        ];
      }
      case 'interim':
        return [
          {
            type: 'tool-output-available',
            toolCallId: toCallId(part.call),
            output: part.value,
            dynamic: true,
            preliminary: true,
          },
        ];
      case 'result':
        return [toResultChunk(toCallId(part.call), part)];
      case 'notice': {
        const { id, code, text } = part;
        return addData({ type: 'data-notice', id, data: { code, text } });
      }
      case 'plan':
        return addData({ type: 'data-plan', id: 'plan', data: { ...part.plan } as unknown as JsonObject });
      case 'cost':
        return addData({ type: 'data-cost', id: 'cost', data: part.cost });
      case 'sub-chain':
        return addData(toAgentData(part.child, toCallId));
      case 'suspended':
        return [
          { type: 'finish-step' },
          { type: 'finish', finishReason: 'tool-calls', messageMetadata: { chainId, outcome: null, ...part.cost } },
        ];
      case 'ended':
        return encodeEnd(chainId, part.view);
    }
  };
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
  { tool, input, line }: Pick<Extract<ChatPart, { type: 'call' }>, 'tool' | 'input' | 'line'>,
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
  const shown = question ?? { text: '', options: [], schema: null };
  return { type: 'data-question', id: toolCallId, data: { ...shown, toolCallId, digest, expiresAt } };
}

function toResultChunk(
  toolCallId: string,
  { status, denied, observation }: Extract<ChatPart, { type: 'result' }>,
): UiMessageChunk {
  if (denied) return { type: 'tool-output-denied', toolCallId };
  if (hasResult(status)) return { type: 'tool-output-available', toolCallId, output: observation, dynamic: true };
  const errorText = observation === null ? `The call has no result: ${status}.` : toValueText(observation);
  return { type: 'tool-output-error', toolCallId, errorText, dynamic: true };
}

function toAgentData(
  { chainId, agent, state, call, steps, requests }: ChildStatus,
  toCallId: (call: string) => string,
): ChatData {
  return { type: 'data-agent', id: chainId, data: { agent, state, toolCallId: toCallId(call), steps, requests } };
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

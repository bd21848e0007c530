/** Encodes the parts of a chat as events of AG-UI 1.0. */

import { isObject, type Json, type JsonObject, toValueText } from '../../core/lib/json.js';
import { hasAnswer } from '../../core/model/stop-reason.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { type AgUiEvent, type AgUiOwnMessage, type AgUiUsage, agUiVersion } from './ag-ui-event.js';
import { toInterrupt } from './ag-ui-interrupt.js';
import { createMessageLog } from './ag-ui-messages.js';
import { createSubagents } from './ag-ui-subagents.js';
import type { ChatEncoder } from './chat-encoder.js';
import { formatCallId } from './chat-ids.js';
import type { ChatPart } from './chat-part.js';

export interface AgUiRun {
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly chainId: string;
  /** State of the client. Longhand changes its member `longhand` only. */
  readonly state: unknown;
  /** Messages that the client keeps. */
  readonly messages: readonly AgUiOwnMessage[];
  /** Whether the client has others, which the stream makes again. */
  readonly replacesMessages: boolean;
}

export function createAgUiEncoder(run: AgUiRun): ChatEncoder<AgUiEvent> {
  const { threadId, runId, parentRunId, chainId } = run;
  const ends = { threadId, runId };
  const log = createMessageLog(run.messages);
  const subagents = createSubagents(chainId);
  const calls = new Set<string>();
  /** Drafts whose tokens are not sent, because AG-UI cannot take them back. */
  const withheldDrafts = new Set<string>();
  let plan: Json = null;
  let cost: JsonObject = { tokens: 0, costUsd: null };
  let openStep: number | null = null;
  /** The message that carries the calls of the step. */
  let carrier = '';

  const toMessageId = (id: string) => `${chainId}:${id}`;
  const snapshotState = (): AgUiEvent => ({
    type: 'STATE_SNAPSHOT',
    snapshot: { ...(isObject(run.state) ? run.state : {}), longhand: { chainId, plan, cost } },
  });
  const changeState = (member: 'plan' | 'cost', value: Json): AgUiEvent => ({
    type: 'STATE_DELTA',
    delta: [{ op: 'replace', path: `/longhand/${member}`, value }],
  });
  const closeStep = (): readonly AgUiEvent[] => {
    const step = openStep;
    openStep = null;
    return step === null ? [] : [{ type: 'STEP_FINISHED', stepName: toStepName(step) }];
  };

  const encodeDraft = (part: Extract<ChatPart, { readonly id: string; readonly type: `draft-${string}` }>) => {
    const messageId = toMessageId(part.id);
    if (withheldDrafts.has(part.id)) return [];
    switch (part.type) {
      case 'draft-started':
        if (part.raw) {
          withheldDrafts.add(part.id);
          return [];
        }
        log.addText(messageId, '');
        return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' } as const];
      case 'draft-added':
        log.addText(messageId, part.text);
        return [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: part.text } as const];
      case 'draft-confirmed':
        // A text before a call is a message that carries the call.
        if (part.as === 'thought') carrier = messageId;
        log.addText(messageId, part.rest);
        return [
          ...(part.rest === '' ? [] : [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: part.rest } as const]),
          { type: 'TEXT_MESSAGE_END', messageId } as const,
        ];
      case 'draft-discarded':
        log.remove(messageId);
        return [
          { type: 'TEXT_MESSAGE_END', messageId } as const,
          { type: 'MESSAGES_SNAPSHOT', messages: log.list() } as const,
        ];
    }
  };

  const encodeCall = ({ call, tool, input }: Extract<ChatPart, { type: 'call' }>): readonly AgUiEvent[] => {
    const toolCallId = formatCallId(chainId, call);
    // Arguments can only be appended.
    if (calls.has(call)) return [toCustom('arguments-changed', { toolCallId, input })];
    calls.add(call);
    const args = JSON.stringify(input);
    log.addCall(carrier, { id: toolCallId, type: 'function', function: { name: tool, arguments: args } });
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: tool, parentMessageId: carrier },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: args },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  };

  const encodeResult = ({ call, status, observation }: Extract<ChatPart, { type: 'result' }>): AgUiEvent => {
    const toolCallId = formatCallId(chainId, call);
    const content = observation === null ? '' : toValueText(observation);
    const messageId = toMessageId(`${call}r`);
    log.add({ id: messageId, role: 'tool', toolCallId, content });
    return {
      type: 'TOOL_CALL_RESULT',
      messageId,
      toolCallId,
      content,
      role: 'tool',
      metadata: { longhand: { status } },
    };
  };

  const encode = (part: ChatPart): readonly AgUiEvent[] => {
    switch (part.type) {
      case 'step-started':
        openStep = part.step;
        carrier = toMessageId(`${part.step}`);
        return [{ type: 'STEP_STARTED', stepName: toStepName(part.step) }];
      case 'step-finished':
        return closeStep();
      case 'draft-started':
      case 'draft-added':
      case 'draft-confirmed':
      case 'draft-discarded':
        return encodeDraft(part);
      case 'thought': {
        const messageId = toMessageId(`${part.id}t`);
        log.add({ id: messageId, role: 'reasoning', content: part.text });
        return [
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
          { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: part.text },
          { type: 'REASONING_MESSAGE_END', messageId },
          { type: 'REASONING_END', messageId },
        ];
      }
      case 'answer': {
        const messageId = toMessageId(part.id);
        log.addText(messageId, part.text);
        return [
          { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
          { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: part.text },
          { type: 'TEXT_MESSAGE_END', messageId },
        ];
      }
      case 'call':
        return encodeCall(part);
      case 'requested':
      case 'decided':
        return [];
      case 'interim':
        return [toCustom('interim', { toolCallId: formatCallId(chainId, part.call), value: part.value })];
      case 'result':
        return [encodeResult(part)];
      case 'notice':
        return [toCustom('notice', { id: part.id, code: part.code, text: part.text })];
      case 'plan':
        plan = part.plan as unknown as JsonObject;
        return [changeState('plan', plan)];
      case 'cost':
        cost = { ...part.cost };
        return [changeState('cost', cost)];
      case 'sub-chain':
        return subagents.change(part.child);
      case 'suspended':
        return [
          ...subagents.suspend(),
          ...closeStep(),
          {
            type: 'RUN_FINISHED',
            ...ends,
            outcome: {
              type: 'interrupt',
              interrupts: part.requests.map((request) => toInterrupt(chainId, request)),
            },
          },
        ];
      case 'ended':
        return [...subagents.abandon(), ...closeStep(), ...encodeEnd(ends, part.view)];
    }
  };

  return {
    start: () => [
      { type: 'RUN_STARTED', ...ends, protocolVersion: agUiVersion, ...(parentRunId === null ? {} : { parentRunId }) },
      ...(run.replacesMessages ? [{ type: 'MESSAGES_SNAPSHOT', messages: log.list() } as const] : []),
      snapshotState(),
    ],
    encode,
    catchUp: () => {
      log.clear();
      return [
        snapshotState(),
        ...(openStep === null ? [] : [{ type: 'STEP_STARTED', stepName: toStepName(openStep) } as const]),
        ...subagents.startAgain(),
      ];
    },
    fail: (text) => [{ type: 'RUN_ERROR', message: text, code: 'internal' }],
  };
}

function toStepName(step: number): string {
  return `step ${step}`;
}

function toCustom(name: string, value: Json): AgUiEvent {
  return { type: 'CUSTOM', name: `longhand.${name}`, value };
}

function encodeEnd(
  ends: { readonly threadId: string; readonly runId: string },
  view: ReasoningView,
): readonly AgUiEvent[] {
  const { chainId, outcome, reason, answer, tokens, costUsd } = view;
  const usage = [toUsage(view)];
  const result = { chainId, outcome, answer, tokens, costUsd };
  if (hasAnswer(outcome)) return [{ type: 'RUN_FINISHED', ...ends, outcome: { type: 'success' }, result, usage }];
  if (outcome === 'cancelled') return [{ type: 'RUN_FINISHED', ...ends, outcome: { type: 'cancelled' }, usage }];
  const code = outcome ?? 'failure';
  return [{ type: 'RUN_ERROR', message: reason ?? `The chain ended as ${code}.`, code, usage }];
}

function toUsage({ model, usage }: Pick<ReasoningView, 'model' | 'usage'>): AgUiUsage {
  const { input, output, cacheRead, cacheWrite, thinking } = usage;
  const inputTokens = input + cacheRead + cacheWrite;
  return {
    ...(model === '' ? {} : { model }),
    inputTokens,
    outputTokens: output,
    totalTokens: inputTokens + output,
    reasoningTokens: thinking,
    cachedInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  };
}

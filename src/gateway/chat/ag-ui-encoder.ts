/** Encodes the parts of a chat as events of AG-UI 1.0. */

import { isObject, type Json, type JsonObject, toValueText } from '../../core/lib/index.js';
import { hasAnswer } from '../../core/model/index.js';
import type { ReasoningView } from '../../core/view/index.js';
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

export class AgUiEncoder implements ChatEncoder<AgUiEvent> {
  private readonly ends: Pick<AgUiRun, 'threadId' | 'runId'>;
  private readonly log: ReturnType<typeof createMessageLog>;
  private readonly subagents: ReturnType<typeof createSubagents>;
  private readonly calls = new Set<string>();
  /** Drafts whose tokens are not sent, because AG-UI cannot take them back. */
  private readonly withheldDrafts = new Set<string>();
  private plan: Json = null;
  private cost: JsonObject = { tokens: 0, costUsd: null };
  private openStep: number | null = null;
  /** The message that carries the calls of the step. */
  private carrier = '';

  constructor(private readonly run: AgUiRun) {
    const { threadId, runId, chainId, messages } = run;
    this.ends = { threadId, runId };
    this.log = createMessageLog(messages);
    this.subagents = createSubagents(chainId);
  }

  encode(part: ChatPart): readonly AgUiEvent[] {
    switch (part.type) {
      case 'step-started':
        this.openStep = part.step;
        this.carrier = this.toMessageId(`${part.step}`);
        return [{ type: 'STEP_STARTED', stepName: toStepName(part.step) }];
      case 'step-finished':
        return this.closeStep();
      case 'draft-started':
      case 'draft-added':
      case 'draft-confirmed':
      case 'draft-discarded':
        return this.encodeDraft(part);
      case 'thought': {
        const messageId = this.toMessageId(`${part.id}t`);
        this.log.add({ id: messageId, role: 'reasoning', content: part.text });
        return [
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
          { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: part.text },
          { type: 'REASONING_MESSAGE_END', messageId },
          { type: 'REASONING_END', messageId },
        ];
      }
      case 'answer': {
        const messageId = this.toMessageId(part.id);
        this.log.addText(messageId, part.text);
        return [
          { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
          { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: part.text },
          { type: 'TEXT_MESSAGE_END', messageId },
        ];
      }
      case 'call':
        return this.encodeCall(part);
      case 'requested':
      case 'decided':
        return [];
      case 'interim':
        return [toCustom('interim', { toolCallId: formatCallId(this.run.chainId, part.call), value: part.value })];
      case 'result':
        return [this.encodeResult(part)];
      case 'notice':
        return [toCustom('notice', { id: part.id, code: part.code, text: part.text })];
      case 'plan':
        this.plan = part.plan as unknown as JsonObject;
        return [this.changeState('plan', this.plan)];
      case 'cost':
        this.cost = { ...part.cost };
        return [this.changeState('cost', this.cost)];
      case 'sub-chain':
        return this.subagents.change(part.child);
      case 'suspended':
        return [
          ...this.subagents.suspend(),
          ...this.closeStep(),
          {
            type: 'RUN_FINISHED',
            ...this.ends,
            outcome: {
              type: 'interrupt',
              interrupts: part.requests.map((request) => toInterrupt(this.run.chainId, request)),
            },
          },
        ];
      case 'ended':
        return [...this.subagents.abandon(), ...this.closeStep(), ...encodeEnd(this.ends, part.view)];
    }
  }

  start(): readonly AgUiEvent[] {
    return [
      {
        type: 'RUN_STARTED',
        ...this.ends,
        protocolVersion: agUiVersion,
        ...(this.run.parentRunId === null ? {} : { parentRunId: this.run.parentRunId }),
      },
      ...(this.run.replacesMessages ? [{ type: 'MESSAGES_SNAPSHOT', messages: this.log.list() } as const] : []),
      this.snapshotState(),
    ];
  }

  catchUp(): readonly AgUiEvent[] {
    this.log.clear();
    return [
      this.snapshotState(),
      ...(this.openStep === null ? [] : [{ type: 'STEP_STARTED', stepName: toStepName(this.openStep) } as const]),
      ...this.subagents.startAgain(),
    ];
  }

  fail(text: string): readonly AgUiEvent[] {
    return [{ type: 'RUN_ERROR', message: text, code: 'internal' }];
  }

  private toMessageId(id: string) {
    return `${this.run.chainId}:${id}`;
  }

  private snapshotState(): AgUiEvent {
    return {
      type: 'STATE_SNAPSHOT',
      snapshot: {
        ...(isObject(this.run.state) ? this.run.state : {}),
        longhand: { chainId: this.run.chainId, plan: this.plan, cost: this.cost },
      },
    };
  }

  private changeState(member: 'plan' | 'cost', value: Json): AgUiEvent {
    return {
      type: 'STATE_DELTA',
      delta: [{ op: 'replace', path: `/longhand/${member}`, value }],
    };
  }

  private closeStep(): readonly AgUiEvent[] {
    const step = this.openStep;
    this.openStep = null;
    return step === null ? [] : [{ type: 'STEP_FINISHED', stepName: toStepName(step) }];
  }

  private encodeDraft(part: Extract<ChatPart, { readonly id: string; readonly type: `draft-${string}` }>) {
    const messageId = this.toMessageId(part.id);
    if (this.withheldDrafts.has(part.id)) return [];
    switch (part.type) {
      case 'draft-started':
        if (part.raw) {
          this.withheldDrafts.add(part.id);
          return [];
        }
        this.log.addText(messageId, '');
        return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' } as const];
      case 'draft-added':
        this.log.addText(messageId, part.text);
        return [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: part.text } as const];
      case 'draft-confirmed':
        // A text before a call is a message that carries the call.
        if (part.as === 'thought') this.carrier = messageId;
        this.log.addText(messageId, part.rest);
        return [
          ...(part.rest === '' ? [] : [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: part.rest } as const]),
          { type: 'TEXT_MESSAGE_END', messageId } as const,
        ];
      case 'draft-discarded':
        this.log.remove(messageId);
        return [
          { type: 'TEXT_MESSAGE_END', messageId } as const,
          { type: 'MESSAGES_SNAPSHOT', messages: this.log.list() } as const,
        ];
    }
  }

  private encodeCall({ call, tool, input }: Extract<ChatPart, { type: 'call' }>): readonly AgUiEvent[] {
    const toolCallId = formatCallId(this.run.chainId, call);
    // Arguments can only be appended.
    if (this.calls.has(call)) return [toCustom('arguments-changed', { toolCallId, input })];
    this.calls.add(call);
    const args = JSON.stringify(input);
    this.log.addCall(this.carrier, { id: toolCallId, type: 'function', function: { name: tool, arguments: args } });
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: tool, parentMessageId: this.carrier },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: args },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  private encodeResult({ call, status, observation }: Extract<ChatPart, { type: 'result' }>): AgUiEvent {
    const toolCallId = formatCallId(this.run.chainId, call);
    const content = observation === null ? '' : toValueText(observation);
    const messageId = this.toMessageId(`${call}r`);
    this.log.add({ id: messageId, role: 'tool', toolCallId, content });
    return {
      type: 'TOOL_CALL_RESULT',
      messageId,
      toolCallId,
      content,
      role: 'tool',
      metadata: { longhand: { status } },
    };
  }
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

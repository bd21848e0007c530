/**
 * Events of AG-UI 1.0, as far as Longhand emits them. Own types: the gateway needs no package of AG-UI. Tests validate every
 * event by its schema.
 */

import type { Json, JsonObject } from '../../core/lib/index.js';

/** Version of the protocol that a run declares. */
export const agUiVersion = '1.0';

export interface AgUiInterrupt {
  readonly id: string;
  /** `tool_call`: may the call run? `input_required`: a question. */
  readonly reason: 'tool_call' | 'input_required';
  readonly message: string;
  readonly toolCallId: string;
  /** Of the payload that resolves it. */
  readonly responseSchema: JsonObject;
  /** ISO 8601. */
  readonly expiresAt?: string;
  readonly metadata: { readonly longhand: JsonObject };
}

type AgUiOutcome =
  | { readonly type: 'success' | 'cancelled' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] };

/** Tokens of one model: `inputTokens` and `outputTokens` are totals, the others parts of them. */
export interface AgUiUsage {
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
}

interface RunEnd {
  readonly threadId: string;
  readonly runId: string;
}

interface OfSubagent {
  readonly subagentRunId: string;
}

interface OfMessage {
  readonly messageId: string;
}

export type AgUiEvent =
  | (RunEnd & { readonly type: 'RUN_STARTED'; readonly protocolVersion: string; readonly parentRunId?: string })
  | (RunEnd & {
      readonly type: 'RUN_FINISHED';
      readonly outcome: AgUiOutcome;
      readonly result?: JsonObject;
      readonly usage?: readonly AgUiUsage[];
    })
  | {
      readonly type: 'RUN_ERROR';
      readonly message: string;
      readonly code: string;
      readonly usage?: readonly AgUiUsage[];
    }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | (OfMessage & { readonly type: 'TEXT_MESSAGE_START'; readonly role: 'assistant' })
  | (OfMessage & { readonly type: 'REASONING_MESSAGE_START'; readonly role: 'reasoning' })
  | (OfMessage & { readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; readonly delta: string })
  | (OfMessage & {
      readonly type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
    })
  | {
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId: string;
    }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | (OfMessage & {
      readonly type: 'TOOL_CALL_RESULT';
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
      readonly metadata: { readonly longhand: { readonly status: string } };
    })
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: JsonObject }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly AgUiPatch[] }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiOwnMessage[] }
  | (OfSubagent & {
      readonly type: 'SUBAGENT_STARTED';
      readonly name: string;
      readonly parentToolCallId?: string;
      readonly parentSubagentRunId?: string;
    })
  | (OfSubagent & {
      readonly type: 'SUBAGENT_FINISHED';
      readonly outcome: { readonly type: 'success' | 'suspended' };
    })
  | (OfSubagent & { readonly type: 'SUBAGENT_ERROR'; readonly message: string; readonly code: string })
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: Json };

/** An operation of JSON Patch. */
interface AgUiPatch {
  readonly op: 'replace';
  readonly path: string;
  readonly value: Json;
}

/** A message as the client keeps it: its own, or one that the events of a run make. */
export type AgUiOwnMessage =
  | { readonly id: string; readonly role: 'reasoning'; readonly content: string }
  | {
      readonly id: string;
      readonly role: 'assistant';
      readonly content?: string;
      readonly toolCalls?: readonly {
        readonly id: string;
        readonly type: 'function';
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    }
  | { readonly id: string; readonly role: 'tool'; readonly toolCallId: string; readonly content: string }
  /** As the client sent it. */
  | { readonly id: string; readonly role: string };

/**
 * Chunks of the AI SDK's UI message stream (ai 6 and 7), as far as Longhand emits them. Own types: the gateway needs no package of
 * the AI SDK. Tests validate every chunk by its schema.
 */

import type { Json, JsonObject } from '../../core/lib/index.js';
import type { ChatCost, ChatQuestion } from './chat-part.js';

/** Metadata of an assistant's message. */
export interface ChatMetadata extends ChatCost {
  readonly chainId: string;
  /** Null while the chain runs. */
  readonly outcome: string | null;
  /** Why the chain ended, in one sentence, where the viewer may see it. */
  readonly reason?: string;
}

/** Data parts: `data-plan`, `data-cost` and so on. A part with an id replaces the one before with this id. */
export type ChatData =
  | { readonly type: 'data-plan'; readonly id: 'plan'; readonly data: JsonObject }
  | { readonly type: 'data-cost'; readonly id: 'cost'; readonly data: ChatCost }
  | {
      readonly type: 'data-question';
      readonly id: string;
      readonly data: ChatQuestion & {
        readonly toolCallId: string;
        /** Of the question, so that the answer is about what was read. */
        readonly digest: string;
        readonly expiresAt: number | null;
      };
    }
  | {
      readonly type: 'data-agent';
      readonly id: string;
      readonly data: {
        readonly agent: string;
        readonly state: string;
        readonly toolCallId: string;
        readonly steps: number | null;
        readonly requests: number;
      };
    }
  | {
      readonly type: 'data-notice';
      readonly id: string;
      readonly data: { readonly code: string; readonly text: string };
    };

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

export type UiMessageChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: ChatMetadata }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly dynamic: true;
      /** False for a question, which the client answers with `addToolOutput`. */
      readonly providerExecuted: boolean;
      readonly title?: string;
    }
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: Json;
      readonly dynamic: true;
      readonly preliminary?: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | ChatData
  | { readonly type: 'message-metadata'; readonly messageMetadata: ChatMetadata }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly messageMetadata: ChatMetadata };

/** Requests to models and their replies, in the shapes of the Messages API, as plain data. */

import { check, type Json, type JsonObject } from '../lib/index.js';
import type { StoredFile } from './stored-content.js';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** Returned to the provider unchanged, with its signature, while a tool turn is open. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

/** A file for the model. The provider's wire replaces the reference by the bytes, which are in no history. */
export interface FileBlock {
  readonly type: 'file';
  readonly file: StoredFile;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
  /** Files after the content. Absent if the model gets none. */
  readonly files?: readonly FileBlock[];
  readonly is_error?: boolean;
}

/** Replaces arguments that are nested too deeply to be stored; a call with it is rejected. */
export const deepInputMark = '[arguments nested too deeply, left out]';

/** A block of an assistant's message. */
export type ReplyBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

/** Joins the text blocks of a reply with line breaks. */
export function joinTextBlocks(content: readonly ReplyBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** @param checkInput of the arguments of a call */
export function checkReplyBlock(checkInput: check.Check<Json>): check.Check<Omit<ReplyBlock, 'type'>> {
  return check.variant<Omit<ReplyBlock, 'type'>>('type', {
    text: check.shape({ text: check.text }),
    thinking: check.shape({ thinking: check.text, signature: check.text }),
    redacted_thinking: check.shape({ data: check.text }),
    tool_use: check.shape({ id: check.text, name: check.text, input: checkInput }),
  });
}

export const checkBlock = checkReplyBlock(check.present);

/** Removes thinking blocks. Their signature is valid only for the model that wrote them. */
export function removeThinking(content: readonly ReplyBlock[]): readonly ReplyBlock[] {
  return content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
}

/** A block of a user's message. */
export type UserBlock = TextBlock | FileBlock | ToolResultBlock;

export type ModelMessage =
  | { readonly role: 'assistant'; readonly content: readonly ReplyBlock[] }
  | { readonly role: 'user'; readonly content: readonly UserBlock[] };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; always an object schema. */
  readonly inputSchema: JsonObject;
  /** The provider makes the arguments match the schema, which is in the subset of its strict mode. Absent otherwise. */
  readonly strict?: true;
}

/** The schema that the text of a reply must match. */
export interface OutputFormat {
  /** JSON Schema of an object; in the subset of strict modes if `strict`. */
  readonly schema: JsonObject;
  readonly strict: boolean;
}

/** A conversation rendered for a model. The model call adds the model and the output limit. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: 'auto' | 'none';
  /** Absent if the reply may be any text. A provider may ignore it: answers are validated. */
  readonly output?: OutputFormat;
  readonly stopSequences: readonly string[];
}

export type ReplyStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** Tokens. `input` excludes tokens read from or written to the provider's prompt cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Thinking tokens, a part of `output`. */
  readonly thinking: number;
}

export interface Reply {
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** The endpoint that answered, of a provider that balances over several. */
  readonly endpoint?: string;
  readonly stopReason: ReplyStopReason;
  readonly content: readonly ReplyBlock[];
  /** Null if the provider reported no plausible usage; the call is then charged in full. */
  readonly usage: Usage | null;
  /** Why `usage` is null, as a clause for people; absent otherwise. */
  readonly usageProblem?: string;
}

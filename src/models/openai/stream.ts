/**
 * Builds a reply from the chunks of Chat Completions. Chunks come from outside: each member is checked for its type and
 * unknown ones are ignored, so that a server which sends more or less than the API does not break a call.
 */

import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import type { Reply, ReplyBlock, ReplyStopReason, ToolUseBlock, Usage } from '../../core/model/index.js';
import { doneEvent } from '../wire/read-events.js';
import { ReplyFaults } from '../wire/reply-faults.js';
import { limitDepth, parseArguments, toText } from '../wire/reply-parts.js';
import type { ReplyReader } from '../wire/send-call.js';
import { ReasoningStream } from './reasoning.js';
import { parseChatUsage } from './usage.js';

/** A call while it streams in. */
interface OpenCall {
  readonly id: string;
  name: string;
  arguments: string;
}

export class ChatStream implements ReplyReader {
  /** The provider's name, which its reasoning carries. */
  readonly #owner: string;
  #started = false;
  #done = false;
  #model = '';
  #text = '';
  #refused = false;
  #finishReason: string | null = null;
  #usage: Usage | null = null;
  #usageProblem: string | null = null;
  readonly #faults = new ReplyFaults();
  readonly #reasoning = new ReasoningStream(this.#faults);
  readonly #calls: OpenCall[] = [];
  /** The newest call of an index, and of an index with an id. */
  readonly #callByIndex = new Map<Json, OpenCall>();
  readonly #callById = new Map<string, OpenCall>();

  constructor(owner: string) {
    this.#owner = owner;
  }

  get started(): boolean {
    return this.#started;
  }

  get complete(): boolean {
    return this.#finishReason !== null || (this.#done && this.#started);
  }

  /** The usage follows the finish reason. */
  get ended(): boolean {
    return this.complete && (this.#done || this.#usage !== null);
  }

  get fault(): string | null {
    return this.#faults.first;
  }

  consume(chunk: JsonObject): string {
    if (chunk === doneEvent) {
      this.#done = true;
      return '';
    }
    if (this.#model === '' && typeof chunk.model === 'string') this.#model = chunk.model;
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : [];
    const choice = choices.find(({ index }) => (index ?? 0) === 0);
    this.#count(chunk.usage ?? choice?.usage);
    if (choice === undefined) return '';
    this.#started = true;
    const isOver = this.#finishReason !== null || this.#done;
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      this.#finishReason = choice.finish_reason;
    }
    const delta = choice.delta ?? choice.message;
    return isObject(delta) ? this.#extend(delta, isOver) : '';
  }

  toReply(): Reply {
    const reasoning = this.#reasoning.toBlock(this.#owner);
    const text: readonly ReplyBlock[] = this.#text.trim() === '' ? [] : [{ type: 'text', text: this.#text }];
    const problem = this.#usageProblem ?? (this.#usage === null ? 'it reported no usage' : null);
    return {
      model: this.#model,
      stopReason: this.#toStopReason(),
      content: [...(reasoning === null ? [] : [reasoning]), ...text, ...this.#calls.map(toToolUse)],
      ...(problem === null ? { usage: this.#usage } : { usage: null, usageProblem: problem }),
    };
  }

  /** Most servers report usage only at the end. Of the others the input is known; the model may think unseen. */
  computeUsageBound(maxTokens: number): Usage | null {
    if (this.#usage === null || this.#usageProblem !== null) return null;
    return { ...this.#usage, output: Math.max(this.#usage.output, maxTokens) };
  }

  /** @param isOver whether the reply ended before: servers may repeat that, but nothing may follow */
  #extend(delta: JsonObject, isOver: boolean): string {
    this.#reasoning.consume(delta);
    if (Array.isArray(delta.tool_calls)) {
      if (isOver && delta.tool_calls.length > 0) this.#faults.note('a call came after the end of the reply');
      for (const [position, piece] of delta.tool_calls.entries()) {
        if (this.fault !== null) return '';
        if (isObject(piece)) this.#extendCall(piece, position);
      }
    }
    const refusal = toText(delta.refusal);
    if (refusal !== '') this.#refused = true;
    const piece =
      (Array.isArray(delta.content) ? delta.content.map(readTextPart).join('') : toText(delta.content)) + refusal;
    if (isOver && piece.trim() !== '') this.#faults.note('text came after the end of the reply');
    this.#text += piece;
    return piece;
  }

  /** Finds the call of a piece by its index. Gemini gives parallel calls the same one, but other ids. */
  #extendCall(piece: JsonObject, position: number): void {
    const index = piece.index ?? position;
    const id = toText(piece.id);
    const known = id === '' ? this.#callByIndex.get(index) : this.#callById.get(toCallKey(index, id));
    const call = known ?? this.#addCall(index, id === '' ? createCallId() : id);
    const delta = isObject(piece.function) ? piece.function : {};
    // Some servers repeat the name in each piece.
    if (call.name === '') call.name = toText(delta.name);
    call.arguments += isObject(delta.arguments) ? JSON.stringify(delta.arguments) : toText(delta.arguments);
    if (isObject(piece.extra_content)) this.#reasoning.addCall(call.id, piece.extra_content);
  }

  #addCall(index: Json, id: string): OpenCall {
    const call: OpenCall = { id, name: '', arguments: '' };
    this.#faults.countPart('call');
    this.#calls.push(call);
    this.#callByIndex.set(index, call);
    this.#callById.set(toCallKey(index, id), call);
    return call;
  }

  /** A report replaces the one before it: servers that report often report sums. */
  #count(reported: Json | undefined): void {
    if (reported === undefined || reported === null) return;
    const { usage, problem } = parseChatUsage(reported);
    this.#usage = usage;
    this.#usageProblem = problem;
  }

  #toStopReason(): ReplyStopReason {
    if (this.#refused) return 'refusal';
    switch (this.#finishReason) {
      case 'length':
        return 'max_tokens';
      case 'model_length':
        return 'model_context_window_exceeded';
      case 'content_filter':
        return 'refusal';
      default:
        // Some servers end a reply with calls as any other.
        return this.#calls.length > 0 ? 'tool_use' : 'end_turn';
    }
  }
}

function toToolUse(call: OpenCall): ToolUseBlock {
  return { type: 'tool_use', id: call.id, name: call.name, input: limitDepth(parseArguments(call.arguments, {})) };
}

function toCallKey(index: Json, id: string): string {
  return JSON.stringify([index, id]);
}

/** For servers that give their calls no id. */
function createCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

function readTextPart(part: Json): string {
  return isObject(part) && part.type === 'text' ? toText(part.text) : '';
}

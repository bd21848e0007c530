/**
 * Builds a reply from the chunks of Chat Completions. Chunks come from outside: each member is checked for its type and
 * unknown ones are ignored, so that a server which sends more or less than the API does not break a call.
 */

import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../core/lib/json.js';
import type { Reply, ReplyBlock, ReplyStopReason, ToolUseBlock, Usage } from '../../core/model/model.js';
import { limitDepth, parseArguments } from '../wire/reply-parts.js';
import { doneEvent, type ReplyReader } from '../wire/send-call.js';
import { ReasoningStream } from './reasoning.js';
import { parseChatUsage } from './usage.js';

/** A call while it streams in. */
interface OpenCall {
  readonly index: Json;
  id: string;
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
  readonly #reasoning = new ReasoningStream();
  readonly #calls: OpenCall[] = [];

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
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      this.#finishReason = choice.finish_reason;
    }
    const delta = choice.delta ?? choice.message;
    return isObject(delta) ? this.#extend(delta) : '';
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

  #extend(delta: JsonObject): string {
    this.#reasoning.consume(delta);
    if (Array.isArray(delta.tool_calls)) {
      for (const [position, piece] of delta.tool_calls.entries())
        if (isObject(piece)) this.#extendCall(piece, position);
    }
    const refusal = readText(delta.refusal);
    if (refusal !== '') this.#refused = true;
    const piece =
      (Array.isArray(delta.content) ? delta.content.map(readTextPart).join('') : readText(delta.content)) + refusal;
    this.#text += piece;
    return piece;
  }

  /** Finds the call of a piece by its index. Gemini gives parallel calls the same one, but other ids. */
  #extendCall(piece: JsonObject, position: number): void {
    const index = piece.index ?? position;
    const id = readText(piece.id);
    const known = this.#calls.findLast((each) => each.index === index && (id === '' || each.id === id));
    const call: OpenCall = known ?? { index, id: id || createCallId(), name: '', arguments: '' };
    if (known === undefined) this.#calls.push(call);
    const given = isObject(piece.function) ? piece.function : {};
    // Some servers repeat the name in each piece.
    if (call.name === '') call.name = readText(given.name);
    call.arguments += isObject(given.arguments) ? JSON.stringify(given.arguments) : readText(given.arguments);
    if (isObject(piece.extra_content)) this.#reasoning.addCall(call.id, piece.extra_content);
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

/** For servers that give their calls no id. */
function createCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

function readTextPart(part: Json): string {
  return isObject(part) && part.type === 'text' ? readText(part.text) : '';
}

function readText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

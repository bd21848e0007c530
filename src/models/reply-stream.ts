/**
 * Puts a reply together from the events of the Messages wire, and knows at every moment what it has cost
 * so far. Events come from outside: each member is read with its type, and what is unknown is passed over,
 * so that a server which sends more or less than the API does not break a call.
 */

import { isObject, type Json, type JsonObject, utf8Bytes } from '../core/json.js';
import type { Reply, Usage } from '../core/model.js';
import { OpenBlock } from './open-block.js';
import { toStopReason, toUsage } from './wire-values.js';

export class ReplyStream {
  #model = '';
  #stopReason: Json = null;
  #usage: Usage = toUsage(null);
  #streamedBytes = 0;
  #started = false;
  #stopped = false;
  readonly #blocks = new Map<Json, OpenBlock>();

  /** Whether the provider has begun to answer, and with it to report usage. */
  get started(): boolean {
    return this.#started;
  }

  /** Whether the answer is complete. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Takes the next event; returns the text that it speaks, if any. */
  take(event: JsonObject): string {
    switch (event.type) {
      case 'message_start':
        this.#started = true;
        if (isObject(event.message)) {
          if (typeof event.message.model === 'string') this.#model = event.message.model;
          this.#count(event.message.usage);
        }
        return '';
      case 'content_block_start':
        return this.#open(event);
      case 'content_block_delta':
        return this.#extend(event);
      case 'content_block_stop':
        this.#blocks.get(event.index ?? null)?.close();
        return '';
      case 'message_delta':
        if (isObject(event.delta) && typeof event.delta.stop_reason === 'string') {
          this.#stopReason = event.delta.stop_reason;
        }
        this.#count(event.usage);
        return '';
      case 'message_stop':
        this.#stopped = true;
        return '';
      default:
        return '';
    }
  }

  /** The reply so far; whole once `stopped`. */
  reply(): Reply {
    return {
      model: this.#model,
      stopReason: toStopReason(this.#stopReason),
      content: [...this.#blocks.values()].flatMap((block) => block.finished() ?? []),
      usage: this.#usage,
    };
  }

  /**
   * What an answer that was broken off has cost at most: output is reported at the end only, so until then it is
   * bounded by the bytes that came, a token being no shorter than a byte. That is no bound while the model
   * thinks, since it shows less than it thinks (a finished thought's signature carries the whole of it).
   */
  usageBound(maxTokens: number): Usage {
    const thinks = [...this.#blocks.values()].some((block) => block.thinksUnseen);
    const bound = thinks ? maxTokens : Math.min(this.#streamedBytes, maxTokens);
    return { ...this.#usage, output: Math.max(this.#usage.output, bound) };
  }

  #open(event: JsonObject): string {
    if (!isObject(event.content_block)) return '';
    const block = new OpenBlock(event.content_block);
    this.#blocks.set(event.index ?? null, block);
    this.#streamedBytes += utf8Bytes(block.streamed);
    return block.type === 'text' ? block.streamed : '';
  }

  #extend(event: JsonObject): string {
    const block = this.#blocks.get(event.index ?? null);
    if (block === undefined || !isObject(event.delta)) return '';
    const piece = block.extend(event.delta);
    this.#streamedBytes += utf8Bytes(piece);
    return event.delta.type === 'text_delta' ? piece : '';
  }

  /** Counts are cumulative, and not every event carries every count: the largest seen is the latest. */
  #count(reported: Json | undefined): void {
    const usage = toUsage(isObject(reported) ? reported : null);
    this.#usage = {
      input: Math.max(this.#usage.input, usage.input),
      output: Math.max(this.#usage.output, usage.output),
      cacheRead: Math.max(this.#usage.cacheRead, usage.cacheRead),
      cacheWrite: Math.max(this.#usage.cacheWrite, usage.cacheWrite),
      thinking: Math.max(this.#usage.thinking, usage.thinking),
    };
  }
}

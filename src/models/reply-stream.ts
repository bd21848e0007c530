/**
 * Puts a reply together from the events of the Messages wire, and knows at every moment what it has cost
 * so far. Events come from outside: each member is read with its type, and what is unknown is passed over,
 * so that a server which sends more or less than the API does not break a call.
 */

import { countUtf8Bytes, isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { Reply, Usage } from '../core/model/model.js';
import { noUsage } from '../core/model/usage.js';
import { OpenBlock, parseUsage, toStopReason } from './reply-parts.js';

export class ReplyStream {
  #model = '';
  #stopReason: Json = null;
  #usage: Partial<Usage> = {};
  #usageProblem: string | null = null;
  /** The first event has a placeholder for the output; the last one has the count. */
  #outputReported = false;
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
  consume(event: JsonObject): string {
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
        this.#outputReported = this.#count(event.usage).output !== undefined || this.#outputReported;
        return '';
      case 'message_stop':
        this.#stopped = true;
        return '';
      default:
        return '';
    }
  }

  /** The reply so far; whole once `stopped`. */
  toReply(): Reply {
    return {
      model: this.#model,
      stopReason: toStopReason(this.#stopReason),
      content: [...this.#blocks.values()].flatMap((block) => block.toBlock() ?? []),
      ...this.#reported(),
    };
  }

  #reported(): Pick<Reply, 'usage' | 'usageProblem'> {
    const { input, output } = this.#usage;
    const missing = input === undefined ? 'input_tokens' : this.#outputReported ? null : 'output_tokens at its end';
    const usageProblem = this.#usageProblem ?? (missing === null ? null : `it reported no ${missing}`);
    if (usageProblem !== null || output === undefined) return { usage: null, ...(usageProblem && { usageProblem }) };
    return { usage: { ...noUsage, ...this.#usage } };
  }

  /**
   * What an answer that was broken off has cost at most: output is reported at the end only, so until then it is
   * bounded by the bytes that came, a token being no shorter than a byte. That is no bound while the model
   * thinks, since it shows less than it thinks (a finished thought's signature carries the whole of it).
   *
   * @returns null where the input was not reported in a way that can be read
   */
  computeUsageBound(maxTokens: number): Usage | null {
    if (this.#usageProblem !== null || this.#usage.input === undefined) return null;
    const thinks = [...this.#blocks.values()].some((block) => block.thinksUnseen);
    const bound = thinks ? maxTokens : Math.min(this.#streamedBytes, maxTokens);
    return { ...noUsage, ...this.#usage, output: Math.max(this.#usage.output ?? 0, bound) };
  }

  #open(event: JsonObject): string {
    if (!isObject(event.content_block)) return '';
    const block = new OpenBlock(event.content_block);
    this.#blocks.set(event.index ?? null, block);
    this.#streamedBytes += countUtf8Bytes(block.streamed);
    return block.type === 'text' ? block.streamed : '';
  }

  #extend(event: JsonObject): string {
    const block = this.#blocks.get(event.index ?? null);
    if (block === undefined || !isObject(event.delta)) return '';
    const piece = block.extend(event.delta);
    this.#streamedBytes += countUtf8Bytes(piece);
    return event.delta.type === 'text_delta' ? piece : '';
  }

  /**
   * Counts are cumulative, and not every event carries every count: the largest seen is the latest, and what was said
   * once cannot be taken back. One that is no count makes the whole report worthless.
   */
  #count(reported: Json | undefined): Partial<Usage> {
    const { counts, problem } = parseUsage(reported);
    this.#usageProblem ??= problem;
    const largest = Object.entries(counts).map(([name, tokens]) => {
      return [name, Math.max(this.#usage[name as keyof Usage] ?? 0, tokens)] as const;
    });
    this.#usage = { ...this.#usage, ...Object.fromEntries(largest) };
    return counts;
  }
}

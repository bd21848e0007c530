/**
 * Builds a reply from the events of the Messages API, and knows its cost at any time. Events come from outside: each
 * member is checked for its type and unknown ones are ignored, so that a server which sends more or less than the API
 * does not break a call.
 */

import { countUtf8Bytes, isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import { noUsage, type Reply, type Usage } from '../../core/model/index.js';
import { formatGiven, ReplyFaults } from '../wire/reply-faults.js';
import { joinTexts, OpenBlock, parseUsage, toStopReason } from '../wire/reply-parts.js';
import type { ReplyReader } from '../wire/send-call.js';

export class ReplyStream implements ReplyReader {
  #model = '';
  #stopReason: Json = null;
  #usage: Partial<Usage> = {};
  #usageProblem: string | null = null;
  /** The first event has a placeholder for output tokens; the last has the count. */
  #outputReported = false;
  #streamedBytes = 0;
  #started = false;
  #stopped = false;
  readonly #blocks = new Map<Json, OpenBlock>();
  #openBlocks = 0;
  #openCalls = 0;
  readonly #faults = new ReplyFaults();

  /** Whether the reply, and with it the usage report, has begun. */
  get started(): boolean {
    return this.#started;
  }

  /**
   * Whether nothing of the reply is missing. Its last event adds nothing to a stop reason and closed blocks, and is lost
   * where a server closes the connection before the empty line after it.
   */
  get complete(): boolean {
    return this.#stopped || (this.#stopReason !== null && this.#openBlocks === 0);
  }

  /** A stop reason comes with the usage, so nothing follows a complete reply. */
  get ended(): boolean {
    return this.complete;
  }

  get fault(): string | null {
    return this.#faults.first;
  }

  /** Consumes the next event; returns its text, if any. */
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
        this.#close(event);
        return '';
      case 'message_delta':
        if (isObject(event.delta) && typeof event.delta.stop_reason === 'string') {
          this.#stopReason = event.delta.stop_reason;
        }
        this.#outputReported = this.#count(event.usage).output !== undefined || this.#outputReported;
        return '';
      case 'message_stop':
        this.#stopped = true;
        if (this.#openCalls > 0) this.#faults.note('the reply ended within a call');
        return '';
      default:
        return '';
    }
  }

  /** Returns the reply so far. */
  toReply(): Reply {
    return {
      model: this.#model,
      stopReason: toStopReason(this.#stopReason),
      content: joinTexts([...this.#blocks.values()].map((block) => block.toBlock())),
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
   * Computes the most that an interrupted reply has cost. Output tokens are reported only at the end, with the stop reason;
   * until then the received bytes are the bound, as a token has at least one byte. While the model thinks, or where not all
   * bytes arrived, the bound is `maxTokens`: it streams less than it thinks (the signature of a finished thought covers it).
   *
   * @returns null when the input tokens were not reported validly
   */
  computeUsageBound(maxTokens: number, arrived: 'all' | 'part'): Usage | null {
    if (this.#usageProblem !== null || this.#usage.input === undefined) return null;
    if (this.#outputReported && this.#stopReason !== null) return { ...noUsage, ...this.#usage };
    const isUnseen = arrived === 'part' || [...this.#blocks.values()].some((block) => block.thinksUnseen);
    const bound = isUnseen ? maxTokens : Math.min(this.#streamedBytes, maxTokens);
    return { ...noUsage, ...this.#usage, output: Math.max(this.#usage.output ?? 0, bound) };
  }

  #open(event: JsonObject): string {
    if (!isObject(event.content_block)) return '';
    const index = event.index ?? null;
    const block = new OpenBlock(event.content_block);
    if (!this.#started) this.#faults.note('a block came before the beginning of the reply');
    else if (this.#isOver) this.#faults.note('a block came after the end of the reply');
    else if (this.#blocks.has(index))
      this.#faults.note(`the reply has two blocks with the index ${formatGiven(index)}`);
    this.#faults.countPart(block.type === 'tool_use' ? 'call' : 'other');
    this.#blocks.set(index, block);
    this.#countOpen(block, 1);
    this.#streamedBytes += countUtf8Bytes(block.streamed);
    return block.type === 'text' ? block.streamed : '';
  }

  #extend(event: JsonObject): string {
    const block = this.#findOpen(event);
    if (block === null || !isObject(event.delta)) return '';
    if (this.#isOver) this.#faults.note('a part of a block came after the end of the reply');
    const piece = block.extend(event.delta);
    this.#streamedBytes += countUtf8Bytes(piece);
    return event.delta.type === 'text_delta' ? piece : '';
  }

  #close(event: JsonObject): void {
    const block = this.#findOpen(event);
    if (block === null) return;
    block.close();
    this.#countOpen(block, -1);
  }

  /** Finds the block of an event. A part of a block that is not open would be lost: the arguments of a call, or some of them. */
  #findOpen({ index = null }: JsonObject): OpenBlock | null {
    const block = this.#blocks.get(index);
    if (block !== undefined && !block.closed) return block;
    this.#faults.note(
      `a part of the block ${formatGiven(index)} came ${block === undefined ? 'before its beginning' : 'after its end'}`,
    );
    return null;
  }

  get #isOver(): boolean {
    return this.#stopped || this.#stopReason !== null;
  }

  #countOpen(block: OpenBlock, by: 1 | -1): void {
    this.#openBlocks += by;
    if (block.type === 'tool_use') this.#openCalls += by;
  }

  /**
   * Adds reported counts. They are cumulative and not in every event, so the largest is the latest. One invalid count
   * invalidates the whole report.
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

/**
 * Parses the parts of a streamed reply: content blocks, usage counts, stop reason. Drops blocks that Longhand does not
 * know (server tools, citations).
 */

import {
  check,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  parseJsonOrText,
  shorten,
} from '../../core/lib/index.js';
import { deepInputMark, defaults, type ReplyBlock, type ReplyStopReason, type Usage } from '../../core/model/index.js';

/** One block of a reply while it streams in. */
export class OpenBlock {
  readonly type: Json;
  readonly #id: string;
  readonly #name: string;
  readonly #data: string;
  readonly #input: Json;
  /** Text, thought or partial JSON, by type. */
  #body: string;
  #signature: string;
  #closed = false;

  constructor(start: JsonObject) {
    this.type = start.type ?? null;
    this.#id = toText(start.id);
    this.#name = toText(start.name);
    this.#data = toText(start.data);
    this.#input = start.input ?? {};
    this.#body = start.type === 'text' ? toText(start.text) : start.type === 'thinking' ? toText(start.thinking) : '';
    this.#signature = toText(start.signature);
  }

  /** The text received so far, for counting. */
  get streamed(): string {
    return this.#body + this.#signature + this.#data;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether the model may have used more tokens than the received text shows. */
  get thinksUnseen(): boolean {
    return this.type === 'thinking' && !this.#closed;
  }

  /** Adds a delta; returns the added text. */
  extend(delta: JsonObject): string {
    if (delta.type === 'signature_delta') {
      const piece = toText(delta.signature);
      this.#signature += piece;
      return piece;
    }
    const piece = toText(
      delta.type === 'text_delta'
        ? delta.text
        : delta.type === 'thinking_delta'
          ? delta.thinking
          : delta.type === 'input_json_delta'
            ? delta.partial_json
            : '',
    );
    this.#body += piece;
    return piece;
  }

  close(): void {
    this.#closed = true;
  }

  /** Returns the block for the chain; null for an unknown or an empty one, which the API would reject in the next request. */
  toBlock(): ReplyBlock | null {
    switch (this.type) {
      case 'text':
        return { type: 'text', text: this.#body };
      case 'thinking':
        return this.#body === '' && this.#signature === ''
          ? null
          : { type: 'thinking', thinking: this.#body, signature: this.#signature };
      case 'redacted_thinking':
        return { type: 'redacted_thinking', data: this.#data };
      case 'tool_use':
        return {
          type: 'tool_use',
          id: this.#id,
          name: this.#name,
          input: limitDepth(parseArguments(this.#body, this.#input)),
        };
      default:
        return null;
    }
  }
}

/**
 * Joins texts in sequence: where a server splits sentences, as Claude does at citations, they are one text. Blank texts around
 * them are dropped: providers would reject them in the next request.
 *
 * @param blocks null for a block that the chain does not keep: it separates texts, as any other block
 */
export function joinTexts(blocks: readonly (ReplyBlock | null)[]): readonly ReplyBlock[] {
  const content: ReplyBlock[] = [];
  /** The text so far; null after another block. */
  let open: string | null = null;
  for (const block of blocks) {
    if (block?.type !== 'text') {
      open = null;
      if (block !== null) content.push(block);
      continue;
    }
    const isBlank = block.text.trim() === '';
    if (isBlank && open === null) continue;
    if (!isBlank && open !== null) content.pop();
    open = `${open ?? ''}${block.text}`;
    if (!isBlank) content.push({ type: 'text', text: open });
  }
  return content;
}

/**
 * Parses the arguments of a call. Text that does not parse (cut off by the token limit) stays text: the chain corrects
 * the model.
 *
 * @param absent for a call without any
 */
export function parseArguments(text: string, absent: Json): Json {
  return text.trim() === '' ? absent : parseJsonOrText(text);
}

/**
 * Replaces arguments nested too deeply: JSON is serialized recursively, and some thousand levels could not be stored.
 */
export function limitDepth(input: Json): Json {
  return isTooDeep(input, defaults.argumentLevels) ? deepInputMark : input;
}

/** Returns a text, and none for any other value. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

interface ReportedCounts<Name extends string> {
  /** The reported counts. */
  readonly counts: Partial<Record<Name, number>>;
  /** The first invalid count, as a clause; null if all are valid. */
  readonly problem: string | null;
}

type CountList<Name extends string> = Readonly<Record<Name, readonly [name: string, value: Json | undefined]>>;

/** Parses the counts of a `usage` object. Absent and null both mean not reported. */
export function parseUsage(reported: Json | undefined): ReportedCounts<keyof Usage> {
  return parseCounts<keyof Usage>(reported, (usage) => {
    const details = usage.output_tokens_details;
    return {
      input: ['input_tokens', usage.input_tokens],
      output: ['output_tokens', usage.output_tokens],
      cacheRead: ['cache_read_input_tokens', usage.cache_read_input_tokens],
      cacheWrite: ['cache_creation_input_tokens', usage.cache_creation_input_tokens],
      thinking: ['thinking_tokens', isObject(details) ? details.thinking_tokens : null],
    };
  });
}

/** Parses the counts of any report. @param list returns each count with its name on the wire */
export function parseCounts<Name extends string>(
  reported: Json | undefined,
  list: (usage: JsonObject) => CountList<Name>,
): ReportedCounts<Name> {
  if (reported === undefined || reported === null) return { counts: {}, problem: null };
  if (!isObject(reported)) return { counts: {}, problem: `it reported ${formatValue(reported)} as usage` };
  const entries = Object.entries<readonly [name: string, value: Json | undefined]>(list(reported));
  const present = entries.filter(([, [, value]]) => value !== undefined && value !== null);
  const problem = present.find(([, [, value]]) => !check.count.is(value));
  const counts = Object.fromEntries(
    present.flatMap(([name, [, value]]) => (check.count.is(value) ? [[name, value]] : [])),
  );
  return {
    counts: counts as Partial<Record<Name, number>>,
    problem: problem === undefined ? null : `it reported ${formatValue(problem[1][1])} as ${problem[1][0]}`,
  };
}

/** Formats a reported value for the sentence that rejects it. */
export function formatValue(value: Json | undefined): string {
  return typeof value === 'number' ? String(value) : shorten(JSON.stringify(value), 40);
}

/**
 * Parses a stop reason. An unknown or missing one is the end of the turn: the content decides how the chain continues.
 */
export function toStopReason(value: Json): ReplyStopReason {
  switch (value) {
    case 'max_tokens':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause_turn':
    case 'refusal':
    case 'model_context_window_exceeded':
      return value;
    default:
      return 'end_turn';
  }
}

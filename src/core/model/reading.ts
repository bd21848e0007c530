/**
 * The reading of a reply by a strategy, and its quoted form, in which facts store it: text that the reply contains word for
 * word is stored as its position there (L2). `unquote` restores the reading without the strategy, so a better parser never
 * changes the decisions of an old chain. `quote` (strategies/compact-reading.ts) creates the quoted form.
 */

import { findOwn, isObject, type Json, parseJson, toTextOrNull } from '../lib/index.js';
import type { ReplyBlock } from './model.js';

/** A call as the model requested it. */
export interface RequestedCall {
  /** The provider's id of the call (`tool_use`), or null in a text protocol. */
  readonly useId: string | null;
  readonly tool: string;
  readonly input: Json;
  /** Why the call is rejected, for the model; null if it may run. */
  readonly rejected: string | null;
}

/**
 * What was changed to make an answer match its schema. `code_fence`, `text_around`: only the JSON in it was read. `json`:
 * errors of its syntax, such as trailing commas. `unwrapped`: it was the only member of an object.
 */
export type AnswerRepair = 'code_fence' | 'text_around' | 'json' | 'unwrapped';

/** A reply as the strategy parsed it. Calls of a reply with a `problem` are not run. */
export interface Reading {
  readonly thought: string | null;
  readonly calls: readonly RequestedCall[];
  /** The final answer: text, or a value of the agent's output schema. With a `failure`, the findings. */
  readonly answer: Json;
  /** The model's reason why the task cannot be completed. Absent unless it ends the chain so. */
  readonly failure?: string;
  /** The repairs of an answer with a schema. Absent if it needed none. */
  readonly repairs?: readonly AnswerRepair[];
  /** A correction for the model where the reply could not be parsed; else null. */
  readonly problem: string | null;
  /** The new working notes; null if the reply does not change them. */
  readonly scratchpad: string | null;
  /** The reply without invented parts: the conversation continues with it. */
  readonly content: readonly ReplyBlock[];
  /** The whole reply, where it could not be parsed and `content` is only a part of it. Absent otherwise. */
  readonly received?: readonly ReplyBlock[];
}

/** Returns whether the reply ends the chain, if the rules allow it. */
export function hasEnding({ answer, failure }: Pick<Reading, 'answer' | 'failure'>): boolean {
  return answer !== null || failure !== undefined;
}

/** A position in the reply's content. Blocks and characters (UTF-16 units) count from 0. */
export type TextRef =
  /** Characters of a block's text or thinking. */
  | { readonly text: readonly [block: number, from: number, to: number] }
  /** The JSON value in these characters. */
  | { readonly json: readonly [block: number, from: number, to: number] }
  /** The arguments of a `tool_use`, or one member of them. */
  | { readonly input: readonly [block: number, member?: string] };

interface Quote {
  readonly quote: TextRef;
}

/** A value that looks like a quote but is not one. */
interface VerbatimValue {
  readonly verbatim: Json;
}

export type QuotedValue<T extends Json> = T | Quote | VerbatimValue;

export type QuotedCall =
  /** A call that equals a `tool_use` block. */
  | { readonly use: number; readonly rejected: string | null }
  | (Omit<RequestedCall, 'input'> & { readonly input: QuotedValue<Json> });

export interface CompactReading extends Pick<Reading, 'problem' | 'content' | 'received' | 'repairs'> {
  readonly thought: QuotedValue<string | null>;
  readonly calls: readonly QuotedCall[];
  readonly answer: QuotedValue<Json>;
  readonly failure?: QuotedValue<string>;
  readonly scratchpad: QuotedValue<string | null>;
}

/** Restores a reading. Never throws; a position that does not exist reads as null. */
export function expandReading(quoted: CompactReading): Reading {
  const { thought, calls, answer, failure, repairs, scratchpad, problem, content, received } = quoted;
  return {
    thought: toTextOrNull(unquoteValue(thought, content)),
    calls: calls.map((call) => unquoteCall(call, content)),
    answer: unquoteValue(answer, content),
    ...(failure === undefined ? {} : { failure: toTextOrNull(unquoteValue(failure, content)) ?? '' }),
    ...(repairs === undefined ? {} : { repairs }),
    problem,
    scratchpad: toTextOrNull(unquoteValue(scratchpad, content)),
    content,
    ...(received === undefined ? {} : { received }),
  };
}

/** Returns whether a value looks like a quote, so that it must be stored as `verbatim`. */
export function isQuoteLike(value: unknown): value is Quote | VerbatimValue {
  return isObject(value) && ('quote' in value || 'verbatim' in value);
}

/** Returns the text of a block that quotes refer to. */
export function getQuotableText(block: ReplyBlock | undefined): string {
  if (block?.type === 'text') return block.text;
  return block?.type === 'thinking' ? block.thinking : '';
}

function unquoteCall(call: QuotedCall, content: readonly ReplyBlock[]): RequestedCall {
  if (!('use' in call)) return { ...call, input: unquoteValue(call.input, content) };
  const block = content[call.use];
  if (block?.type !== 'tool_use') return { useId: null, tool: '', input: null, rejected: call.rejected };
  return { useId: block.id, tool: block.name, input: block.input, rejected: call.rejected };
}

function unquoteValue(quoted: QuotedValue<Json>, content: readonly ReplyBlock[]): Json {
  if (!isQuoteLike(quoted)) return quoted;
  if ('verbatim' in quoted) return quoted.verbatim;
  const { quote } = quoted;
  if ('input' in quote) return getInputAt(quote.input, content);
  const [at, from, to] = 'text' in quote ? quote.text : quote.json;
  const words = getQuotableText(content[at]).slice(from, to);
  return 'text' in quote ? words : (parseJson(words) ?? null);
}

function getInputAt([at, member]: readonly [number, string?], content: readonly ReplyBlock[]): Json {
  const block = content[at];
  if (block?.type !== 'tool_use') return null;
  if (member === undefined) return block.input;
  return isObject(block.input) ? (findOwn(block.input, member) ?? null) : null;
}

/**
 * The reading of a reply by a strategy, and its quoted form, in which facts store it: what stands in the reply word for word is
 * its place there (L2). `unquote` gives the reading back and knows no strategy, so a better parser never changes what an old
 * chain decided; `quote` (strategies/quote.ts) makes it.
 */

import { findOwn, isObject, type Json } from '../lib/json.js';
import type { ReplyBlock } from './model.js';

/** A call as the model asked for it. */
export interface RequestedCall {
  /** The provider's id of the call (`tool_use`), or null in a text protocol. */
  readonly useId: string | null;
  readonly tool: string;
  readonly input: Json;
  /** Why the call will not be run, as the model is told; null when it may run. */
  readonly rejected: string | null;
}

/** What the model decided, as the strategy reads it. A reply with a `problem` runs none of its calls. */
export interface Reading {
  readonly thought: string | null;
  readonly calls: readonly RequestedCall[];
  /** The final answer; text, or the value that the agent's result schema describes. */
  readonly answer: Json;
  /** What could not be read, as a short correction that the model is shown. */
  readonly problem: string | null;
  /** The working notes as of this reply; null where the reply does not change them. */
  readonly scratchpad: string | null;
  /** The reply without what the model made up: what the conversation goes on with. */
  readonly content: readonly ReplyBlock[];
}

/** Where in the reply's content something stands. Blocks and characters (UTF-16 units) count from 0. */
export type QuotePlace =
  /** Characters of a block's text or thinking. */
  | { readonly text: readonly [block: number, from: number, to: number] }
  /** The value that these characters write as JSON. */
  | { readonly json: readonly [block: number, from: number, to: number] }
  /** The arguments of a `tool_use`, or one member of them. */
  | { readonly input: readonly [block: number, member?: string] };

interface Quote {
  readonly quote: QuotePlace;
}

/** A value that could be taken for a quote, and is none. */
interface VerbatimValue {
  readonly verbatim: Json;
}

export type QuotedValue<T extends Json> = T | Quote | VerbatimValue;

export type QuotedCall =
  /** A call that is a `tool_use` block, word for word. */
  | { readonly use: number; readonly rejected: string | null }
  | (Omit<RequestedCall, 'input'> & { readonly input: QuotedValue<Json> });

export interface QuotedReading extends Pick<Reading, 'problem' | 'content'> {
  readonly thought: QuotedValue<string | null>;
  readonly calls: readonly QuotedCall[];
  readonly answer: QuotedValue<Json>;
  readonly scratchpad: QuotedValue<string | null>;
}

/** Never throws; a place that is not there reads as null. */
export function unquote({ thought, calls, answer, scratchpad, problem, content }: QuotedReading): Reading {
  return {
    thought: toTextOrNull(unquoteValue(thought, content)),
    calls: calls.map((call) => unquoteCall(call, content)),
    answer: unquoteValue(answer, content),
    problem,
    scratchpad: toTextOrNull(unquoteValue(scratchpad, content)),
    content,
  };
}

/** What a model may have written that reads as a quote, and so must not be stored as it is. */
export function isQuoteLike(value: unknown): value is Quote | VerbatimValue {
  return isObject(value) && ('quote' in value || 'verbatim' in value);
}

/** What can be quoted from a block of text. */
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
  return 'text' in quote ? words : parseJsonOrNull(words);
}

function getInputAt([at, member]: readonly [number, string?], content: readonly ReplyBlock[]): Json {
  const block = content[at];
  if (block?.type !== 'tool_use') return null;
  if (member === undefined) return block.input;
  return isObject(block.input) ? (findOwn(block.input, member) ?? null) : null;
}

function parseJsonOrNull(words: string): Json {
  try {
    return JSON.parse(words) as Json;
  } catch {
    return null;
  }
}

function toTextOrNull(value: Json): string | null {
  return typeof value === 'string' ? value : null;
}

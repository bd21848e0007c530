/**
 * The reading of a reply by a strategy, and its quoted form, in which facts store it: what stands in the reply word for word is
 * its place there (L2). `unquote` gives the reading back and knows no strategy, so a better parser never changes what an old
 * chain decided; `quote` (strategies/quote.ts) makes it.
 */

import { isObject, type Json, own } from '../lib/json.js';
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
export type Place =
  /** Characters of a block's text or thinking. */
  | { readonly text: readonly [block: number, from: number, to: number] }
  /** The value that these characters write as JSON. */
  | { readonly json: readonly [block: number, from: number, to: number] }
  /** The arguments of a `tool_use`, or one member of them. */
  | { readonly input: readonly [block: number, member?: string] };

interface Quote {
  readonly said: Place;
}

/** A value that could be taken for a quote, and is none. */
interface Verbatim {
  readonly verbatim: Json;
}

export type Quoted<T extends Json> = T | Quote | Verbatim;

export type QuotedCall =
  /** A call that is a `tool_use` block, word for word. */
  | { readonly use: number; readonly rejected: string | null }
  | (Omit<RequestedCall, 'input'> & { readonly input: Quoted<Json> });

export interface QuotedReading extends Pick<Reading, 'problem' | 'content'> {
  readonly thought: Quoted<string | null>;
  readonly calls: readonly QuotedCall[];
  readonly answer: Quoted<Json>;
  readonly scratchpad: Quoted<string | null>;
}

/** Never throws; a place that is not there reads as null. */
export function unquote({ thought, calls, answer, scratchpad, problem, content }: QuotedReading): Reading {
  return {
    thought: textOrNull(valueAt(thought, content)),
    calls: calls.map((call) => callOf(call, content)),
    answer: valueAt(answer, content),
    problem,
    scratchpad: textOrNull(valueAt(scratchpad, content)),
    content,
  };
}

/** What a model may have written that reads as a quote, and so must not be stored as it is. */
export function isAmbiguous(value: unknown): value is Quote | Verbatim {
  return isObject(value) && ('said' in value || 'verbatim' in value);
}

/** What can be quoted from a block of text. */
export function wordsOf(block: ReplyBlock | undefined): string {
  if (block?.type === 'text') return block.text;
  return block?.type === 'thinking' ? block.thinking : '';
}

function callOf(call: QuotedCall, content: readonly ReplyBlock[]): RequestedCall {
  if (!('use' in call)) return { ...call, input: valueAt(call.input, content) };
  const block = content[call.use];
  if (block?.type !== 'tool_use') return { useId: null, tool: '', input: null, rejected: call.rejected };
  return { useId: block.id, tool: block.name, input: block.input, rejected: call.rejected };
}

function valueAt(quoted: Quoted<Json>, content: readonly ReplyBlock[]): Json {
  if (!isAmbiguous(quoted)) return quoted;
  if ('verbatim' in quoted) return quoted.verbatim;
  const { said } = quoted;
  if ('input' in said) return inputAt(said.input, content);
  const [at, from, to] = 'text' in said ? said.text : said.json;
  const words = wordsOf(content[at]).slice(from, to);
  return 'text' in said ? words : parsed(words);
}

function inputAt([at, member]: readonly [number, string?], content: readonly ReplyBlock[]): Json {
  const block = content[at];
  if (block?.type !== 'tool_use') return null;
  if (member === undefined) return block.input;
  return isObject(block.input) ? (own(block.input, member) ?? null) : null;
}

function parsed(words: string): Json {
  try {
    return JSON.parse(words) as Json;
  } catch {
    return null;
  }
}

function textOrNull(value: Json): string | null {
  return typeof value === 'string' ? value : null;
}

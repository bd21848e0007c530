/** Replaces parts of a reading by their places in the reply, so that a fact stores each text once (L2). */

import { isObject, type Json, readLooseValues, toCanonicalJson } from '../lib/index.js';
import {
  type CompactReading,
  getQuotableText,
  isQuoteLike,
  type QuotedCall,
  type QuotedValue,
  type Reading,
  type ReplyBlock,
  type RequestedCall,
  type TextRef,
} from '../model/index.js';

/** Contract: `unquote(quote(reading))` equals `reading`. A value that is not found, or is shorter literally, is stored literally. */
export function compactReading(reading: Reading): CompactReading {
  const { thought, calls, answer, failure, repairs, scratchpad, problem, content, received } = reading;
  const blocks = content.map(createQuotableBlock);
  return {
    thought: quoteValue(thought, blocks),
    calls: calls.map((call) => quoteCall(call, content, blocks)),
    answer: quoteValue(answer, blocks),
    ...(failure === undefined ? {} : { failure: quoteValue(failure, blocks) }),
    ...(repairs === undefined ? {} : { repairs }),
    problem,
    scratchpad: quoteValue(scratchpad, blocks),
    content,
    ...(received === undefined ? {} : { received }),
  };
}

/** A block of the reply, whose values are listed at most once: a reply may have many calls and many values. */
interface QuotableBlock {
  readonly findPlace: (searched: SearchedValue) => TextRef | null;
}

/** A value, and its canonical JSON. */
interface SearchedValue {
  readonly value: Json;
  readonly form: string;
}

function createQuotableBlock(block: ReplyBlock, at: number): QuotableBlock {
  if (block.type === 'tool_use') {
    let places: ReadonlyMap<string, TextRef> | null = null;
    return {
      findPlace: ({ form }) => {
        places ??= listInputPlaces(block.input, at);
        return places.get(form) ?? null;
      },
    };
  }
  const text = getQuotableText(block);
  const places = new Map<'{' | '[', ReadonlyMap<string, TextRef>>();
  return {
    findPlace: ({ value, form }) => {
      if (typeof value === 'string') {
        const from = text.indexOf(value);
        return from < 0 ? null : { text: [at, from, from + value.length] };
      }
      const bracket = Array.isArray(value) ? '[' : '{';
      const listed = places.get(bracket) ?? listJsonPlaces(text, at, bracket);
      places.set(bracket, listed);
      return listed.get(form) ?? null;
    },
  };
}

function quoteCall(call: RequestedCall, content: readonly ReplyBlock[], blocks: readonly QuotableBlock[]): QuotedCall {
  const use = content.findIndex((block) => block.type === 'tool_use' && block.id === call.useId);
  const block = content[use];
  const same = block?.type === 'tool_use' && block.name === call.tool && isEqual(block.input, call.input);
  return same ? { use, rejected: call.rejected } : { ...call, input: quoteValue(call.input, blocks) };
}

function quoteValue<T extends Json>(value: T, blocks: readonly QuotableBlock[]): QuotedValue<T> {
  const literal: QuotedValue<T> = isQuoteLike(value) ? { verbatim: value } : value;
  const length = JSON.stringify(literal).length;
  if (length <= minQuoteLength) return literal;
  const searched = { value, form: toCanonicalJson(value) };
  for (const block of blocks) {
    const place = block.findPlace(searched);
    if (place !== null && JSON.stringify(place).length + quoteOverhead < length) return { quote: place };
  }
  return literal;
}

/** Characters that a quote adds to its place. */
const quoteOverhead = '{"quote":}'.length;
const minQuoteLength = '{"input":[0]}'.length + quoteOverhead;

function listInputPlaces(input: Json, at: number): ReadonlyMap<string, TextRef> {
  const places = new Map<string, TextRef>([[toCanonicalJson(input), { input: [at] }]]);
  for (const [key, value] of isObject(input) ? Object.entries(input) : []) {
    const form = toCanonicalJson(value);
    if (!places.has(form)) places.set(form, { input: [at, key] });
  }
  return places;
}

/** Lists the outermost values only. The text must be strict JSON: loose JSON would not parse back. */
function listJsonPlaces(text: string, at: number, bracket: '{' | '['): ReadonlyMap<string, TextRef> {
  const places = new Map<string, TextRef>();
  for (const { start, read } of readLooseValues(text, bracket)) {
    if (!read.ok) continue;
    const form = toCanonicalJson(read.value);
    if (places.has(form) || !isExactJson(text.slice(start, read.end), read.value)) continue;
    places.set(form, { json: [at, start, read.end] });
  }
  return places;
}

function isExactJson(text: string, value: Json): boolean {
  try {
    return isEqual(JSON.parse(text) as Json, value);
  } catch {
    return false;
  }
}

function isEqual(one: Json, other: Json): boolean {
  return toCanonicalJson(one) === toCanonicalJson(other);
}

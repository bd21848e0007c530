/** Replaces parts of a reading by their places in the reply, so that a fact stores each text once (L2). */

import { isObject, type Json, toCanonicalJson } from '../lib/json.js';
import { readLooseJson } from '../lib/loose-json.js';
import type { ReplyBlock } from '../model/model.js';
import {
  getQuotableText,
  isQuoteLike,
  type QuotedCall,
  type QuotedReading,
  type QuotedValue,
  type QuotePlace,
  type Reading,
  type RequestedCall,
} from '../model/reading.js';

/** Contract: `unquote(quote(reading))` equals `reading`. A value that is not found, or is shorter literally, is stored literally. */
export function quote(reading: Reading): QuotedReading {
  const { thought, calls, answer, failure, repairs, scratchpad, problem, content, received } = reading;
  return {
    thought: quoteValue(thought, content),
    calls: calls.map((call) => quoteCall(call, content)),
    answer: quoteValue(answer, content),
    ...(failure === undefined ? {} : { failure: quoteValue(failure, content) }),
    ...(repairs === undefined ? {} : { repairs }),
    problem,
    scratchpad: quoteValue(scratchpad, content),
    content,
    ...(received === undefined ? {} : { received }),
  };
}

function quoteCall(call: RequestedCall, content: readonly ReplyBlock[]): QuotedCall {
  const use = content.findIndex((block) => block.type === 'tool_use' && block.id === call.useId);
  const block = content[use];
  const same = block?.type === 'tool_use' && block.name === call.tool && isEqual(block.input, call.input);
  return same ? { use, rejected: call.rejected } : { ...call, input: quoteValue(call.input, content) };
}

function quoteValue<T extends Json>(value: T, content: readonly ReplyBlock[]): QuotedValue<T> {
  const literal: QuotedValue<T> = isQuoteLike(value) ? { verbatim: value } : value;
  const length = JSON.stringify(literal).length;
  for (const [at, block] of content.entries()) {
    const place = length > minQuoteLength ? findPlace(block, at, value) : null;
    if (place !== null && JSON.stringify(place).length + quoteOverhead < length) return { quote: place };
  }
  return literal;
}

/** Characters that a quote adds to its place. */
const quoteOverhead = '{"quote":}'.length;
const minQuoteLength = '{"input":[0]}'.length + quoteOverhead;

function findPlace(block: ReplyBlock, at: number, value: Json): QuotePlace | null {
  if (block.type === 'tool_use') return findInputPlace(block.input, at, value);
  const text = getQuotableText(block);
  if (typeof value !== 'string') return findJsonPlace(text, at, value);
  const from = text.indexOf(value);
  return from < 0 ? null : { text: [at, from, from + value.length] };
}

function findInputPlace(input: Json, at: number, value: Json): QuotePlace | null {
  if (isEqual(input, value)) return { input: [at] };
  const member = isObject(input) ? Object.entries(input).find(([, each]) => isEqual(each, value)) : undefined;
  return member === undefined ? null : { input: [at, member[0]] };
}

/** Searches the outermost values only. The text must be strict JSON: loose JSON would not parse back. */
function findJsonPlace(text: string, at: number, value: Json): QuotePlace | null {
  const bracket = Array.isArray(value) ? '[' : '{';
  let from = text.indexOf(bracket);
  for (let tries = 0; from >= 0 && tries < maxTries; tries++) {
    const read = readLooseJson(text, from);
    const to = read.ok ? read.end : from + 1;
    if (read.ok && isEqual(read.value, value) && isExactJson(text.slice(from, to), value))
      return { json: [at, from, to] };
    from = text.indexOf(bracket, to);
  }
  return null;
}

/** Bounds the search: each try may read to the end of the text. */
const maxTries = 100;

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

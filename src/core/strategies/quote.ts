/** Finds where in a reply the parts of its reading stand, so that a fact says each of them once (L2). */

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

/** Contract: `unquote(quote(reading))` equals `reading`. What is not found, or is shorter as it is, stays as it is. */
export function quote({ thought, calls, answer, scratchpad, problem, content }: Reading): QuotedReading {
  return {
    thought: quoteValue(thought, content),
    calls: calls.map((call) => quoteCall(call, content)),
    answer: quoteValue(answer, content),
    problem,
    scratchpad: quoteValue(scratchpad, content),
    content,
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
    const said = length > minQuoteLength ? findPlace(block, at, value) : null;
    if (said !== null && JSON.stringify({ said }).length < length) return { quote: said };
  }
  return literal;
}

const minQuoteLength = '{"said":{"input":[0]}}'.length;

function findPlace(block: ReplyBlock, at: number, value: Json): QuotePlace | null {
  if (block.type === 'tool_use') return findInputPlace(block.input, at, value);
  const words = getQuotableText(block);
  if (typeof value !== 'string') return findJsonPlace(words, at, value);
  const from = words.indexOf(value);
  return from < 0 ? null : { text: [at, from, from + value.length] };
}

function findInputPlace(input: Json, at: number, value: Json): QuotePlace | null {
  if (isEqual(input, value)) return { input: [at] };
  const member = isObject(input) ? Object.entries(input).find(([, each]) => isEqual(each, value)) : undefined;
  return member === undefined ? null : { input: [at, member[0]] };
}

/** Looks at the outermost values only. What is JSON by and large has an end too, but is not quoted: it must be JSON. */
function findJsonPlace(words: string, at: number, value: Json): QuotePlace | null {
  const bracket = Array.isArray(value) ? '[' : '{';
  let from = words.indexOf(bracket);
  for (let tries = 0; from >= 0 && tries < maxTries; tries++) {
    const read = readLooseJson(words, from);
    const to = read.ok ? read.end : from + 1;
    if (read.ok && isEqual(read.value, value) && isExactJson(words.slice(from, to), value))
      return { json: [at, from, to] };
    from = words.indexOf(bracket, to);
  }
  return null;
}

/** A try may read to the end of the text; what is not found so soon is stored as it is. */
const maxTries = 100;

function isExactJson(words: string, value: Json): boolean {
  try {
    return isEqual(JSON.parse(words) as Json, value);
  } catch {
    return false;
  }
}

function isEqual(one: Json, other: Json): boolean {
  return toCanonicalJson(one) === toCanonicalJson(other);
}

/** Finds where in a reply the parts of its reading stand, so that a fact says each of them once (L2). */

import { canonical, isObject, type Json } from '../lib/json.js';
import { readLooseJson } from '../lib/loose-json.js';
import type { ReplyBlock } from '../model/model.js';
import {
  isAmbiguous,
  type Place,
  type Quoted,
  type QuotedCall,
  type QuotedReading,
  type Reading,
  type RequestedCall,
  wordsOf,
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
  const same = block?.type === 'tool_use' && block.name === call.tool && equal(block.input, call.input);
  return same ? { use, rejected: call.rejected } : { ...call, input: quoteValue(call.input, content) };
}

function quoteValue<T extends Json>(value: T, content: readonly ReplyBlock[]): Quoted<T> {
  const literal: Quoted<T> = isAmbiguous(value) ? { verbatim: value } : value;
  const length = JSON.stringify(literal).length;
  for (const [at, block] of content.entries()) {
    const said = length > shortest ? placeIn(block, at, value) : null;
    if (said !== null && JSON.stringify({ said }).length < length) return { said };
  }
  return literal;
}

const shortest = '{"said":{"input":[0]}}'.length;

function placeIn(block: ReplyBlock, at: number, value: Json): Place | null {
  if (block.type === 'tool_use') return placeInInput(block.input, at, value);
  const words = wordsOf(block);
  if (typeof value !== 'string') return placeOfJson(words, at, value);
  const from = words.indexOf(value);
  return from < 0 ? null : { text: [at, from, from + value.length] };
}

function placeInInput(input: Json, at: number, value: Json): Place | null {
  if (equal(input, value)) return { input: [at] };
  const member = isObject(input) ? Object.entries(input).find(([, each]) => equal(each, value)) : undefined;
  return member === undefined ? null : { input: [at, member[0]] };
}

/** Looks at the outermost values only. What is JSON by and large has an end too, but is not quoted: it must be JSON. */
function placeOfJson(words: string, at: number, value: Json): Place | null {
  const bracket = Array.isArray(value) ? '[' : '{';
  let from = words.indexOf(bracket);
  for (let tries = 0; from >= 0 && tries < mostTries; tries++) {
    const read = readLooseJson(words, from);
    const to = read.ok ? read.end : from + 1;
    if (read.ok && equal(read.value, value) && isWritten(words.slice(from, to), value)) return { json: [at, from, to] };
    from = words.indexOf(bracket, to);
  }
  return null;
}

/** A try may read to the end of the text; what is not found so soon is stored as it is. */
const mostTries = 100;

function isWritten(words: string, value: Json): boolean {
  try {
    return equal(JSON.parse(words) as Json, value);
  } catch {
    return false;
  }
}

function equal(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other);
}

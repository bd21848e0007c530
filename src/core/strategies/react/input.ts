/** Parses the text after `Action Input:` as a tool's arguments: JSON, pairs, or a single value. */

import { isObject, type Json, type JsonObject } from '../../lib/json.js';
import { readLooseJson } from '../../lib/loose-json.js';
import { formatPlace } from '../../lib/loose-text.js';
import { coerceToSchema, findSoleParameter, parsePairs, type ToolShape } from './arguments.js';

export type InputParseResult =
  | {
      readonly kind: 'input';
      readonly input: JsonObject;
      /** End of the input in the parsed text. */
      readonly end: number;
      /** Whether a bracket, quote or fence shows that it is complete. */
      readonly closed: boolean;
    }
  /** Empty, or a word such as `None`. */
  | { readonly kind: 'nothing'; readonly end: number }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly cut: boolean };

const leadPattern = /\s*(?:(`{3,}|~{3,})(?:[A-Za-z0-9+#-]*(?=\s*\n|\s+[{["]|\s*\{))?\s*|(`{1,2})(?!`))?/y;
const prefixPattern = /(?:[A-Za-z]{1,12}\s{0,3}[:=]?\s{0,3}|[<(]\s?)(?=[{[])/y;
const nothingPattern =
  /^[([<"'*]*(?:none|null|nil|n\/?a|undefined|no (?:input|arguments?|parameters?)(?: (?:is |are )?(?:needed|required|necessary))?|not (?:needed|required|applicable)|none (?:needed|required)|-|–|—)?[)\]>"'*.]*$/i;

export function parseInput(body: string, shape: ToolShape): InputParseResult {
  leadPattern.lastIndex = 0;
  const opened = leadPattern.exec(body);
  const fence = opened?.[1] ?? opened?.[2] ?? null;
  let from = opened?.[0].length ?? 0;
  prefixPattern.lastIndex = from;
  const prefix = prefixPattern.exec(body)?.[0];
  if (prefix !== undefined && /^(?:json|input|arguments?|args|parameters|params)?[\s:=<(]*$/i.test(prefix)) {
    from += prefix.length;
  }
  const first = body[from];
  if (first === '{') return parseObjectInput(body, from, fence, shape);
  if (first === '[') {
    const read = readLooseJson(body, from);
    if (read.ok && isLineEnd(body, read.end, fence)) {
      return toSingleArgument(
        read.value,
        body.slice(from, read.end),
        shape,
        skipClosingFence(body, read.end, fence),
        true,
      );
    }
  }
  return parseBareInput(body, from, fence, shape);
}

function parseObjectInput(body: string, from: number, fence: string | null, shape: ToolShape): InputParseResult {
  const read = readLooseJson(body, from);
  if (read.ok && isObject(read.value)) {
    return { kind: 'input', input: read.value, end: skipClosingFence(body, read.end, fence), closed: true };
  }
  if (/^\{\s*(?:\\[nt])?\s*\\"/.test(body.slice(from, from + 200))) {
    // The whole input was escaped twice.
    const again = readLooseJson(removeEscapes(body.slice(from)));
    if (again.ok && isObject(again.value)) return { kind: 'input', input: again.value, end: body.length, closed: true };
  }
  if (read.ok) return toSingleArgument(read.value, body.slice(from, read.end), shape, read.end, true);
  return {
    kind: 'unreadable',
    reason: `${formatPlace(body.slice(from), read.index - from)}: ${read.reason}`,
    cut: read.cut,
  };
}

function parseBareInput(body: string, from: number, fence: string | null, shape: ToolShape): InputParseResult {
  const closing = fence === null ? -1 : body.indexOf(fence, from);
  if (closing < 0 && fence !== null && fence.length >= 3 && body.slice(from).trim() !== '') {
    const reason = 'its code fence is not closed; a line that starts like a label ends the input';
    return { kind: 'unreadable', reason, cut: true };
  }
  const end = closing < 0 ? body.length : closing + (fence?.length ?? 0);
  const text = body.slice(from, closing < 0 ? body.length : closing).trim();
  if (text.length < 80 && nothingPattern.test(text)) return { kind: 'nothing', end };
  const pairs = parsePairs(text, shape);
  if (pairs !== null) return { kind: 'input', input: pairs, end, closed: true };
  if (/^["'“‘]/.test(text)) {
    const read = readLooseJson(text);
    if (read.ok && typeof read.value === 'string' && isLineEnd(text, read.end, null)) {
      return parseQuotedInput(read.value, shape, end);
    }
  }
  if (/^[+-]?[\d.][\d.eE+-]*$|^(?:true|false|True|False)$/.test(text)) {
    const read = readLooseJson(text);
    if (read.ok && read.end === text.length) return toSingleArgument(read.value, text, shape, end, closing >= 0);
  }
  const object = fence === null ? findOnlyObject(body, from, shape) : null;
  if (object !== null) return object;
  const plain = text.replace(/^\*\*([^*]+)\*\*$/, '$1');
  return toSingleArgument(plain, plain, shape, end, closing >= 0);
}

/** Finds the object in "Here is the input: {…}", if it ends the text and matches the tool's arguments. */
function findOnlyObject(body: string, from: number, shape: ToolShape): InputParseResult | null {
  const open = body.indexOf('{', from);
  const read = open < 0 ? null : readLooseJson(body, open);
  if (!read?.ok || !isObject(read.value) || shape.params === null) return null;
  const names = Object.keys(read.value);
  const fits = names.length > 0 && names.every((name) => shape.params?.includes(name));
  if (!fits || !shape.required?.every((name) => names.includes(name))) return null;
  const fence = /(`{1,3}|~{3})[A-Za-z]*\s*$/.exec(body.slice(Math.max(from, open - 40), open))?.[1] ?? null;
  if (!isLineEnd(body, read.end, fence) || body.includes('{', read.end)) return null;
  return { kind: 'input', input: read.value, end: skipClosingFence(body, read.end, fence), closed: true };
}

/** Parses a quoted text, which may itself be a JSON object. */
function parseQuotedInput(value: string, shape: ToolShape, end: number): InputParseResult {
  if (value.trimStart().startsWith('{')) {
    const read = readLooseJson(value);
    if (read.ok && isObject(read.value) && value.slice(read.end).trim() === '') {
      const object = read.value;
      const fits = Object.keys(object).every((key) => shape.params?.includes(key) ?? true);
      if (fits) return { kind: 'input', input: object, end, closed: true };
    }
  }
  return toSingleArgument(value, value, shape, end, true);
}

function toSingleArgument(
  value: Json,
  written: string,
  shape: ToolShape,
  end: number,
  closed: boolean,
): InputParseResult {
  if (shape.params?.length === 0) return { kind: 'input', input: {}, end, closed };
  const param = findSoleParameter(shape);
  if (param !== null) {
    return { kind: 'input', input: { [param]: coerceToSchema(value, written, param, shape) }, end, closed };
  }
  const names = (shape.required?.length ? shape.required : (shape.params ?? [])).join(', ');
  return {
    kind: 'unreadable',
    reason: `the tool takes several arguments; write a JSON object with ${names}`,
    cut: false,
  };
}

/** Parses arguments that are already a value: `{"action": …, "action_input": …}`. */
export function parseInputValue(value: Json | undefined, shape: ToolShape): InputParseResult {
  if (value === undefined || value === null) return { kind: 'nothing', end: 0 };
  if (typeof value === 'string') return parseInput(value, shape);
  if (isObject(value)) return { kind: 'input', input: value, end: 0, closed: true };
  return toSingleArgument(value, JSON.stringify(value), shape, 0, true);
}

/** Skips the closing fence, if it follows. */
function skipClosingFence(body: string, end: number, fence: string | null): number {
  if (fence === null) return end;
  const blank = body.slice(end).match(/^\s*/)?.[0].length ?? 0;
  return body.startsWith(fence, end + blank) ? end + blank + fence.length : end;
}

/** Whether only the end of a line or a fence follows. Otherwise the value is the start of a longer text. */
function isLineEnd(body: string, end: number, fence: string | null): boolean {
  const rest = /^[ \t]*[.;]?[ \t]*(?=\n|$)/.test(body.slice(end, end + 200));
  return (
    rest ||
    (fence !== null &&
      body
        .slice(end, end + 200)
        .trimStart()
        .startsWith(fence))
  );
}

function removeEscapes(text: string): string {
  return text.replace(/\\([\\"nrt])/g, (_, mark: string) =>
    mark === 'n' ? '\n' : mark === 'r' ? '\r' : mark === 't' ? '\t' : mark,
  );
}

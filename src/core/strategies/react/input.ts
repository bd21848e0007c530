/** Parses the text after `Action Input:` as a tool's arguments: JSON, pairs, or a single value. */

import {
  formatFailure,
  isObject,
  type Json,
  type JsonObject,
  readFirstObject,
  readLooseJson,
  toValueText,
} from '../../lib/index.js';
import { coerceToSchema, findSoleParameter, parseListInput, parsePairs, type ToolShape } from './arguments.js';
import { isNoInput } from './format.js';

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
  | { readonly kind: 'unreadable'; readonly reason: string };

const leadPattern = /\s*(?:(`{3,}|~{3,})(?:[A-Za-z0-9+#-]*(?=\s*\n|\s+[{["]|\s*\{))?\s*|(`{1,2})(?!`))?/y;
/** `JSON: {…}`, `({…`. */
const prefixPattern = /(?:(?:json|input|arguments?|args|parameters|params)\s{0,3}[:=]?\s{0,3}|[<(]\s?)(?=[{[])/iy;

export function parseInput(body: string, shape: ToolShape): InputParseResult {
  leadPattern.lastIndex = 0;
  const opened = leadPattern.exec(body);
  const fence = opened?.[1] ?? opened?.[2] ?? null;
  const lead = opened?.[0].length ?? 0;
  prefixPattern.lastIndex = lead;
  const from = lead + (prefixPattern.exec(body)?.[0].length ?? 0);
  const first = body[from];
  const read = first === '{' || first === '[' ? readLooseJson(body, from) : null;
  if (read?.ok && (first === '{' || isLineEnd(body, read.end, fence))) {
    return toInput(read.value, body.slice(from, read.end), shape, skipClosingFence(body, read.end, fence), true);
  }
  if (first !== '{' || read?.ok !== false) return parseBareInput(body, from, fence, shape);
  // The whole input may be escaped twice.
  const escaped = /^\{\s*(?:\\[nt])?\s*\\"/.test(body.slice(from, from + 200));
  const again = escaped ? readFirstObject(removeEscapes(body.slice(from))) : null;
  if (again !== null) return { kind: 'input', input: again.value, end: body.length, closed: true };
  return { kind: 'unreadable', reason: formatFailure(body, from, read) };
}

function parseBareInput(body: string, from: number, fence: string | null, shape: ToolShape): InputParseResult {
  const closing = fence === null ? -1 : body.indexOf(fence, from);
  if (closing < 0 && fence !== null && fence.length >= 3 && body.slice(from).trim() !== '') {
    return {
      kind: 'unreadable',
      reason: 'its code fence is not closed; a line that starts like a label ends the input',
    };
  }
  const end = closing < 0 ? body.length : closing + (fence?.length ?? 0);
  const text = body.slice(from, closing < 0 ? body.length : closing).trim();
  if (isNoInput(text)) return { kind: 'nothing', end };
  const pairs = parsePairs(text, shape);
  if (pairs !== null) return toInput(pairs, text, shape, end, true);
  if (/^(?:["'“‘]|[+-]?[\d.][\d.eE+-]*$|(?:true|false|True|False)$)/.test(text)) {
    const read = readLooseJson(text);
    if (read.ok && typeof read.value === 'string' && isLineEnd(text, read.end, null)) {
      return parseQuotedInput(read.value, shape, end);
    }
    if (read.ok && typeof read.value !== 'string' && read.end === text.length) {
      return toInput(read.value, text, shape, end, closing >= 0);
    }
  }
  const object = fence === null ? findOnlyObject(body, from, shape) : null;
  if (object !== null) return object;
  const plain = text.replace(/^\*\*([^*]+)\*\*$/, '$1');
  return toInput(plain, plain, shape, end, closing >= 0);
}

/** Finds the object in "Here is the input: {…}", if it ends the text and matches the tool's arguments. */
function findOnlyObject(body: string, from: number, shape: ToolShape): InputParseResult | null {
  const { params, required } = shape;
  const read = readFirstObject(body, from);
  if (read === null || params === null) return null;
  const names = Object.keys(read.value);
  const fits = names.length > 0 && names.every((name) => params.includes(name));
  if (!fits || !required?.every((name) => names.includes(name))) return null;
  const fence = /(`{1,3}|~{3})[A-Za-z]*\s*$/.exec(body.slice(Math.max(from, read.start - 40), read.start))?.[1] ?? null;
  if (!isLineEnd(body, read.end, fence) || body.includes('{', read.end)) return null;
  return toInput(read.value, body, shape, skipClosingFence(body, read.end, fence), true);
}

/** Parses a quoted text, which may itself be a JSON object. */
function parseQuotedInput(value: string, shape: ToolShape, end: number): InputParseResult {
  const read = value.trimStart().startsWith('{') ? readFirstObject(value) : null;
  if (read !== null && value.slice(read.end).trim() === '') {
    const fits = Object.keys(read.value).every((key) => shape.params?.includes(key) ?? true);
    if (fits) return toInput(read.value, value, shape, end, true);
  }
  return toInput(value, value, shape, end, true);
}

/** Converts a value to the arguments: an object is all of them, a list may be, another value the only one. */
function toInput(value: Json, text: string, shape: ToolShape, end: number, closed: boolean): InputParseResult {
  const toResult = (input: JsonObject): InputParseResult => ({ kind: 'input', input, end, closed });
  if (isObject(value)) return toResult(value);
  if (shape.params?.length === 0) return toResult({});
  const listed = Array.isArray(value) ? parseListInput(value, shape) : null;
  if (listed !== null) return toResult(listed);
  const param = findSoleParameter(shape);
  if (param !== null) return toResult({ [param]: coerceToSchema(value, text, param, shape) });
  const names = (shape.required?.length ? shape.required : (shape.params ?? [])).join(', ');
  return { kind: 'unreadable', reason: `the tool takes several arguments; write a JSON object with ${names}` };
}

/** Parses arguments that are already a value, `{"action": …, "action_input": …}`: they have no end of their own in the reply. */
export function parseInputValue(value: Json, shape: ToolShape): InputParseResult {
  if (value === null) return { kind: 'nothing', end: 0 };
  if (typeof value === 'string') {
    const read = parseInput(value, shape);
    return read.kind === 'unreadable' ? read : { ...read, end: 0 };
  }
  return toInput(value, toValueText(value), shape, 0, true);
}

/** Skips the closing fence, if it follows. */
function skipClosingFence(body: string, end: number, fence: string | null): number {
  if (fence === null) return end;
  const blank = /^\s*/.exec(body.slice(end))?.[0].length ?? 0;
  return body.startsWith(fence, end + blank) ? end + blank + fence.length : end;
}

/** Whether only the end of a line or a fence follows. Otherwise the value is the start of a longer text. */
function isLineEnd(body: string, end: number, fence: string | null): boolean {
  const rest = body.slice(end, end + 200);
  return /^[ \t]*[.;]?[ \t]*(?=\n|$)/.test(rest) || (fence !== null && rest.trimStart().startsWith(fence));
}

function removeEscapes(text: string): string {
  const marks: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\([\\"nrt])/g, (_, mark: string) => marks[mark] ?? mark);
}

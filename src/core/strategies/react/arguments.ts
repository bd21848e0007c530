/** The arguments of a tool, and arguments without braces: `city="Paris", days=3`, or one `city: Paris` per line. */

import {
  findOwn,
  isObject,
  isQuote,
  type Json,
  type JsonObject,
  readFirstObject,
  readLooseJson,
} from '../../lib/index.js';

export interface ToolShape {
  /** Names of its arguments in order; null if unknown. */
  readonly params: readonly string[] | null;
  /** The required arguments; null if unknown. */
  readonly required: readonly string[] | null;
  readonly schema: JsonObject;
}

export const unknownShape: ToolShape = { params: null, required: null, schema: {} };

export function toToolShape(schema: JsonObject): ToolShape {
  const properties = findOwn(schema, 'properties');
  const listed = findOwn(schema, 'required');
  const required = Array.isArray(listed) ? listed.filter((name): name is string => typeof name === 'string') : [];
  if (isObject(properties)) return { params: Object.keys(properties), required, schema };
  if (findOwn(schema, 'type') !== 'object') return unknownShape;
  // An object without named members: any arguments are valid.
  return { params: null, required, schema };
}

/** Returns the argument that a bare value represents; null if it is ambiguous. */
export function findSoleParameter(shape: ToolShape): string | null {
  if (shape.params === null) return shape.required?.length === 1 ? (shape.required[0] ?? null) : 'input';
  if (shape.params.length === 1) return shape.params[0] ?? null;
  return shape.required?.length === 1 ? (shape.required[0] ?? null) : null;
}

/**
 * Returns the arguments that a list represents: its only object, or its values in the order of the arguments. Null where the
 * list itself is an argument, or has more values.
 */
export function parseListInput(values: readonly Json[], shape: ToolShape): JsonObject | null {
  const { params } = shape;
  const sole = findSoleParameter(shape);
  if (params === null || params.length === 0 || (sole !== null && isListAllowed(sole, shape))) return null;
  const [first] = values;
  if (first === undefined) return sole === null ? {} : null;
  if (values.length > 1) return nameValues(values, params);
  const keys = isObject(first) ? Object.keys(first) : [];
  if (isObject(first) && keys.length > 0 && keys.every((key) => params.includes(key))) return first;
  return { [sole ?? params[0] ?? '']: first };
}

/** Names values in the order of the arguments; null for too many. */
export function nameValues(values: readonly Json[], params: readonly string[]): JsonObject | null {
  if (values.length > params.length) return null;
  return Object.fromEntries(values.map((value, at) => [params[at] ?? '', value]));
}

/** Whether an argument may be a list. One without a simple type may be. */
function isListAllowed(param: string, shape: ToolShape): boolean {
  const type = findParameterType(param, shape);
  return typeof type !== 'string' || type === 'array';
}

function findParameterType(param: string, { schema }: ToolShape): Json | undefined {
  const properties = findOwn(schema, 'properties');
  const own = isObject(properties) ? findOwn(properties, param) : undefined;
  return isObject(own) ? findOwn(own, 'type') : undefined;
}

/** Converts a bare value to its argument's type: digits stay text if the argument is a text. */
export function coerceToSchema(value: Json, text: string, param: string, shape: ToolShape): Json {
  const type = findParameterType(param, shape);
  return type === 'string' && (typeof value === 'number' || typeof value === 'boolean') ? text : value;
}

/** Parses a text that consists only of pairs with known names; otherwise null. */
export function parsePairs(text: string, shape: ToolShape): JsonObject | null {
  if (/^"[^"\n]{1,64}"\s{0,3}:/.test(text)) {
    const read = readFirstObject(`{${text}}`);
    // Either both braces are missing, or the first alone.
    if (read !== null && read.end > text.length) return acceptKnownNames(read.value, shape);
  }
  const params = shape.params;
  // With unknown names, `x = 5` could also be the tool's input itself.
  if (params === null || params.length === 0) return null;
  const list = parseArguments(text, 0, '');
  if (list !== null && list.positional.length === 0 && list.end === text.length)
    return acceptKnownNames(list.named, shape);
  return acceptKnownNames(parsePairLines(text, params), shape);
}

function acceptKnownNames(members: JsonObject | null, shape: ToolShape): JsonObject | null {
  if (members === null) return null;
  const keys = Object.keys(members);
  return keys.length > 0 && keys.every((key) => shape.params?.includes(key) ?? true) ? members : null;
}

function parsePairLines(text: string, params: readonly string[]): JsonObject | null {
  const members: [string, Json][] = [];
  for (const line of text.split('\n').flatMap((row) => row.split(nextPairPattern))) {
    if (line.trim() === '') continue;
    const pair = pairPattern.exec(line);
    if (pair === null || !params.includes(pair[1] ?? '')) return null;
    const valueText = (pair[2] ?? '').trim();
    const read = readLooseJson(valueText);
    const whole = read.ok && valueText.slice(read.end).trim() === '';
    members.push([pair[1] ?? '', whole ? read.value : valueText]);
  }
  return Object.fromEntries(members);
}

const pairPattern = /^\s*(?:[-*]\s+)?["'`]?([\p{L}_][\p{L}\p{N}_.-]{0,127})["'`]?\s{0,3}[:=]\s{0,3}(\S.*)$/u;
const nextPairPattern = /,\s{0,3}(?=[\p{L}_][\p{L}\p{N}_.-]{0,127}\s{0,3}[:=])/u;

interface ArgumentList {
  readonly named: JsonObject;
  readonly positional: readonly Json[];
  readonly end: number;
}

/** Reads `"Paris", units="celsius"` up to `close` (or the end); null if it is not a list of values. */
export function parseArguments(text: string, from: number, close: string): ArgumentList | null {
  const members: [string, Json][] = [];
  const positional: Json[] = [];
  let at = skipBlanks(text, from);
  while (at < text.length && text[at] !== close) {
    keyPattern.lastIndex = at;
    const key = keyPattern.exec(text);
    const start = skipBlanks(text, at + (key?.[0].length ?? 0));
    const first = text[start] ?? '';
    if (key === null && !isQuote(first) && !/[\d{[+.TFtfNn-]/.test(first)) return null;
    const read = readLooseJson(text, start);
    if (!read.ok) return null;
    if (key === null) positional.push(read.value);
    else members.push([key[1] ?? '', read.value]);
    at = skipBlanks(text, read.end);
    if (text[at] === ',' || text[at] === '，') at = skipBlanks(text, at + 1);
    else if (at < text.length && text[at] !== close) return null;
  }
  if (at >= text.length && close !== '') return null;
  return { named: Object.fromEntries(members), positional, end: at + close.length };
}

const keyPattern = /["'`]?([\p{L}_][\p{L}\p{N}_]{0,127})["'`]?\s{0,3}(?:=(?!=)|:)/uy;
const blankPattern = /\s*/y;

function skipBlanks(text: string, at: number): number {
  blankPattern.lastIndex = at;
  return at + (blankPattern.exec(text)?.[0].length ?? 0);
}

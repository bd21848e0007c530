/** Reads the text after `Action:`: a tool name, a call like a function's, or a call as JSON. */

import { findOwn, formatFailure, isObject, type Json, type JsonObject, readLooseJson } from '../../lib/index.js';
import { parseArguments } from './arguments.js';
import type { ParseContext } from './context.js';
import { getFirstLine } from './decoration.js';
import {
  actionMembers,
  argumentLeads,
  findClarificationEnd,
  isNoTool,
  mentionPatterns,
  readToolName,
} from './format.js';

export interface NamedAction {
  readonly tool: string;
  /** The inline arguments, as text or value; undefined without any. */
  readonly text?: string;
  readonly value?: Json;
  /** Values without names, in order. */
  readonly positional?: readonly Json[];
  /** Where `text` begins, or where the action ends, in the body. */
  readonly offset: number;
}

type ActionParseResult =
  | { readonly kind: 'named'; readonly action: NamedAction }
  | { readonly kind: 'objects'; readonly actions: readonly NamedAction[] }
  /** `empty`: no text. `none`: no tool is needed. */
  | { readonly kind: 'empty' | 'none' }
  /** Words that are not the name of a tool. */
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

export function parseAction(body: string, rules: ParseContext): ActionParseResult {
  const lead = /^\s*(?:(?:`{3,}|~{3,})[A-Za-z0-9]*\s+|`{3,})?/.exec(body)?.[0].length ?? 0;
  if (/^(?:\{|\[\s*\{)/.test(body.slice(lead, lead + 200))) return parseJsonActions(body, lead, rules);
  const open = lead + (/^[*_`"'“‘\s[<]*/.exec(body.slice(lead, lead + 200))?.[0].length ?? 0);
  const name = parseName(body, open, lead, rules);
  const { tool, end } = findClarification(body, open, name.tool, rules) ?? name;
  const line = getFirstLine(body.slice(lead)).trim();
  if (line === '') return { kind: 'empty' };
  if (!rules.tools.has(tool) && isNoTool(line)) return { kind: 'none' };
  if (tool === '') return { kind: 'prose', text: line };
  return parseNamedAction(body, end, tool, line, rules);
}

interface NameMatch {
  readonly tool: string;
  readonly end: number;
}

/** Parses the name at `open`, after marks. A leading underscore belongs to it, unless it is emphasis with a pair. */
function parseName(body: string, open: number, lead: number, { tools }: ParseContext): NameMatch {
  const behind = readToolName(body, open);
  const end = open + behind.length;
  const before = /_*$/.exec(body.slice(lead, open))?.[0] ?? '';
  const whole = before + behind;
  // The name of a tool may contain characters that are also marks.
  const known = [whole, behind].map((word) => word.replaceAll('\\_', '_')).find((word) => tools.has(word));
  if (known !== undefined) return { tool: known, end };
  const word = cleanToolName(behind);
  const paired = before.length > 1 && word.endsWith(before);
  return { tool: paired ? word.slice(0, -before.length) : cleanToolName(whole), end };
}

function cleanToolName(name: string): string {
  return name.replaceAll('\\_', '_').replace(/[./-]+$/, '');
}

/** Finds a clarification phrase of several words, which names the question tool. An exact name of a tool comes first. */
function findClarification(text: string, from: number, name: string, rules: ParseContext): NameMatch | null {
  if (rules.questionTool === null || rules.tools.has(name)) return null;
  const end = findClarificationEnd(text, from);
  return end === -1 ? null : { tool: rules.questionTool, end };
}

/** Resolves a name to a tool. */
export function toToolName(name: string, rules: ParseContext): string {
  const question = findClarification(name, 0, name, rules);
  return question?.end === name.length ? question.tool : name;
}

function parseNamedAction(
  body: string,
  at: number,
  tool: string,
  line: string,
  rules: ParseContext,
): ActionParseResult {
  const offset = at + (/^[*_`"'”’\]>]*/.exec(body.slice(at, at + 20))?.[0].length ?? 0);
  const rest = body.slice(offset);
  const next = rest[0];
  if (next === '(' || next === '[') return parseFunctionCall(body, offset, tool, next);
  const head = rest.slice(0, 400);
  const lead = argumentLeads.map((pattern) => pattern.exec(head)?.[0].length).find((length) => length !== undefined);
  if (lead !== undefined) return toNamed({ tool, text: rest.slice(lead), offset: offset + lead });
  const words = getFirstLine(rest);
  if (next === ':' || next === '：') return toNamed({ tool, text: words.slice(1), offset: offset + 1 });
  const isName = /^\s*(?:$|[^\p{L}\p{N}`\s]|(?:tool|function|action|api)\b\W*$)/iu.test(words);
  const toolName = isName || rules.tools.has(tool) ? tool : findToolInProse(line, rules);
  return toolName === null ? { kind: 'prose', text: line.slice(0, 300) } : toNamed({ tool: toolName, offset });
}

function toNamed(action: NamedAction): ActionParseResult {
  return { kind: 'named', action };
}

/** `Use the search tool` names a tool; `Google Search` may be one; a sentence is not. */
function findToolInProse(line: string, { tools }: ParseContext): string | null {
  const plain = line.slice(0, 300);
  const words = plain.match(/[\p{L}\p{N}_./-]+/gu)?.filter((word) => tools.has(word.replace(/\.$/, '')));
  const [only = '', ...others] = new Set(words);
  if (only !== '' && others.length === 0) return tools.has(only) ? only : cleanToolName(only);
  for (const pattern of mentionPatterns) {
    const name = pattern.exec(plain)?.[1];
    if (name !== undefined) return name;
  }
  const name = plain.replace(/^[*_`"'\s]+|[*_`"'.\s]+$/g, '');
  return line.length <= 60 && name.split(/\s+/).length <= 3 && /^[\p{L}\p{N}_.\s-]+$/u.test(name) ? name : null;
}

/** `search({"q": 1})`, `search(q="x")`, `search("x")`, `search[x]`. */
function parseFunctionCall(body: string, at: number, tool: string, open: '(' | '['): ActionParseResult {
  const close = open === '(' ? ')' : ']';
  const inside = body.slice(at + 1);
  if (/^\s*\{/.test(inside)) {
    const read = readLooseJson(body, at + 1);
    if (!read.ok) return { kind: 'unreadable', reason: formatFailure(body, 0, read) };
    const tail = new RegExp(`^\\s{0,20}\\${close}`).exec(body.slice(read.end, read.end + 30))?.[0].length ?? 0;
    return toNamed({ tool, value: read.value, offset: read.end + tail });
  }
  const list = open === '(' ? parseArguments(body, at + 1, close) : null;
  if (list !== null) {
    const { named, positional, end } = list;
    const isNamed = Object.keys(named).length > 0;
    if (!isNamed)
      return toNamed(positional.length === 0 ? { tool, text: '', offset: end } : { tool, positional, offset: end });
    if (positional.length === 0) return toNamed({ tool, value: named, offset: end });
  }
  const line = getFirstLine(inside);
  const end = line.lastIndexOf(close);
  if (end < 0) return { kind: 'unreadable', reason: `the closing "${close}" is missing` };
  const value = line
    .slice(0, end)
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2');
  return toNamed({ tool, positional: [value], offset: at + 2 + end });
}

/** `{"action": "search", "action_input": {…}}` and its relatives. */
function parseJsonActions(body: string, from: number, rules: ParseContext): ActionParseResult {
  const read = readLooseJson(body, from);
  if (!read.ok) return { kind: 'unreadable', reason: formatFailure(body, from, read) };
  const actions: NamedAction[] = [];
  for (const item of Array.isArray(read.value) ? read.value : [read.value]) {
    const action = isObject(item) ? toNamedAction(item, read.end, rules) : null;
    if (action === null) return { kind: 'unreadable', reason: 'the JSON names no tool' };
    actions.push(action);
  }
  return { kind: 'objects', actions };
}

export function toNamedAction(item: JsonObject, offset: number, rules: ParseContext): NamedAction | null {
  const inner = findOwn(item, 'function');
  const call = isObject(inner) ? inner : item;
  const tool = findFirstMember(call, actionMembers.tool);
  if (typeof tool !== 'string' || tool.trim() === '') return null;
  const value = findFirstMember(call, actionMembers.input);
  return { tool: toToolName(tool.trim(), rules), offset, ...(value !== undefined && { value }) };
}

function findFirstMember(item: JsonObject, keys: readonly string[]): Json | undefined {
  return keys.map((key) => findOwn(item, key)).find((value) => value !== undefined);
}

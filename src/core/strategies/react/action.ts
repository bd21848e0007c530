/** Reads the text after `Action:`: a tool name, a call like a function's, or a call as JSON. */

import { findOwn, isObject, type Json, type JsonObject } from '../../lib/json.js';
import { readLooseJson } from '../../lib/loose-json.js';
import { formatPlace } from '../../lib/loose-text.js';
import type { ToolSnapshot } from '../../model/agent.js';
import { parseArguments } from './arguments.js';

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
  | { readonly kind: 'objects'; readonly actions: readonly NamedAction[]; readonly end: number }
  /** `empty`: no text. `none`: no tool is needed. */
  | { readonly kind: 'empty' | 'none' }
  /** Words that are not the name of a tool. */
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly cut: boolean };

const namePattern = /(?:[\p{L}\p{N}_./@-]|\\_)+/uy;
const noToolPattern =
  /^[^\p{L}\p{N}]*(?:none|n\/a|nil|null|nothing|no (?:further |more |other )?(?:actions?|tools?)\b.*|not? (?:needed|required|applicable|necessary).*|none (?:is |are )?(?:needed|required|necessary).*|(?:i (?:will|can|should) )?(?:now )?(?:provide|give|write|output|return|deliver|present|state|formulate)\s.*\banswer\b.*)?[^\p{L}\p{N}]*$/iu;

/** `None`, "No further action is needed." */
export function isNoTool(line: string): boolean {
  return line.length <= 200 && noToolPattern.test(line);
}

export function parseAction(body: string, tools: KnownTools): ActionParseResult {
  const lead = /^\s*(?:(?:`{3,}|~{3,})[A-Za-z0-9]*\s+|`{3,})?/.exec(body)?.[0].length ?? 0;
  if (body[lead] === '{' || /^\[\s*\{/.test(body.slice(lead, lead + 200))) return parseJsonActions(body, lead, tools);
  const open = lead + (/^[*_`"'“‘\s[<]*/.exec(body.slice(lead, lead + 200))?.[0].length ?? 0);
  const written = parseName(body, open, lead, tools);
  const { tool, end } = findClarification(body, open, written, tools) ?? written;
  const line = (body.slice(lead).split('\n', 1)[0] ?? '').trim();
  if (line === '') return { kind: 'empty' };
  if (!tools.has(tool) && isNoTool(line)) return { kind: 'none' };
  if (tool === '') return { kind: 'prose', text: line };
  return parseNamedAction(body, end, tool, line, tools);
}

/** Finds a clarification phrase of several words, which names the question tool. */
function findClarification(body: string, open: number, { tool }: NameMatch, tools: KnownTools): NameMatch | null {
  const end = tools.questionTool === null || tools.has(tool) ? null : findClarificationEnd(body, open);
  return end === null || tools.questionTool === null ? null : { tool: tools.questionTool, end };
}

interface NameMatch {
  readonly tool: string;
  readonly end: number;
}

/** Parses the name at `open`, after marks. A leading underscore belongs to it, unless it is emphasis with a pair. */
function parseName(body: string, open: number, lead: number, tools: KnownTools): NameMatch {
  namePattern.lastIndex = open;
  const behind = namePattern.exec(body)?.[0] ?? '';
  const end = open + behind.length;
  const before = /_*$/.exec(body.slice(lead, open))?.[0] ?? '';
  const whole = before + behind;
  // The name of a tool may contain characters that are also marks.
  const known = [whole, behind].map((word) => word.replaceAll('\\_', '_')).find((word) => tools.has(word));
  if (known !== undefined) return { tool: known, end };
  const word = cleanToolName(behind);
  if (before === '') return { tool: word, end };
  const paired = before.length > 1 && word.endsWith(before);
  return { tool: paired ? word.slice(0, -before.length) : cleanToolName(whole), end };
}

function parseNamedAction(body: string, at: number, tool: string, line: string, tools: KnownTools): ActionParseResult {
  const behind = at + (/^[*_`"'”’\]>]*/.exec(body.slice(at, at + 20))?.[0].length ?? 0);
  const next = body[behind];
  const rest = body.slice(behind);
  if (next === '(' || next === '[') return parseFunctionCall(body, behind, tool, next);
  if (next === ':' || next === '：') {
    const given = rest.slice(1);
    const text = /^\s*[{`]/.test(given.slice(0, 200)) ? given : (given.split('\n', 1)[0] ?? '');
    return { kind: 'named', action: { tool, text, offset: behind + 1 } };
  }
  const inline =
    /^\s*(?:(?:with )?(?:input|arguments|args|parameters|params)\s?[:=]?\s*)?(?=(?:`{3,}[A-Za-z0-9]*\s*)?\{)/i.exec(
      rest.slice(0, 400),
    );
  const alias =
    inline ??
    /^\s*\n\s*[*_`]{0,3}(?:Tool )?(?:Input|Arguments|Args|Parameters)[*_`]{0,3}:[*_`]{0,3}/i.exec(rest.slice(0, 400));
  if (alias !== null) {
    const start = behind + alias[0].length;
    return { kind: 'named', action: { tool, text: body.slice(start), offset: start } };
  }
  const words = (rest.split('\n', 1)[0] ?? '').trim();
  const action = (named: string): ActionParseResult => ({ kind: 'named', action: { tool: named, offset: behind } });
  if (words === '' || /^[^\p{L}\p{N}`]/u.test(words) || tools.has(tool)) return action(tool);
  if (/^(?:tool|function|action|api)\b\W*$/i.test(words)) return action(tool);
  return findToolInProse(line, tools, action);
}

/** `Use the search tool` names a tool; `Google Search` may be one; a sentence is not. */
function findToolInProse(
  line: string,
  tools: KnownTools,
  action: (tool: string) => ActionParseResult,
): ActionParseResult {
  const plain = line.slice(0, 300);
  const mentioned = new Set(plain.match(/[\p{L}\p{N}_./-]+/gu)?.filter((word) => tools.has(word.replace(/\.$/, ''))));
  const [only = ''] = mentioned;
  if (mentioned.size === 1) return action(tools.has(only) ? only : cleanToolName(only));
  const marked = /`([\p{L}\p{N}_.-]{1,128})`/u.exec(plain)?.[1];
  if (marked !== undefined) return action(marked);
  const used =
    /^(?:use|call|invoke|run|execute)\s+(?:the\s+)?["'*]*([\p{L}\p{N}_.-]+?)["'*]*(?:\s+(?:tool|function|api))?\W*$/iu;
  const verb = used.exec(plain)?.[1];
  if (verb !== undefined) return action(verb);
  const name = plain.replace(/^[*_`"'\s]+|[*_`"'.\s]+$/g, '');
  if (line.length <= 60 && name.split(/\s+/).length <= 3 && /^[\p{L}\p{N}_.\s-]+$/u.test(name)) return action(name);
  return { kind: 'prose', text: plain };
}

/** `search({"q": 1})`, `search(q="x")`, `search("x")`, `search[x]`. */
function parseFunctionCall(body: string, at: number, tool: string, open: '(' | '['): ActionParseResult {
  const close = open === '(' ? ')' : ']';
  const inside = body.slice(at + 1);
  if (/^\s*\{/.test(inside)) {
    const read = readLooseJson(body, at + 1);
    if (!read.ok)
      return { kind: 'unreadable', reason: `${formatPlace(body, read.index)}: ${read.reason}`, cut: read.cut };
    const tail = new RegExp(`^\\s{0,20}\\${close}`).exec(body.slice(read.end, read.end + 30))?.[0].length ?? 0;
    return { kind: 'named', action: { tool, value: read.value, offset: read.end + tail } };
  }
  if (open === '(') {
    const list = parseArguments(body, at + 1, close);
    if (list !== null && list.positional.length === 0) {
      const empty = Object.keys(list.named).length === 0;
      return {
        kind: 'named',
        action: empty ? { tool, text: '', offset: list.end } : { tool, value: list.named, offset: list.end },
      };
    }
    if (list !== null && Object.keys(list.named).length === 0) {
      return { kind: 'named', action: { tool, positional: list.positional, offset: list.end } };
    }
  }
  const line = inside.split('\n', 1)[0] ?? '';
  const end = line.lastIndexOf(close);
  if (end < 0) return { kind: 'unreadable', reason: `the closing "${close}" is missing`, cut: true };
  return { kind: 'named', action: { tool, positional: [unquoteText(line.slice(0, end))], offset: at + 2 + end } };
}

function unquoteText(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, '$2');
}

/** `{"action": "search", "action_input": {…}}` and its relatives. */
function parseJsonActions(body: string, from: number, tools: KnownTools): ActionParseResult {
  const read = readLooseJson(body, from);
  if (!read.ok)
    return {
      kind: 'unreadable',
      reason: `${formatPlace(body.slice(from), read.index - from)}: ${read.reason}`,
      cut: read.cut,
    };
  const actions: NamedAction[] = [];
  for (const item of Array.isArray(read.value) ? read.value : [read.value]) {
    const action = isObject(item) ? toNamedAction(item, read.end, tools) : null;
    if (action === null) return { kind: 'unreadable', reason: 'the JSON names no tool', cut: false };
    actions.push(action);
  }
  const fence = /^\s*(?:`{3,}|~{3,})/.exec(body.slice(read.end, read.end + 200))?.[0].length ?? 0;
  return { kind: 'objects', actions, end: read.end + fence };
}

export function toNamedAction(item: JsonObject, at: number, tools: KnownTools): NamedAction | null {
  const inner = findOwn(item, 'function');
  const call = isObject(inner) ? inner : item;
  const tool = findFirstMember(call, ['name', 'tool', 'action', 'tool_name', 'function']);
  if (typeof tool !== 'string' || tool.trim() === '') return null;
  const value = findFirstMember(call, [
    'arguments',
    'input',
    'action_input',
    'parameters',
    'tool_input',
    'args',
    'params',
  ]);
  const meant = toToolName(tool.trim(), tools);
  return value === undefined ? { tool: meant, offset: at } : { tool: meant, value, offset: at };
}

function findFirstMember(item: JsonObject, keys: readonly string[]): Json | undefined {
  for (const key of keys) {
    const value = findOwn(item, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

function cleanToolName(written: string): string {
  return written.replaceAll('\\_', '_').replace(/[./-]+$/, '');
}

/** The known tool names, and the question tool, if any. */
export interface KnownTools {
  readonly has: (name: string) => boolean;
  /** The tool that `Request Clarification` means. */
  readonly questionTool: string | null;
}

export function findQuestionTool(tools: readonly ToolSnapshot[]): string | null {
  return tools.find(({ question }) => question !== null)?.name ?? null;
}

const clarificationPattern =
  /(?:(?:request|ask|seek|get)[ _-]?(?:(?:the[ _-]?)?user[ _-]?)?(?:for[ _-]?)?(?:a[ _-]?)?clarification|clarification(?:[ _-]?request)?|clarify|ask[ _-]?(?:the[ _-]?)?(?:user|human))(?:[ _-]?(?:action|tool))?(?![\p{L}\p{N}_-])/iuy;

/** Returns the end of a clarification phrase at `from`; null if the text at `from` is not one. */
function findClarificationEnd(text: string, from: number): number | null {
  clarificationPattern.lastIndex = from;
  return clarificationPattern.test(text) ? clarificationPattern.lastIndex : null;
}

/** Resolves a name to a tool. An exact name comes before a clarification phrase. */
export function toToolName(name: string, tools: KnownTools): string {
  const isQuestion = !tools.has(name) && tools.questionTool !== null && findClarificationEnd(name, 0) === name.length;
  return isQuestion && tools.questionTool !== null ? tools.questionTool : name;
}

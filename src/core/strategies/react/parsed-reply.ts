/**
 * Collects the thought, calls and answer of a reply: section by section, until an action is complete or an answer is found,
 * or from one JSON object (`{"thought": …, "action": …, "action_input": …}`, or with an answer instead of the action).
 * Content after an action is made up by the model, and is dropped in both forms.
 */

import { isObject, type Json, type JsonObject, toValueText } from '../../lib/json.js';
import { readLooseJson } from '../../lib/loose-json.js';
import { defaults } from '../../model/defaults.js';
import { excessCallsProblem } from '../strategy.js';
import { isNoTool, type NamedAction, parseAction, toNamedAction, toToolName } from './action.js';
import {
  type CallParseResult,
  isFinalAnswer,
  type ParseContext,
  type ParsedCall,
  parseCallWithInput,
  parseInlineCall,
  toKnownTools,
} from './call.js';
import { cutAfterCall, cutAtInlineObservation } from './inline-labels.js';
import { type LabelKind, normalizeLabel, type Tags } from './labels.js';
import { cleanAnswer, removeMarks } from './quotes.js';
import { getSectionBody, type Section } from './sections.js';

export interface ParsedReply {
  /** The labelled thoughts so far, one per line. */
  readonly thought: string | null;
  readonly calls: readonly ParsedCall[];
  readonly answer: string | null;
  readonly problem: string | null;
  readonly scratchpad: string | null;
  /** An action whose input has not been parsed yet, and its section. */
  readonly pending: { readonly action: NamedAction; readonly section: Section } | null;
  /** Whether the model wrote that no tool is needed. The next input is then ignored. */
  readonly declined: boolean;
  /** End of the accepted part of the reply. */
  readonly end: number;
  /** The text that closes this part; null for lines, which need none. */
  readonly close: string | null;
  /** Whether the rest of the reply is ignored. */
  readonly over: boolean;
}

export const emptyReply: ParsedReply = {
  thought: null,
  calls: [],
  answer: null,
  problem: null,
  scratchpad: null,
  pending: null,
  declined: false,
  end: 0,
  close: null,
  over: false,
};

export function applySection(
  parsed: ParsedReply,
  section: Section,
  next: Section | undefined,
  rules: ParseContext,
): ParsedReply {
  const body = getSectionBody(rules.text, section);
  switch (section.kind) {
    case 'thought': {
      const thought = removeMarks(body);
      if (thought === '' || parsed.calls.length > 0 || parsed.pending !== null) return parsed;
      return { ...parsed, thought: parsed.thought === null ? thought : `${parsed.thought}\n${thought}` };
    }
    case 'scratchpad': {
      const notes = removeMarks(body);
      return notes === '' || parsed.calls.length > 0 ? parsed : { ...parsed, scratchpad: notes };
    }
    case 'action': {
      const settled = completePendingAction(parsed, rules);
      return settled.over ? settled : applyAction(settled, section, next, body, rules);
    }
    case 'input': {
      if (parsed.pending !== null) {
        const { action } = parsed.pending;
        const read = parseCallWithInput(action, body, section, rules);
        return applyCall({ ...parsed, pending: null }, read, rules);
      }
      if (parsed.declined) return { ...parsed, declined: false };
      return parsed.calls.length > 0
        ? { ...parsed, over: true }
        : endWithProblem(parsed, rules.corrections.orphanInput);
    }
    case 'answer': {
      const settled = completePendingAction(parsed, rules);
      // An answer after an action relies on an observation that the model has not seen.
      if (settled.over || settled.calls.length > 0) return { ...settled, over: true };
      return applyAnswer(settled, section, body, rules);
    }
    case 'preface':
    case 'observation':
      return parsed;
  }
}

/** Completes an action without an input section: with its inline arguments, or without arguments if the tool needs none. */
export function completePendingAction(parsed: ParsedReply, rules: ParseContext): ParsedReply {
  if (parsed.pending === null) return parsed;
  const { action, section } = parsed.pending;
  const rest = { ...parsed, pending: null };
  const bare = action.text === undefined && action.value === undefined && action.positional === undefined;
  if (bare && isFinalAnswer(action.tool, rules)) return rest;
  return applyCall(rest, parseInlineCall(action, section, rules), rules);
}

function applyAction(
  parsed: ParsedReply,
  section: Section,
  next: Section | undefined,
  body: string,
  rules: ParseContext,
): ParsedReply {
  const read = parseAction(cutAfterCall(body, section, rules), toKnownTools(rules));
  switch (read.kind) {
    case 'empty':
      return parsed;
    case 'none':
      return { ...parsed, declined: true };
    case 'prose':
      // In a list of planned steps ("1. Action: look up the weather") it is prose, if the real action follows.
      return next?.kind === 'action' ? parsed : endWithProblem(parsed, rules.corrections.notATool(read.text));
    case 'unreadable':
      return endWithProblem(parsed, rules.corrections.badAction(read.reason));
    case 'named':
      return { ...parsed, pending: { action: read.action, section } };
    case 'objects': {
      const [first] = read.actions;
      if (next?.kind === 'input' && first !== undefined && first.value === undefined) {
        return { ...parsed, pending: { action: first, section } };
      }
      return read.actions.reduce(
        (taken, action) => (taken.over ? taken : applyCall(taken, parseInlineCall(action, section, rules), rules)),
        parsed,
      );
    }
  }
}

function applyCall(parsed: ParsedReply, read: CallParseResult, rules: ParseContext): ParsedReply {
  switch (read.kind) {
    case 'problem':
      return endWithProblem(parsed, read.problem);
    case 'answer':
      if (parsed.calls.length > 0) return { ...parsed, over: true };
      return { ...parsed, answer: read.answer, end: read.end, over: true };
    case 'call':
      if (parsed.calls.length === defaults.callsPerReply) {
        return { ...endWithProblem(parsed, excessCallsProblem), calls: [] };
      }
      return { ...parsed, calls: [...parsed.calls, read.call], end: read.end, over: !rules.multipleActions };
  }
}

function applyAnswer(parsed: ParsedReply, section: Section, body: string, rules: ParseContext): ParsedReply {
  if (rules.cut && section.end === rules.text.length) return endWithProblem(parsed, rules.corrections.cut);
  const own = cutAtInlineObservation(body, rules);
  const answer = cleanAnswer(own);
  if (answer === '' || answer === answerPlaceholder) return endWithProblem(parsed, rules.corrections.emptyAnswer);
  const end = own.length < body.length ? section.body + own.length : section.end;
  return { ...parsed, answer, end, over: true };
}

/** The placeholder for an answer in the prompt's format. */
const answerPlaceholder = '<your response to the user>';

function endWithProblem(parsed: ParsedReply, problem: string): ParsedReply {
  return { ...parsed, pending: null, problem, over: true };
}

/** Member names that models use in addition to the tags. */
const memberNames: Readonly<Partial<Record<LabelKind, readonly string[]>>> = {
  thought: ['thoughts', 'reasoning', 'thinking'],
  action: ['tool', 'toolname', 'actionname', 'name', 'function'],
  input: ['toolinput', 'input', 'arguments', 'args', 'parameters', 'params'],
  observation: ['observations'],
  answer: ['answer', 'finalresponse'],
};

/** Parses a reply that is one JSON object; otherwise null. */
export function parseReplyObject(sections: readonly Section[], tags: Tags, rules: ParseContext): ParsedReply | null {
  const { text } = rules;
  const lead = /^\s*(?:(?:`{3,}|~{3,})[A-Za-z]*\s*)?(?=\{)/.exec(text)?.[0].length;
  const read = lead === undefined ? null : readLooseJson(text, lead);
  if (!read?.ok || !isObject(read.value)) return null;
  const rest = text.slice(read.end, sections.at(-1)?.end ?? text.length);
  const labelled = sections.some(({ kind, start }, at) => at > 0 && kind !== 'thought' && start >= read.end);
  if (labelled || !/^\s*(?:`{3,}|~{3,})?\s*(?:$|\{)/.test(rest)) return null;
  const members = toReplyMembers(read.value, tags);
  const parsed: ParsedReply = {
    ...emptyReply,
    thought: toText(members.thought),
    scratchpad: toText(members.scratchpad),
  };
  const end = members.madeUp === null ? read.end : findEndBefore(members.madeUp, text, read.end, tags);
  if (end === null) return null;
  const whole = { end, close: members.madeUp === null ? '' : '}', over: true } as const;
  const action = findAction(members, end, rules);
  if (action !== null)
    return { ...applyCall(parsed, parseInlineCall(action, createActionSection(text), rules), rules), ...whole };
  const answer = toText(members.answer);
  return answer === null ? null : { ...parsed, answer, ...whole };
}

interface ReplyMembers extends Readonly<Partial<Record<LabelKind, Json>>> {
  /** Key of the first made-up member: an observation, or an answer after an action. */
  readonly madeUp: string | null;
}

function toReplyMembers(object: JsonObject, tags: Tags): ReplyMembers {
  const members: Partial<Record<LabelKind, Json>> = {};
  for (const [key, value] of Object.entries(object)) {
    const kind = findMemberKind(key, tags);
    if (kind === null || value === null || value === '' || members[kind] !== undefined) continue;
    const acted = members.action !== undefined && !isNone(members.action);
    if (kind === 'observation' || (kind === 'answer' && acted)) return { ...members, madeUp: key };
    members[kind] = value;
  }
  return { ...members, madeUp: null };
}

function findMemberKind(key: string, tags: Tags): LabelKind | null {
  const plain = normalizeLabel(key);
  const other = Object.entries(memberNames).find(([, spellings]) => spellings.includes(plain))?.[0];
  return tags.kinds.get(plain) ?? (other as LabelKind | undefined) ?? null;
}

function findAction({ action, input, thought }: ReplyMembers, at: number, rules: ParseContext): NamedAction | null {
  const known = toKnownTools(rules);
  if (isObject(action)) return toNamedAction(action, at, known);
  if (typeof action !== 'string' || isNone(action)) return null;
  const tool = toToolName(action.trim(), known);
  // Any object may have a member `name`.
  if (input === undefined && thought === undefined && !known.has(tool)) return null;
  return input === undefined ? { tool, offset: at } : { tool, value: input, offset: at };
}

function isNone(action: Json): boolean {
  return typeof action === 'string' && isNoTool(action);
}

function toText(value: Json | undefined): string | null {
  return value === undefined ? null : toValueText(value).trim() || null;
}

/** Returns the end of the object before its made-up member, without the closing bracket; null if it cannot be found. */
function findEndBefore(key: string, text: string, end: number, tags: Tags): number | null {
  let at = text.indexOf(key);
  for (let tries = 0; tries < maxTries && at >= 0 && at < end; tries++) {
    const before = text.slice(0, at).replace(/[,\s"'“]{1,40}$/, '');
    const read = readLooseJson(`${before}}`, text.indexOf('{'));
    const whole = read.ok && read.end > before.length && isObject(read.value) ? toReplyMembers(read.value, tags) : null;
    if (whole?.action !== undefined) return before.length;
    at = text.indexOf(key, at + key.length);
  }
  return null;
}

/** Bounds the search: each try reads from the start. */
const maxTries = 20;

function createActionSection(text: string): Section {
  return { kind: 'action', start: 0, body: 0, end: text.length, wrap: '', fenced: false };
}

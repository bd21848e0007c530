/**
 * Parses a reply that is one JSON object: `{"thought": …, "action": …, "action_input": …}`, or with an answer instead of the
 * action. A member after an action is made up by the model, and is dropped.
 */

import { isObject, type Json, type JsonObject, readFirstObject, toValueText } from '../../lib/index.js';
import { type NamedAction, toNamedAction, toToolName } from './action.js';
import { parseCall } from './call.js';
import type { ParseContext } from './context.js';
import { type Format, findMemberKind, isEnding, isNoTool, type LabelKind } from './format.js';
import { applyCall, emptyReply, type ParsedReply } from './reply.js';
import type { Section } from './sections.js';

/** Returns null if the reply is not one object. */
export function parseReplyObject(sections: readonly Section[], rules: ParseContext): ParsedReply | null {
  const { text, format } = rules;
  const read = /^\s*(?:(?:`{3,}|~{3,})[A-Za-z]*\s*)?\{/.test(text) ? readFirstObject(text) : null;
  if (read === null) return null;
  const rest = text.slice(read.end, sections.at(-1)?.end ?? text.length);
  const labelled = sections.some(({ kind, start }, at) => at > 0 && kind !== 'thought' && start >= read.end);
  if (labelled || !/^\s*(?:`{3,}|~{3,})?\s*(?:$|\{)/.test(rest)) return null;
  const { madeUp, ...members } = toReplyMembers(read.value, format);
  const end = madeUp === null ? read.end : findEndBefore(madeUp, text, read.end, format);
  if (end === null) return null;
  const parsed = { ...emptyReply, thought: toText(members.thought), scratchpad: toText(members.scratchpad) };
  const whole = { end, close: madeUp === null ? '' : '}', over: true };
  const action = findAction(members, end, rules);
  if (action !== null) {
    const section: Section = { kind: 'action', start: 0, body: 0, end: text.length, wrap: '', fenced: false };
    return { ...applyCall(parsed, parseCall(action, section, rules), rules), ...whole };
  }
  const answer = toText(members.answer);
  if (answer !== null) return { ...parsed, answer, ...whole };
  const failure = toText(members.failure);
  return failure === null ? null : { ...parsed, failure, ...whole };
}

type Members = Partial<Record<LabelKind, Json>>;

/** `madeUp`: the key of the first made-up member: an observation, or an answer after an action. */
function toReplyMembers(object: JsonObject, format: Format): Members & { readonly madeUp: string | null } {
  const members: Members = {};
  for (const [key, value] of Object.entries(object)) {
    const kind = findMemberKind(key, format);
    if (kind === null || value === null || value === '' || members[kind] !== undefined) continue;
    const acted = members.action !== undefined && !isNone(members.action);
    if (kind === 'observation' || (isEnding(kind) && acted)) return { ...members, madeUp: key };
    members[kind] = value;
  }
  return { ...members, madeUp: null };
}

function findAction({ action, input, thought }: Members, offset: number, rules: ParseContext): NamedAction | null {
  if (isObject(action)) return toNamedAction(action, offset, rules);
  if (typeof action !== 'string' || isNone(action)) return null;
  const tool = toToolName(action.trim(), rules);
  // Any object may have a member `name`.
  if (input === undefined && thought === undefined && !rules.tools.has(tool)) return null;
  return { tool, offset, ...(input !== undefined && { value: input }) };
}

function isNone(action: Json): boolean {
  return typeof action === 'string' && isNoTool(action);
}

function toText(value: Json | undefined): string | null {
  return value === undefined ? null : toValueText(value).trim() || null;
}

/** Returns the end of the object before its made-up member, without the closing bracket; null if it cannot be found. */
function findEndBefore(key: string, text: string, end: number, format: Format): number | null {
  let at = text.indexOf(key);
  for (let tries = 0; tries < maxTries && at >= 0 && at < end; tries++) {
    const before = text.slice(0, at).replace(/[,\s"'“]{1,40}$/, '');
    const read = readFirstObject(`${before}}`);
    if (read !== null && read.end > before.length && toReplyMembers(read.value, format).action !== undefined) {
      return before.length;
    }
    at = text.indexOf(key, at + key.length);
  }
  return null;
}

/** Bounds the search: each try reads from the start. */
const maxTries = 20;

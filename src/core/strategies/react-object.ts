/**
 * A whole reply as one JSON object: `{"thought": …, "action": …, "action_input": …}`, or with an answer in
 * place of the action. What stands behind an action was made up here too, and does not stay in the reply.
 */

import { asText, isObject, type Json, type JsonObject } from '../lib/json.js';
import { readLooseJson } from '../lib/loose-json.js';
import { fromObject, isNoTool, type NamedAction } from './react-action.js';
import { knownTo, readCallInput, type TurnRules } from './react-call.js';
import { toolMeant } from './react-clarify.js';
import { type LabelKind, normal, type Tags } from './react-labels.js';
import type { Section } from './react-sections.js';
import { emptyTurn, type Turn, takeCall } from './react-turn.js';

/** Names that models give to the members, besides the tags. */
const names: Readonly<Partial<Record<LabelKind, readonly string[]>>> = {
  thought: ['thoughts', 'reasoning', 'thinking'],
  action: ['tool', 'toolname', 'actionname', 'name', 'function'],
  input: ['toolinput', 'input', 'arguments', 'args', 'parameters', 'params'],
  observation: ['observations'],
  answer: ['answer', 'finalresponse'],
};

/** The turn, or null where the reply is something else. */
export function readReplyObject(sections: readonly Section[], tags: Tags, rules: TurnRules): Turn | null {
  const { text } = rules;
  const lead = /^\s*(?:(?:`{3,}|~{3,})[A-Za-z]*\s*)?(?=\{)/.exec(text)?.[0].length;
  const read = lead === undefined ? null : readLooseJson(text, lead);
  if (!read?.ok || !isObject(read.value)) return null;
  const rest = text.slice(read.end, sections.at(-1)?.end ?? text.length);
  const labelled = sections.some(({ kind, start }, at) => at > 0 && kind !== 'thought' && start >= read.end);
  if (labelled || !/^\s*(?:`{3,}|~{3,})?\s*(?:$|\{)/.test(rest)) return null;
  const said = membersOf(read.value, tags);
  const turn: Turn = { ...emptyTurn, thought: wordsOf(said.thought), scratchpad: wordsOf(said.scratchpad) };
  const end = said.madeUp === null ? read.end : endBefore(said.madeUp, text, read.end, tags);
  if (end === null) return null;
  const whole = { end, close: said.madeUp === null ? '' : '}', over: true } as const;
  const action = actionOf(said, end, rules);
  if (action !== null) return { ...takeCall(turn, readCallInput(action, wholeOf(text), rules), rules), ...whole };
  const answer = wordsOf(said.answer);
  return answer === null ? null : { ...turn, answer, ...whole };
}

interface Members extends Readonly<Partial<Record<LabelKind, Json>>> {
  /** The first member that only an observation could have told, by its key. */
  readonly madeUp: string | null;
}

function membersOf(object: JsonObject, tags: Tags): Members {
  const members: Partial<Record<LabelKind, Json>> = {};
  for (const [key, value] of Object.entries(object)) {
    const kind = kindOf(key, tags);
    if (kind === null || value === null || value === '' || members[kind] !== undefined) continue;
    const acted = members.action !== undefined && !isNone(members.action);
    if (kind === 'observation' || (kind === 'answer' && acted)) return { ...members, madeUp: key };
    members[kind] = value;
  }
  return { ...members, madeUp: null };
}

function kindOf(key: string, tags: Tags): LabelKind | null {
  const plain = normal(key);
  const other = Object.entries(names).find(([, spellings]) => spellings.includes(plain))?.[0];
  return tags.kinds.get(plain) ?? (other as LabelKind | undefined) ?? null;
}

function actionOf({ action, input, thought }: Members, at: number, rules: TurnRules): NamedAction | null {
  const known = knownTo(rules);
  if (isObject(action)) return fromObject(action, at, known);
  if (typeof action !== 'string' || isNone(action)) return null;
  const tool = toolMeant(action.trim(), known);
  // Any object may have a name.
  if (input === undefined && thought === undefined && !known.has(tool)) return null;
  return input === undefined ? { tool, at } : { tool, value: input, at };
}

function isNone(action: Json): boolean {
  return typeof action === 'string' && isNoTool(action);
}

function wordsOf(value: Json | undefined): string | null {
  return value === undefined ? null : asText(value).trim() || null;
}

/** Where the object ends without the made-up member and all behind it, but for its bracket; null if there is no telling. */
function endBefore(key: string, text: string, end: number, tags: Tags): number | null {
  let at = text.indexOf(key);
  for (let tries = 0; tries < mostTries && at >= 0 && at < end; tries++) {
    const said = text.slice(0, at).replace(/[,\s"'“]{1,40}$/, '');
    const read = readLooseJson(`${said}}`, text.indexOf('{'));
    const whole = read.ok && read.end > said.length && isObject(read.value) ? membersOf(read.value, tags) : null;
    if (whole?.action !== undefined) return said.length;
    at = text.indexOf(key, at + key.length);
  }
  return null;
}

/** Each reads from the start. */
const mostTries = 20;

function wholeOf(text: string): Section {
  return { kind: 'action', start: 0, body: 0, end: text.length, wrap: '', fenced: false };
}

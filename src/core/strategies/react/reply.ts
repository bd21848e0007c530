/**
 * Reduces the sections of a reply to its thought, calls and answer, until an action is complete or an answer is found.
 * Content after an action is made up by the model, and is dropped.
 */

import { defaults } from '../../model/index.js';
import { excessCallsProblem } from '../strategy.js';
import { type NamedAction, parseAction } from './action.js';
import { type CallParseResult, isBare, isFinalAnswer, type ParsedCall, parseCall } from './call.js';
import type { ParseContext } from './context.js';
import { cleanAnswer, removeMarks } from './decoration.js';
import { cutAfterCall, cutAtInlineObservation } from './inline-labels.js';
import { getSectionBody, type Section } from './sections.js';

export interface ParsedReply {
  /** The labelled thoughts so far, one per line. */
  readonly thought: string | null;
  readonly calls: readonly ParsedCall[];
  readonly answer: string | null;
  /** Why the task cannot be completed; null unless the reply ends so. */
  readonly failure: string | null;
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
  failure: null,
  problem: null,
  scratchpad: null,
  pending: null,
  declined: false,
  end: 0,
  close: null,
  over: false,
};

export function parseSections(sections: readonly Section[], rules: ParseContext): ParsedReply {
  let parsed = emptyReply;
  for (const [at, section] of sections.entries()) {
    parsed = applySection(parsed, section, sections[at + 1], rules);
    if (parsed.over) return parsed;
  }
  return completePendingAction(parsed, rules);
}

function applySection(
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
        const { tool } = parsed.pending.action;
        return applyCall(parsed, parseCall({ tool, text: body, offset: 0 }, section, rules), rules);
      }
      if (parsed.declined) return { ...parsed, declined: false };
      return parsed.calls.length > 0
        ? { ...parsed, over: true }
        : endWithProblem(parsed, rules.corrections.orphanInput);
    }
    case 'answer':
    case 'failure': {
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
function completePendingAction(parsed: ParsedReply, rules: ParseContext): ParsedReply {
  if (parsed.pending === null) return parsed;
  const { action, section } = parsed.pending;
  if (isBare(action) && isFinalAnswer(action.tool, rules)) return { ...parsed, pending: null };
  return applyCall(parsed, parseCall(action, section, rules), rules);
}

function applyAction(
  parsed: ParsedReply,
  section: Section,
  next: Section | undefined,
  body: string,
  rules: ParseContext,
): ParsedReply {
  const read = parseAction(cutAfterCall(body, section, rules), rules);
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
        (taken, action) => (taken.over ? taken : applyCall(taken, parseCall(action, section, rules), rules)),
        parsed,
      );
    }
  }
}

export function applyCall(parsed: ParsedReply, read: CallParseResult, rules: ParseContext): ParsedReply {
  if (read.kind === 'problem') return endWithProblem(parsed, read.problem);
  const settled = { ...parsed, pending: null };
  if (read.kind === 'answer') {
    return parsed.calls.length > 0
      ? { ...settled, over: true }
      : { ...settled, answer: read.answer, end: read.end, over: true };
  }
  if (parsed.calls.length === defaults.callsPerReply)
    return { ...endWithProblem(parsed, excessCallsProblem), calls: [] };
  return { ...settled, calls: [...parsed.calls, read.call], end: read.end, over: !rules.multipleActions };
}

function applyAnswer(parsed: ParsedReply, section: Section, body: string, rules: ParseContext): ParsedReply {
  if (rules.cut && section.end === rules.text.length) return endWithProblem(parsed, rules.corrections.cut);
  const own = cutAtInlineObservation(body, rules);
  const answer = cleanAnswer(own);
  const { emptyAnswer, emptyReason } = rules.corrections;
  const isFailure = section.kind === 'failure';
  if (answer === '' || placeholders.includes(answer))
    return endWithProblem(parsed, isFailure ? emptyReason : emptyAnswer);
  const end = own.length < body.length ? section.body + own.length : section.end;
  return { ...parsed, [isFailure ? 'failure' : 'answer']: answer, end, over: true };
}

/** The placeholders of the prompt's format. */
const placeholders: readonly string[] = ['<your response to the user>', '<the reason>'];

function endWithProblem(parsed: ParsedReply, problem: string): ParsedReply {
  return { ...parsed, pending: null, problem, over: true };
}

/** Takes the sections of a reply one by one, until an action is complete or an answer is given. */

import { type NamedAction, readAction } from './react-action.js';
import { beforeObservation, callBefore } from './react-bare.js';
import {
  type CallRead,
  isFinalAnswer,
  knownTo,
  type ReadCall,
  readCallInput,
  readGivenInput,
  type TurnRules,
} from './react-call.js';
import { bodyOf, type Section } from './react-sections.js';
import { answerText, unmarked } from './react-text.js';

export interface Turn {
  /** The labelled thoughts so far, one below the other. */
  readonly thought: string | null;
  readonly calls: readonly ReadCall[];
  readonly answer: string | null;
  readonly problem: string | null;
  readonly scratchpad: string | null;
  /** An action whose input has not come yet, and the section it stood in. */
  readonly pending: { readonly action: NamedAction; readonly section: Section } | null;
  /** Whether the model wrote that no tool is needed: an input behind that is for none. */
  readonly declined: boolean;
  /** Where what counts of the reply ends. */
  readonly end: number;
  /** What closes the text up to there; null where it is lines, which nothing has to close. */
  readonly close: string | null;
  /** Whether the rest of the reply is not looked at. */
  readonly over: boolean;
}

export const emptyTurn: Turn = {
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

export function takeSection(turn: Turn, section: Section, next: Section | undefined, rules: TurnRules): Turn {
  const body = bodyOf(rules.text, section);
  switch (section.kind) {
    case 'thought': {
      const thought = unmarked(body);
      if (thought === '' || turn.calls.length > 0 || turn.pending !== null) return turn;
      return { ...turn, thought: turn.thought === null ? thought : `${turn.thought}\n${thought}` };
    }
    case 'scratchpad': {
      const notes = unmarked(body);
      return notes === '' || turn.calls.length > 0 ? turn : { ...turn, scratchpad: notes };
    }
    case 'action': {
      const settled = settle(turn, rules);
      return settled.over ? settled : takeAction(settled, section, next, body, rules);
    }
    case 'input': {
      if (turn.pending !== null) {
        const { action } = turn.pending;
        const read = readGivenInput(action, body, section, rules);
        return takeCall({ ...turn, pending: null }, read, rules);
      }
      if (turn.declined) return { ...turn, declined: false };
      return turn.calls.length > 0 ? { ...turn, over: true } : stop(turn, rules.corrections.orphanInput);
    }
    case 'answer': {
      const settled = settle(turn, rules);
      // Behind an action the model answers from an observation that it has not seen.
      if (settled.over || settled.calls.length > 0) return { ...settled, over: true };
      return takeAnswer(settled, section, body, rules);
    }
    case 'preface':
    case 'observation':
      return turn;
  }
}

/** An action that no input follows: complete if it brought its arguments, or if its tool needs none. */
export function settle(turn: Turn, rules: TurnRules): Turn {
  if (turn.pending === null) return turn;
  const { action, section } = turn.pending;
  const rest = { ...turn, pending: null };
  const bare = action.text === undefined && action.value === undefined && action.positional === undefined;
  if (bare && isFinalAnswer(action.tool, rules)) return rest;
  return takeCall(rest, readCallInput(action, section, rules), rules);
}

function takeAction(turn: Turn, section: Section, next: Section | undefined, body: string, rules: TurnRules): Turn {
  const read = readAction(callBefore(body, section, rules), knownTo(rules));
  switch (read.kind) {
    case 'empty':
      return turn;
    case 'none':
      return { ...turn, declined: true };
    case 'prose':
      // In a plan ("1. Action: look up the weather") it is a word like any other, if the true action follows.
      return next?.kind === 'action' ? turn : stop(turn, rules.corrections.notATool(read.text));
    case 'unreadable':
      return stop(turn, rules.corrections.badAction(read.reason));
    case 'named':
      return { ...turn, pending: { action: read.action, section } };
    case 'objects': {
      const [first] = read.actions;
      if (next?.kind === 'input' && first !== undefined && first.value === undefined) {
        return { ...turn, pending: { action: first, section } };
      }
      return read.actions.reduce(
        (taken, action) => (taken.over ? taken : takeCall(taken, readCallInput(action, section, rules), rules)),
        turn,
      );
    }
  }
}

export function takeCall(turn: Turn, read: CallRead, rules: TurnRules): Turn {
  switch (read.kind) {
    case 'problem':
      return stop(turn, read.problem);
    case 'answer':
      if (turn.calls.length > 0) return { ...turn, over: true };
      return { ...turn, answer: read.answer, end: read.end, over: true };
    case 'call':
      return { ...turn, calls: [...turn.calls, read.call], end: read.end, over: !rules.several };
  }
}

function takeAnswer(turn: Turn, section: Section, body: string, rules: TurnRules): Turn {
  if (rules.cut && section.end === rules.text.length) return stop(turn, rules.corrections.cut);
  const own = beforeObservation(body, rules);
  const answer = answerText(own);
  if (answer === '' || answer === copied) return stop(turn, rules.corrections.emptyAnswer);
  const end = own.length < body.length ? section.body + own.length : section.end;
  return { ...turn, answer, end, over: true };
}

/** What the format shows for an answer. */
const copied = '<your response to the user>';

function stop(turn: Turn, problem: string): Turn {
  return { ...turn, pending: null, problem, over: true };
}

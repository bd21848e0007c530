/**
 * Reads a reply in the ReAct format. Lenient about how it is written, strict about what it means: nothing
 * that the model made up (an observation, an answer behind an action) is taken, and what cannot be read
 * is a correction for the model, never an exception.
 */

import type { ReactOptions } from '../model/agent.js';
import { inlineLabelsOf } from './react-bare.js';
import type { ReadCall, TurnRules } from './react-call.js';
import { cleanReply } from './react-clean.js';
import { correctionsOf } from './react-corrections.js';
import { splitInline } from './react-inline.js';
import { labelAt, tagsOf } from './react-labels.js';
import { readReplyObject } from './react-object.js';
import { bodyOf, type Section, type Sections, sectionsOf } from './react-sections.js';
import { unfenced, unmarked } from './react-text.js';
import { emptyTurn, settle, type Turn, takeSection } from './react-turn.js';
import { thoughtProblem } from './thought.js';
import type { ToolShape } from './tool-shape.js';

export interface ReactReading {
  readonly thought: string | null;
  readonly calls: readonly ReadCall[];
  readonly answer: string | null;
  readonly problem: string | null;
  readonly scratchpad: string | null;
  /** The reply without what the model made up. */
  readonly kept: string;
}

export interface ReactParse {
  readonly options: ReactOptions;
  /** The tools by name; others may be named too, only their arguments are not known. */
  readonly tools: ReadonlyMap<string, ToolShape>;
  /** The tool that asks a person; left out where there is none. */
  readonly asks?: string | null;
  /** Whether the reply stopped at the output limit. */
  readonly cut: boolean;
  /** What the model thought outside its text. */
  readonly thinking: string | null;
}

export function parseReact(reply: string, { options, tools, asks = null, cut, thinking }: ReactParse): ReactReading {
  const tags = tagsOf(options);
  const decides = (line: string) => ['action', 'answer'].includes(labelAt(line, tags)?.kind ?? '');
  const clean = cleanReply(reply, decides);
  const { text } = clean;
  const { visible, doubt, sections: labelled } = sectionsOf(text, tags);
  const sections = splitInline(text, visible, labelled, tags);
  const rules: TurnRules = {
    text,
    labels: inlineLabelsOf(tags),
    tools,
    asks,
    corrections: correctionsOf(tags),
    cut,
    several: options.multipleActions,
  };
  const turn = readReplyObject(sections, tags, rules) ?? turnOf(sections, rules);
  const thought = thoughtOf(text, sections, turn) ?? ((clean.thinking ?? thinking?.trim()) || null);
  const scratchpad = options.scratchpad ? turn.scratchpad : null;
  const problem = problemOf({ turn, thought, doubt }, options, rules);
  const end = problem === null || turn.close !== null ? turn.end : Math.max(turn.end, sections.at(-1)?.end ?? 0);
  const kept = unfenced(text.slice(0, end)).trim() + (turn.close ?? '');
  if (problem !== null) return { thought, calls: [], answer: null, problem, scratchpad, kept };
  return { thought, calls: turn.calls, answer: turn.answer, problem: null, scratchpad, kept };
}

function turnOf(sections: readonly Section[], rules: TurnRules): Turn {
  let turn = emptyTurn;
  for (const [index, section] of sections.entries()) {
    turn = takeSection(turn, section, sections[index + 1], rules);
    if (turn.over) return turn;
  }
  return settle(turn, rules);
}

interface Read extends Pick<Sections, 'doubt'> {
  readonly turn: Turn;
  readonly thought: string | null;
}

function problemOf({ turn, thought, doubt }: Read, options: ReactOptions, rules: TurnRules): string | null {
  const { corrections, cut } = rules;
  if (turn.calls.length === 0 && turn.answer === null) {
    return cut ? corrections.cut : (turn.problem ?? corrections[doubt ?? 'neither']);
  }
  // With several actions, one that was cut off does not undo those that are whole.
  if (turn.problem !== null && !cut) return turn.problem;
  if (turn.answer !== null || !options.requireThought) return null;
  const wrong = thoughtProblem(thought, options.minThoughtLength);
  return wrong === null ? null : corrections.thought(wrong);
}

/** The labelled thoughts before the first action, or what was said without a label. */
function thoughtOf(text: string, sections: readonly Section[], turn: Turn): string | null {
  if (turn.thought !== null) return turn.thought;
  const [preface] = sections;
  if (preface === undefined || sections.length === 1) return null;
  return unmarked(bodyOf(text, preface)) || null;
}

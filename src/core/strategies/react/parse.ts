/**
 * Parses a reply in the ReAct format.
 *
 * Lenient about spelling and layout, strict about meaning: content that the model made up (an observation, an answer after
 * an action) is dropped, and an unreadable reply becomes a correction for the model, never an exception.
 *
 *   text ─ clean ─▶ without a repeated observation (repeated-observation.ts)
 *        ─▶ tokens (tokens.ts, labels.ts, quotes.ts) ─▶ sections (sections.ts, inline-labels.ts)
 *        ─▶ reply (reply.ts, object-reply.ts): action (action.ts) + input (input.ts, arguments.ts) ─▶ call (call.ts)
 *
 * The spellings that are accepted are one table (format.ts).
 */

import type { ReactOptions } from '../../model/index.js';
import type { ParsedCall } from './call.js';
import { createCorrections, type ParseContext } from './context.js';
import { removeMarks, removeOpeningFence } from './decoration.js';
import { createFormat, isEnding } from './format.js';
import { findLabel } from './labels.js';
import { parseReplyObject } from './object-reply.js';
import { dropRepeatedObservations } from './repeated-observation.js';
import { type ParsedReply, parseSections } from './reply.js';
import { getSectionBody, type ReplySections, type Section, splitSections } from './sections.js';
import { findThoughtProblem } from './thought.js';

export interface ReactReading {
  readonly thought: string | null;
  readonly calls: readonly ParsedCall[];
  readonly answer: string | null;
  /** Why the task cannot be completed. Absent unless the reply ends so. */
  readonly failure?: string;
  readonly problem: string | null;
  readonly scratchpad: string | null;
  /** The reply without made-up content. */
  readonly ownText: string;
}

interface ReactParseOptions extends Pick<ParseContext, 'tools' | 'questionTool' | 'cut'> {
  readonly options: ReactOptions;
  /** The model's thinking outside its text. */
  readonly thinking: string | null;
}

export function parseReact(
  reply: string,
  { options, tools, questionTool, cut, thinking }: ReactParseOptions,
): ReactReading {
  const format = createFormat(options);
  const { multipleActions } = options;
  const clean = cleanReply(reply, (line) => {
    const kind = findLabel(line, format)?.kind;
    return kind !== undefined && (kind === 'action' || isEnding(kind));
  });
  const text = dropRepeatedObservations(clean.text, format, multipleActions);
  const { sections, doubt } = splitSections(text, format);
  const corrections = createCorrections(format);
  const rules: ParseContext = { text, format, tools, questionTool, corrections, cut, multipleActions };
  const parsed = parseReplyObject(sections, rules) ?? parseSections(sections, rules);
  const thought = findThought(text, sections, parsed) ?? ((clean.thinking ?? thinking?.trim()) || null);
  const problem = findProblem(parsed, thought, doubt, options, rules);
  const end = problem === null || parsed.close !== null ? parsed.end : Math.max(parsed.end, sections.at(-1)?.end ?? 0);
  return {
    thought,
    calls: problem === null ? parsed.calls : [],
    answer: problem === null ? parsed.answer : null,
    ...(problem === null && parsed.failure !== null ? { failure: parsed.failure } : {}),
    problem,
    scratchpad: options.scratchpad ? parsed.scratchpad : null,
    ownText: removeOpeningFence(text.slice(0, end)).trim() + (parsed.close ?? ''),
  };
}

function findProblem(
  parsed: ParsedReply,
  thought: string | null,
  doubt: ReplySections['doubt'],
  options: ReactOptions,
  { corrections, cut }: ParseContext,
): string | null {
  const isEnd = parsed.answer !== null || parsed.failure !== null;
  if (parsed.calls.length === 0 && !isEnd) {
    return cut ? corrections.cut : (parsed.problem ?? corrections[doubt ?? 'neither']);
  }
  // With several actions, a truncated one does not invalidate the complete ones.
  if (parsed.problem !== null && !cut) return parsed.problem;
  if (isEnd || !options.requireThought) return null;
  const thoughtProblem = findThoughtProblem(thought, options.minThoughtLength);
  return thoughtProblem === null ? null : corrections.thought(thoughtProblem);
}

/** Returns the labelled thoughts before the first action, or the text without a label. */
function findThought(text: string, sections: readonly Section[], parsed: ParsedReply): string | null {
  if (parsed.thought !== null) return parsed.thought;
  const [preface] = sections;
  if (preface === undefined || sections.length === 1) return null;
  return removeMarks(getSectionBody(text, preface)) || null;
}

interface CleanReply {
  readonly text: string;
  /** The text in `<think>` tags, which is not part of the reply. */
  readonly thinking: string | null;
}

const openingTag = /^\s*<(think|thinking|reasoning)>/i;
/** An end-of-turn mark: the text after it is made up. */
const endOfTurnMark = /<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|end_of_turn)\|>|<end_of_turn>/g;
const trailingMark = /(?:\s*(?:<\/s>|\[\/INST\]))+\s*$/;

/** @param isLabel whether a line starts an action or an answer */
function cleanReply(reply: string, isLabel: (line: string) => boolean): CleanReply {
  const whole = cutAtEndOfTurn(reply.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, ''));
  const open = openingTag.exec(whole);
  const from = open?.[0].length ?? 0;
  const close = (open === null ? /<\/think>/ : new RegExp(`</${open[1]}>`, 'i')).exec(whole.slice(from));
  const thinking = whole.slice(from, from + (close?.index ?? 0));
  // Some chat templates write the opening tag, so that the reply contains only the closing one. An unclosed tag has no meaning.
  const isOwn = close !== null && (open !== null || !thinking.split('\n').some(isLabel));
  if (!isOwn) return { text: whole.slice(from), thinking: null };
  return { text: whole.slice(from + thinking.length + close[0].length), thinking: thinking.trim() || null };
}

function cutAtEndOfTurn(text: string): string {
  let start = 0;
  for (const line of text.split('\n')) {
    const marks = [...line.matchAll(endOfTurnMark)];
    // In the middle of a line it may be part of an answer, or of an input: before another tag, only the first one counts.
    const mark = marks.find(({ 0: name, index }, at) =>
      (at === 0 ? /^\s*(?:<|$)/ : /^\s*$/).test(line.slice(index + name.length)),
    );
    if (mark !== undefined) return text.slice(0, start + mark.index);
    start += line.length + 1;
  }
  // Only the tail is searched, so that white space costs no time.
  const tail = text.slice(-64);
  const trailing = trailingMark.exec(tail);
  return trailing === null ? text : text.slice(0, text.length - tail.length + trailing.index);
}

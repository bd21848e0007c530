/**
 * Parses a reply in the ReAct format.
 *
 * Lenient about spelling and layout, strict about meaning: content that the model made up (an observation, an answer after
 * an action) is dropped, and an unreadable reply becomes a correction for the model, never an exception.
 *
 *   text ─ clean ─▶ without a repeated observation (repeated-observation.ts)
 *        ─▶ labels (labels.ts, quotes.ts) ─▶ sections (sections.ts, inline-labels.ts)
 *        ─▶ reply (parsed-reply.ts): action (action.ts) + input (input.ts, arguments.ts) ─▶ call (call.ts)
 */

import type { ReactOptions } from '../../model/agent.js';
import type { ToolShape } from './arguments.js';
import { createCorrections, type ParseContext, type ParsedCall } from './call.js';
import { createInlineLabels, splitInlineLabels } from './inline-labels.js';
import { createTags, findLabel } from './labels.js';
import { applySection, completePendingAction, emptyReply, type ParsedReply, parseReplyObject } from './parsed-reply.js';
import { removeMarks, removeOpeningFence } from './quotes.js';
import { dropRepeatedObservations } from './repeated-observation.js';
import { getSectionBody, type ReplySections, type Section, splitSections } from './sections.js';
import { findThoughtProblem } from './thought.js';

export interface ReactReading {
  readonly thought: string | null;
  readonly calls: readonly ParsedCall[];
  readonly answer: string | null;
  readonly problem: string | null;
  readonly scratchpad: string | null;
  /** The reply without made-up content. */
  readonly ownText: string;
}

interface ReactParseOptions {
  readonly options: ReactOptions;
  /** The tools by name. A reply may name others, whose arguments are unknown. */
  readonly tools: ReadonlyMap<string, ToolShape>;
  /** The tool that asks a person; null without one. */
  readonly questionTool: string | null;
  /** Whether the reply stopped at the output limit. */
  readonly cut: boolean;
  /** The model's thinking outside its text. */
  readonly thinking: string | null;
}

export function parseReact(
  reply: string,
  { options, tools, questionTool, cut, thinking }: ReactParseOptions,
): ReactReading {
  const tags = createTags(options);
  const decides = (line: string) => ['action', 'answer'].includes(findLabel(line, tags)?.kind ?? '');
  const clean = cleanReply(reply, decides);
  const text = dropRepeatedObservations(clean.text, tags, options.multipleActions);
  const { visible, doubt, sections: labelled } = splitSections(text, tags);
  const sections = splitInlineLabels(text, visible, labelled, tags);
  const rules: ParseContext = {
    text,
    labels: createInlineLabels(tags),
    tools,
    questionTool,
    corrections: createCorrections(tags),
    cut,
    multipleActions: options.multipleActions,
  };
  const parsed = parseReplyObject(sections, tags, rules) ?? parseSections(sections, rules);
  const thought = findThought(text, sections, parsed) ?? ((clean.thinking ?? thinking?.trim()) || null);
  const scratchpad = options.scratchpad ? parsed.scratchpad : null;
  const problem = findProblem({ parsed, thought, doubt }, options, rules);
  const end = problem === null || parsed.close !== null ? parsed.end : Math.max(parsed.end, sections.at(-1)?.end ?? 0);
  const ownText = removeOpeningFence(text.slice(0, end)).trim() + (parsed.close ?? '');
  if (problem !== null) return { thought, calls: [], answer: null, problem, scratchpad, ownText };
  return { thought, calls: parsed.calls, answer: parsed.answer, problem: null, scratchpad, ownText };
}

function parseSections(sections: readonly Section[], rules: ParseContext): ParsedReply {
  let parsed = emptyReply;
  for (const [index, section] of sections.entries()) {
    parsed = applySection(parsed, section, sections[index + 1], rules);
    if (parsed.over) return parsed;
  }
  return completePendingAction(parsed, rules);
}

interface ProblemContext extends Pick<ReplySections, 'doubt'> {
  readonly parsed: ParsedReply;
  readonly thought: string | null;
}

function findProblem(
  { parsed, thought, doubt }: ProblemContext,
  options: ReactOptions,
  rules: ParseContext,
): string | null {
  const { corrections, cut } = rules;
  if (parsed.calls.length === 0 && parsed.answer === null) {
    return cut ? corrections.cut : (parsed.problem ?? corrections[doubt ?? 'neither']);
  }
  // With several actions, a truncated one does not invalidate the complete ones.
  if (parsed.problem !== null && !cut) return parsed.problem;
  if (parsed.answer !== null || !options.requireThought) return null;
  const wrong = findThoughtProblem(thought, options.minThoughtLength);
  return wrong === null ? null : corrections.thought(wrong);
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
/** End-of-turn marks. Text after one is made up. */
const endOfTurnMark = /<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|end_of_turn)\|>|<end_of_turn>/;
const trailingMark = /(?:\s*(?:<\/s>|\[\/INST\]))+\s*$/;

/** @param isLabel whether a line starts an action or an answer */
function cleanReply(reply: string, isLabel: (line: string) => boolean): CleanReply {
  const whole = cutAtEndOfTurn(reply.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, ''));
  const open = openingTag.exec(whole);
  if (open !== null) {
    const close = `</${open[1]}>`;
    const end = whole.toLowerCase().indexOf(close.toLowerCase(), open[0].length);
    // An unclosed tag has no meaning.
    if (end < 0) return { text: whole.slice(open[0].length), thinking: null };
    return { text: whole.slice(end + close.length), thinking: whole.slice(open[0].length, end).trim() || null };
  }
  // Some chat templates write the opening tag, so that the reply contains only the closing one.
  const orphan = whole.indexOf('</think>');
  if (orphan < 0 || whole.slice(0, orphan).split('\n').some(isLabel)) return { text: whole, thinking: null };
  return { text: whole.slice(orphan + '</think>'.length), thinking: whole.slice(0, orphan).trim() || null };
}

function cutAtEndOfTurn(text: string): string {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const mark = endOfTurnMark.exec(line);
    // In the middle of a line it may be part of an answer.
    if (mark === null || !/^\s*(?:<|$)/.test(line.slice(mark.index + mark[0].length))) continue;
    return [...lines.slice(0, index), line.slice(0, mark.index)].join('\n');
  }
  return text.slice(0, findTrailingMarkStart(text));
}

/** Returns the start of a trailing mark. Searches only the tail, so that white space costs no time. */
function findTrailingMarkStart(text: string): number {
  const tail = text.slice(-64);
  const found = trailingMark.exec(tail);
  return found === null ? text.length : text.length - tail.length + found.index;
}

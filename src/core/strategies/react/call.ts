/** Turns an action and its input into a call, or into a correction: what is wrong, and what to write. */

import { type Json, type JsonObject, toValueText } from '../../lib/json.js';
import type { KnownTools, NamedAction } from './action.js';
import { type ToolShape, unknownShape } from './arguments.js';
import { type InlineLabels, trimInput } from './inline-labels.js';
import { type InputParseResult, parseInput, parseInputValue } from './input.js';
import type { Tags } from './labels.js';
import { cleanAnswer } from './quotes.js';
import type { Section } from './sections.js';

export interface ParsedCall {
  readonly tool: string;
  readonly input: JsonObject;
}

export interface ParseContext {
  readonly text: string;
  /** Labels that end an input within its line. */
  readonly labels: InlineLabels;
  readonly tools: ReadonlyMap<string, ToolShape>;
  /** The tool that asks a person; null without one. */
  readonly questionTool: string | null;
  readonly corrections: Corrections;
  /** Whether the reply stopped at the output limit. */
  readonly cut: boolean;
  /** Whether one reply may hold several actions. */
  readonly multipleActions: boolean;
}

export type CallParseResult =
  | { readonly kind: 'call'; readonly call: ParsedCall; readonly end: number }
  | { readonly kind: 'answer'; readonly answer: string; readonly end: number }
  | { readonly kind: 'problem'; readonly problem: string };

export function toKnownTools({ tools, questionTool }: ParseContext): KnownTools {
  return { has: (name) => tools.has(name), questionTool };
}

/** Whether the action means the final answer, as in chat formats. A tool with that name comes first. */
export function isFinalAnswer(tool: string, rules: ParseContext): boolean {
  return /^final[ _-]?answer$/i.test(tool) && !rules.tools.has(tool);
}

/** Parses a call whose input is a separate section. */
export function parseCallWithInput(
  action: NamedAction,
  body: string,
  section: Section,
  rules: ParseContext,
): CallParseResult {
  const own = trimInput(body, section, rules);
  const read = parseInput(own, getToolShape(action.tool, rules));
  return buildCall(action.tool, read, own, section.body, section.end, rules);
}

/** Parses a call with inline arguments, or without arguments. */
export function parseInlineCall(action: NamedAction, section: Section, rules: ParseContext): CallParseResult {
  const shape = getToolShape(action.tool, rules);
  const { corrections } = rules;
  const at = section.body + action.offset;
  if (action.text !== undefined) {
    const own = trimInput(action.text, section, rules);
    const read = parseInput(own, shape);
    return buildCall(action.tool, read, own, at, section.end, rules);
  }
  if (action.positional !== undefined) {
    const value = toNamedArguments(action.positional, shape);
    if (value === undefined) {
      const reason = 'its values have no names';
      return { kind: 'problem', problem: corrections.badInput(action.tool, reason) };
    }
    return buildCall(action.tool, parseInputValue(value, shape), toValueText(value), at, at, rules);
  }
  if (action.value !== undefined) {
    return buildCall(action.tool, parseInputValue(action.value, shape), toValueText(action.value), at, at, rules);
  }
  const mayBeCut = rules.cut && section.end === rules.text.length;
  if (mayBeCut && rules.text.slice(at, section.end).trim() === '') return { kind: 'problem', problem: corrections.cut };
  if (shape.required === null || shape.required.length > 0) {
    return { kind: 'problem', problem: corrections.noInput(action.tool, shape.required) };
  }
  return { kind: 'call', call: { tool: action.tool, input: {} }, end: at };
}

function buildCall(
  tool: string,
  read: InputParseResult,
  written: string,
  from: number,
  sectionEnd: number,
  rules: ParseContext,
): CallParseResult {
  const { corrections } = rules;
  const problem = (text: string): CallParseResult => ({ kind: 'problem', problem: text });
  if (isFinalAnswer(tool, rules)) {
    const answer = read.kind === 'input' ? toAnswer(read.input, written) : cleanAnswer(written);
    if (rules.cut && sectionEnd === rules.text.length) return problem(corrections.cut);
    return answer === '' ? problem(corrections.emptyAnswer) : { kind: 'answer', answer, end: sectionEnd };
  }
  if (read.kind === 'unreadable') return problem(corrections.badInput(tool, read.reason));
  const end = Math.min(from + read.end, rules.text.length);
  const open = read.kind === 'nothing' || !read.closed;
  if (rules.cut && open && rules.text.slice(end).trim() === '') return problem(corrections.cut);
  if (read.kind === 'input') return { kind: 'call', call: { tool, input: read.input }, end };
  const { required } = getToolShape(tool, rules);
  if (required !== null && required.length > 0) return problem(corrections.noInput(tool, required));
  return { kind: 'call', call: { tool, input: {} }, end };
}

/** Converts arguments to an answer: their only text, or the written JSON. */
function toAnswer(input: JsonObject, written: string): string {
  const members = Object.values(input);
  if (members.length === 1 && typeof members[0] === 'string') return members[0].trim();
  return cleanAnswer(written);
}

function toNamedArguments(values: readonly Json[], shape: ToolShape): Json | undefined {
  if (values.length <= 1) return values[0] ?? null;
  const { params } = shape;
  if (params === null || values.length > params.length) return undefined;
  return Object.fromEntries(values.map((value, at) => [params[at] ?? '', value]));
}

function getToolShape(tool: string, rules: ParseContext): ToolShape {
  return rules.tools.get(tool) ?? unknownShape;
}

interface Corrections {
  readonly neither: string;
  readonly quoted: string;
  readonly unsure: string;
  readonly cut: string;
  readonly emptyAnswer: string;
  readonly orphanInput: string;
  readonly thought: (what: string) => string;
  readonly notATool: (text: string) => string;
  readonly noInput: (tool: string, required: readonly string[] | null) => string;
  readonly badInput: (tool: string, reason: string) => string;
  readonly badAction: (reason: string) => string;
}

export function createCorrections({ written: tag }: Tags): Corrections {
  const act = `"${tag.action}:" with the tool's name and "${tag.input}:" with its arguments as JSON`;
  const end = `"${tag.answer}:" with your answer`;
  return {
    neither: `Your reply has neither an action nor a final answer. Write "${tag.thought}:", then either ${act}, or ${end}.`,
    quoted: `Your reply has its action or final answer only in a quotation (after ">", in quotation marks, or in a code fence), which does not count. Write ${act}, or ${end}, outside of quotations.`,
    unsure: `Your reply has an action in a code fence and "${tag.answer}:" after it, which is ambiguous. Write only one of them, without a fence.`,
    cut: 'Your reply was cut off at the output limit. Write a shorter reply.',
    emptyAnswer: `Your reply has no text after "${tag.answer}:". Write your answer after it.`,
    orphanInput: `Your reply has "${tag.input}:" without "${tag.action}:". Write ${act}.`,
    thought: (what) =>
      `Your thought ${what}. Write "${tag.thought}:" with your reasoning about the task before "${tag.action}:".`,
    notATool: (text) =>
      `${JSON.stringify(text.slice(0, 80))} is not the name of a tool. Write ${act}, or ${end} if you are done.`,
    noInput: (tool, required) =>
      `${tool} needs ${required === null ? 'an input' : required.join(', ')}. Write "${tag.input}:" with a JSON object after "${tag.action}: ${tool}".`,
    badInput: (tool, reason) => `Invalid ${tag.input} for ${tool}: ${reason}. Write it as one valid JSON object.`,
    badAction: (reason) => `Invalid ${tag.action}: ${reason}. Write ${act}.`,
  };
}

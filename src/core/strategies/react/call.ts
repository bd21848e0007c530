/** Turns an action and its input into a call, or into a correction: what is wrong, and what to write. */

import { type Json, type JsonObject, toValueText } from '../../lib/index.js';
import type { NamedAction } from './action.js';
import { nameValues, type ToolShape, unknownShape } from './arguments.js';
import type { ParseContext } from './context.js';
import { cleanAnswer } from './decoration.js';
import { finalAnswerPattern, isInputStart } from './format.js';
import { trimInput } from './inline-labels.js';
import { type InputParseResult, parseInput, parseInputValue } from './input.js';
import type { Section } from './sections.js';

export interface ParsedCall {
  readonly tool: string;
  readonly input: JsonObject;
}

export type CallParseResult =
  | { readonly kind: 'call'; readonly call: ParsedCall; readonly end: number }
  | { readonly kind: 'answer'; readonly answer: string; readonly end: number }
  | { readonly kind: 'problem'; readonly problem: string };

/** Whether the action means the final answer, as in chat formats. A tool with that name comes first. */
export function isFinalAnswer(tool: string, { tools }: ParseContext): boolean {
  return finalAnswerPattern.test(tool) && !tools.has(tool);
}

/** Whether an action has no arguments on its own lines. */
export function isBare({ text, value, positional }: NamedAction): boolean {
  return text === undefined && value === undefined && positional === undefined;
}

/**
 * Parses a call with the arguments of its action. A call without any has an empty object: what it lacks is then an observation,
 * like every invalid argument.
 */
export function parseCall(action: NamedAction, section: Section, rules: ParseContext): CallParseResult {
  const { tool, text, positional, offset } = action;
  const shape = getToolShape(tool, rules);
  const at = section.body + offset;
  if (text !== undefined) {
    const own = trimInput(text, section, rules);
    return buildCall(tool, parseInput(own, shape), own, at, section.end, rules);
  }
  if (isBare(action)) return buildBareCall(tool, at, rules);
  const value = positional === undefined ? action.value : toNamedArguments(positional, shape);
  if (value === undefined) return toProblem(rules.corrections.badInput(tool, 'its values have no names'));
  return buildCall(tool, parseInputValue(value, shape), toValueText(value), at, at, rules);
}

function buildBareCall(tool: string, end: number, rules: ParseContext): CallParseResult {
  if (rules.cut && isInputStart(rules.text.slice(end), rules.format)) return toProblem(rules.corrections.cut);
  return { kind: 'call', call: { tool, input: {} }, end };
}

function buildCall(
  tool: string,
  read: InputParseResult,
  inputText: string,
  from: number,
  sectionEnd: number,
  rules: ParseContext,
): CallParseResult {
  const { corrections, cut, text } = rules;
  if (isFinalAnswer(tool, rules)) {
    const answer = read.kind === 'input' ? toAnswer(read.input, inputText) : cleanAnswer(inputText);
    if (cut && sectionEnd === text.length) return toProblem(corrections.cut);
    return answer === '' ? toProblem(corrections.emptyAnswer) : { kind: 'answer', answer, end: sectionEnd };
  }
  if (read.kind === 'unreadable') return toProblem(corrections.badInput(tool, read.reason));
  const end = Math.min(from + read.end, text.length);
  const open = read.kind === 'nothing' || !read.closed;
  if (cut && open && text.slice(end).trim() === '') return toProblem(corrections.cut);
  return { kind: 'call', call: { tool, input: read.kind === 'input' ? read.input : {} }, end };
}

function toProblem(problem: string): CallParseResult {
  return { kind: 'problem', problem };
}

/** Converts arguments to an answer: their only text, or the written JSON. */
function toAnswer(input: JsonObject, inputText: string): string {
  const members = Object.values(input);
  if (members.length === 1 && typeof members[0] === 'string') return members[0].trim();
  return cleanAnswer(inputText);
}

function toNamedArguments(values: readonly Json[], shape: ToolShape): Json | undefined {
  if (values.length <= 1) return values[0] ?? null;
  return (shape.params === null ? null : nameValues(values, shape.params)) ?? undefined;
}

function getToolShape(tool: string, rules: ParseContext): ToolShape {
  return rules.tools.get(tool) ?? unknownShape;
}

/** What the parts of the parser know about a reply, and the corrections for one that cannot be read. */

import type { ToolShape } from './arguments.js';
import type { Format } from './format.js';

export interface ParseContext {
  readonly text: string;
  readonly format: Format;
  /** The tools by name. A reply may name others, whose arguments are unknown. */
  readonly tools: ReadonlyMap<string, ToolShape>;
  /** The tool that asks a person, which `Request Clarification` means; null without one. */
  readonly questionTool: string | null;
  readonly corrections: Corrections;
  /** Whether the reply stopped at the output limit. */
  readonly cut: boolean;
  /** Whether one reply may hold several actions. */
  readonly multipleActions: boolean;
}

type Corrections = ReturnType<typeof createCorrections>;

/** Creates the corrections: what is wrong, and what to write, with the agent's own tags. */
export function createCorrections({ written: tag }: Format) {
  const act = `"${tag.action}:" with the tool's name and "${tag.input}:" with its arguments as JSON`;
  const end = `"${tag.answer}:" with your answer`;
  return {
    neither: `Your reply has neither an action nor a final answer. Write "${tag.thought}:", then either ${act}, or ${end}.`,
    quoted: `Your reply has its action or final answer only in a quotation (after ">", in quotation marks, or in a code fence), which does not count. Write ${act}, or ${end}, outside of quotations.`,
    unsure: `Your reply has an action in a code fence and "${tag.answer}:" after it, which is ambiguous. Write only one of them, without a fence.`,
    cut: 'Your reply was cut off at the output limit. Write a shorter reply.',
    emptyAnswer: `Your reply has no text after "${tag.answer}:". Write your answer after it.`,
    emptyReason: `Your reply has no text after "${tag.failure}:". Write your reason after it.`,
    orphanInput: `Your reply has "${tag.input}:" without "${tag.action}:". Write ${act}.`,
    thought: (what: string) =>
      `Your thought ${what}. Write "${tag.thought}:" with your reasoning about the task before "${tag.action}:".`,
    notATool: (text: string) =>
      `${JSON.stringify(text.slice(0, 80))} is not the name of a tool. Write ${act}, or ${end} if you are done.`,
    badInput: (tool: string, reason: string) =>
      `Invalid ${tag.input} for ${tool}: ${reason}. Write it as one valid JSON object.`,
    badAction: (reason: string) => `Invalid ${tag.action}: ${reason}. Write ${act}.`,
  };
}

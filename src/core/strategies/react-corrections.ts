/** What a model is told about a reply that could not be read: what is wrong, and what to write instead. */

import type { Tags } from './react-labels.js';

export interface Corrections {
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

export function correctionsOf({ written: tag }: Tags): Corrections {
  const act = `"${tag.action}:" with the tool's name and "${tag.input}:" with its arguments as JSON`;
  const end = `"${tag.answer}:" with your answer`;
  return {
    neither: `Your reply has neither an action nor a final answer. Write "${tag.thought}:", and then either ${act}, or ${end}.`,
    quoted: `Your reply has no action and no final answer of your own: what you quote, behind ">", in quotation marks or in a code fence, does not count. Write ${act}, or ${end}, outside of it.`,
    unsure: `There is an action in a code fence and "${tag.answer}:" behind it: it is not clear which one you mean. Write one of them, without a fence.`,
    cut: 'Your reply was cut at the output limit. Be shorter.',
    emptyAnswer: `There is nothing behind "${tag.answer}:". Write your answer behind it.`,
    orphanInput: `There is "${tag.input}:" without "${tag.action}:". Write ${act}.`,
    thought: (what) =>
      `Your thought ${what}. Write "${tag.thought}:" with your reasoning about the task before "${tag.action}:".`,
    notATool: (text) =>
      `${JSON.stringify(text.slice(0, 80))} is not the name of a tool. Write ${act}, or ${end} when you are done.`,
    noInput: (tool, required) =>
      `${tool} needs ${required === null ? 'an input' : required.join(', ')}. Write "${tag.input}:" with a JSON object behind "${tag.action}: ${tool}".`,
    badInput: (tool, reason) =>
      `The ${tag.input} for ${tool} cannot be read: ${reason}. Write it as one valid JSON object.`,
    badAction: (reason) => `The ${tag.action} cannot be read: ${reason}. Write ${act}.`,
  };
}

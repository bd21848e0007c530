/**
 * The end of a chain with a plan, as the model says it. While tasks are open it is not taken, unless the model says why
 * they are left: it is told which, and may say so.
 */

import { shorten } from '../lib/display.js';
import { isObject, type Json, own } from '../lib/json.js';
import type { Task } from '../model/plan.js';
import type { RequestedCall } from '../model/reading.js';
import { open } from '../model/tasks.js';
import { controlTool } from '../state/control-tools.js';
import { textIn } from './control.js';
import { type Draft, tasksText, tell } from './draft.js';

/** The call that ends the chain, once all else in the reply has been taken; null where none does. */
export function acceptedFinish(draft: Draft, calls: readonly RequestedCall[]): RequestedCall | null {
  const left = openIn(draft);
  return calls.find((call) => isFinish(call) && (left.length === 0 || textIn(call.input, 'unfinished') !== '')) ?? null;
}

export function withFinish(draft: Draft, { input }: RequestedCall): Draft {
  const left = openIn(draft);
  if (left.length === 0) return draft;
  const why = shorten(textIn(input, 'unfinished'), 300).replace(/\.$/, '');
  return tell(draft, `Left undone, ${tasksText(left)}: ${why}.`);
}

export function finishRefused(draft: Draft): string {
  const left = openIn(draft);
  const ids = left.map(({ id }) => id).join(', ');
  return `Not finished: ${ids} ${left.length === 1 ? 'is' : 'are'} left. Complete or fail what is left, or call \`finish\` once more with \`unfinished\`: why it is not done.`;
}

export function resultIn(input: Json): Json {
  return isObject(input) ? (own(input, 'result') ?? '') : input;
}

export function isFinish({ tool, rejected }: RequestedCall): boolean {
  return controlTool(tool) === 'finish' && rejected === null;
}

function openIn({ plan }: Draft): readonly Task[] {
  return plan === null ? [] : open(plan);
}

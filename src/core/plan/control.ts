/**
 * Calls of control tools: what each does to the plan, and what the model is answered. `finish` is for the whole reply: while
 * tasks are open it is refused with their names, unless the model says why they are left.
 */

import { shorten } from '../lib/display.js';
import { asText, isObject, type Json, type JsonObject, own } from '../lib/json.js';
import type { Plan, Task } from '../model/plan.js';
import type { RequestedCall } from '../model/reading.js';
import { open } from '../model/tasks.js';
import { type ControlTool, controlTool } from '../state/control-tools.js';
import { type Draft, firstPlan, type PlannedDraft, planned, revisedPlan, tasksText, tell } from './draft.js';
import { completeTask, failTask, startTask, type Told } from './work.js';

interface Controlled {
  readonly draft: Draft;
  readonly ok: boolean;
  /** As the model is answered. */
  readonly text: string;
}

/** `finish` is for the whole reply, and not taken here. */
export function control(before: Draft, tool: Exclude<ControlTool, 'finish'>, given: Json): Controlled {
  const input: JsonObject = isObject(given) ? given : {};
  if (tool === 'make_plan' && before.plan === null) return make(before, own(input, 'tasks'));
  const draft = planned(before);
  const { plan, options } = draft;
  const id = textIn(input, 'id');
  switch (tool) {
    case 'make_plan':
      return revise(draft, own(input, 'tasks'), 'a new plan was made');
    case 'revise_plan':
      return revise(draft, own(input, 'tasks'), textIn(input, 'reason') || 'no reason was given');
    case 'start_task': {
      const told = startTask(plan, id, options.parallel);
      return on({ ...draft, named: told.task ?? draft.named }, told);
    }
    case 'complete_task':
      return on(draft, completeTask(plan, id, textIn(input, 'result')));
    case 'fail_task': {
      const told = failTask(plan, id, textIn(input, 'error') || textIn(input, 'reason') || 'no reason was given');
      return on({ ...draft, failed: told.task === null ? draft.failed : [...draft.failed, told.task] }, told);
    }
  }
}

/** The first plan, wherever its tasks come from; null where there are none. */
export function withFirstPlan(
  draft: Draft,
  tasks: unknown,
  source: Plan['source'],
): { readonly draft: PlannedDraft; readonly notes: readonly string[] } | null {
  const made = firstPlan(tasks, source);
  if (made === null) return null;
  const title = source === 'reused' ? 'A plan that worked before' : 'The plan';
  const told = tell(draft, `${title}: ${tasksText(made.plan.tasks)}.`);
  return { draft: { ...told, plan: made.plan }, notes: made.notes };
}

export function textIn(input: Json, name: string): string {
  return isObject(input) ? asText(own(input, name) ?? '').trim() : '';
}

function make(draft: Draft, tasks: Json | undefined): Controlled {
  const made = withFirstPlan(draft, tasks, 'model');
  if (made !== null) return { draft: made.draft, ok: true, text: ['The plan is made.', ...made.notes].join(' ') };
  const text = 'No task could be read in it: the goal is the one task now. Revise the plan if it takes more.';
  return { draft: planned(draft), ok: false, text };
}

function revise(draft: PlannedDraft, tasks: Json | undefined, reason: string): Controlled {
  const revised = revisedPlan(draft.plan, tasks ?? []);
  if (revised === null) return { draft, ok: false, text: 'A plan has one task at least. It is left as it was.' };
  const { plan, notes } = revised;
  const left = open(plan);
  const todo = left.length === 0 ? 'Nothing is left to do' : `To do: ${tasksText(left)}`;
  const why = shorten(reason, 300).replace(/\.$/, '');
  const told = tell({ ...draft, plan, named: null }, `The plan was revised (${plan.revision}): ${why}. ${todo}.`);
  return { draft: told, ok: true, text: ['The plan is revised.', ...notes].join(' ') };
}

function on(draft: PlannedDraft, { plan, ok, text }: Told): Controlled {
  return { draft: { ...draft, plan }, ok, text };
}

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

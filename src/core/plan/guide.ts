/**
 * What the model is told of its plan, and what is proposed for a task that has failed. What is told stays where it stands:
 * a request grows at its end only, and what the provider keeps of the last one serves the next.
 */

import { formatDuration, shorten } from '../lib/display.js';
import { countUtf8Bytes } from '../lib/json.js';
import { toOneLine } from '../lib/plain-text.js';
import type { AgentSnapshot, Fallback, PlanOptions } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { Plan, Task } from '../model/plan.js';
import type { ChainState } from '../model/state.js';
import {
  changeTask,
  listActiveTasks,
  listAvailableTasks,
  listTasksByStatus,
  listUnmetDependencies,
} from '../model/tasks.js';
import { type Advance, emit } from '../state/advance.js';
import { addBytes, observationOverheadBytes } from '../state/budget.js';

/** Tells the model, behind the last step. */
export function emitGuidance(state: ChainState, text: string): Advance {
  const bytes = countUtf8Bytes(text) + observationOverheadBytes;
  return emit(addBytes(state, bytes), {
    type: 'guidance-added',
    at: state.now,
    guidance: { text, afterStep: state.steps },
  });
}

export const planPrompt =
  'First make a plan for this: call `make_plan` with the tasks that it takes. If it takes but one, make a plan of one.';

/** A plan that the model has not made itself. */
export function renderPlan(plan: Plan): string {
  return ['This is the plan:', ...plan.tasks.map((task) => `- ${renderTask(task)}`)].join('\n');
}

/** What can be done next, where nothing is at work; empty where something is. */
export function renderNextTasks(plan: Plan): string {
  if (listActiveTasks(plan).length > 0) return '';
  const free = listAvailableTasks(plan);
  if (free.length === 0) return renderPlanEnd(plan);
  const [first] = free;
  if (free.length === 1 && first !== undefined) return `Next is ${shorten(renderTaskLine(first), 600)}`;
  return ['Available now:', ...free.map((task) => `- ${renderTaskLine(task)}`)].join('\n');
}

/** Nothing is left to be begun. */
function renderPlanEnd(plan: Plan): string {
  const failed = listTasksByStatus(plan, 'failed').map(
    ({ id, error }) => `- ${id} has failed: ${flattenLineBreaks(error ?? '')}`,
  );
  const blocked = listTasksByStatus(plan, 'blocked').map(
    (task) => `- ${task.id} is blocked by ${joinIds(listUnmetDependencies(plan, task))}`,
  );
  if (failed.length === 0) return 'All tasks are completed. Answer now: call `finish` with the final answer.';
  return [
    'No task is left that could be begun:',
    ...failed,
    ...blocked,
    'Revise the plan if there is another way. Else call `finish` with what there is, and say what is missing.',
  ].join('\n');
}

/** For a model that has said something and asked for nothing. */
export function renderContinueHint(plan: Plan): string {
  return renderNextTasks(plan) || `Go on with ${joinIds(listActiveTasks(plan))}.`;
}

export function renderReflectPrompt(plan: Plan): string {
  const done = listTasksByStatus(plan, 'completed').length;
  return `Before you go on (${done} of ${plan.tasks.length} tasks are completed): what have you learned, and does the plan still hold? Revise it if not; else say so in a sentence, or simply go on.`;
}

function renderTask(task: Task): string {
  const after = task.dependsOn.length === 0 ? '' : ` (after ${task.dependsOn.join(', ')})`;
  return `${task.id}${after}: ${flattenLineBreaks(task.description)}`;
}

function renderTaskLine({ id, description, tools }: Task): string {
  return `${id}: ${flattenLineBreaks(description)}${tools.length === 0 ? '' : ` (${tools.join(', ')})`}`;
}

/** Text of a task in one line: a line break in it would begin what looks like a line of ours. */
export function flattenLineBreaks(text: string): string {
  return /[\n\r\v\f\u0085\u2028\u2029]/.test(text) ? toOneLine(text) : text;
}

function joinIds(tasks: readonly Task[]): string {
  return tasks.map(({ id }) => id).join(', ');
}

export interface FallbackProposal {
  readonly plan: Plan;
  /** Milliseconds before the model is asked again; 0 for none. */
  readonly waitMs: number;
  /** For readers. */
  readonly notice: string;
  /** For the model. */
  readonly guide: string;
}

/**
 * For the n-th failure of a task the n-th of the agent's fallbacks, and nothing more once these are used up. A proposal is
 * the model's to follow; only the wait before a retry is the chain's own.
 */
export function proposeFallback(plan: Plan, task: Task, agent: AgentSnapshot, options: PlanOptions): FallbackProposal {
  const question = agent.tools.find((tool) => tool.question !== null)?.name ?? null;
  const ladder = options.fallbacks.filter((each) => each !== 'ask_user' || question !== null);
  const chosen: Fallback = ladder[task.attempts - 1] ?? 'skip';
  const failed = `${task.id} has failed${task.error ? `: ${flattenLineBreaks(task.error).replace(/\.$/, '')}` : ''}.`;
  const tell = (notice: string, guide: string): Pick<FallbackProposal, 'notice' | 'guide'> => {
    return { notice: `Task ${failed} ${notice}`, guide: `${failed} ${guide}` };
  };
  const again = () => changeTask(plan, task.id, { status: 'pending' });
  switch (chosen) {
    case 'retry': {
      const waitMs = Math.min(
        defaults.taskBackoffLongestMs,
        defaults.taskBackoffMs * 2 ** Math.max(0, task.attempts - 1),
      );
      const said = tell(`It is tried again after ${formatDuration(waitMs)}.`, 'Try it again, minding what went wrong.');
      return { plan: again(), waitMs, ...said };
    }
    case 'simplify': {
      const how = `Split it into smaller tasks by \`revise_plan\`.${renderBlockedTasks(plan)}`;
      return { plan, waitMs: 0, ...tell('It is to be split into simpler ones.', how) };
    }
    case 'other_tool':
      return {
        plan: again(),
        waitMs: 0,
        ...tell('It is tried with other tools.', 'Try it again with another tool, or by another way.'),
      };
    case 'ask_user':
      return {
        plan: again(),
        waitMs: 0,
        ...tell('The user is to be asked.', `Ask the user by \`${question}\` what to do about it, then go on.`),
      };
    case 'skip':
      return {
        plan,
        waitMs: 0,
        ...tell('It is left out.', `It is left out. Go on with the rest.${renderBlockedTasks(plan)}`),
      };
  }
}

function renderBlockedTasks(plan: Plan): string {
  const blocked = listTasksByStatus(plan, 'blocked').map(({ id }) => id);
  return blocked.length === 0 ? '' : ` Blocked by it: ${blocked.join(', ')}.`;
}

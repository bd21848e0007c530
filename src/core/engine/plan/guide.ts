/**
 * Renders guidance on the plan for the model, and proposes fallbacks for failed tasks. Guidance is only appended, so that
 * the provider's prompt cache stays valid.
 */

import { countUtf8Bytes, formatDuration, shorten, toOneLine } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  changeTask,
  defaults,
  doubleWait,
  findQuestionTool,
  joinTaskIds,
  listActiveTasks,
  listAvailableTasks,
  listTasksByStatus,
  listUnmetDependencies,
  type Plan,
  type PlanOptions,
  type Task,
  type TaskFallback,
} from '../../model/index.js';
import { type Advance, emit } from '../state/advance.js';
import { addBytes, observationOverheadBytes } from '../state/budget.js';

/** Adds guidance after the last step. */
export function emitGuidance(state: ChainState, text: string): Advance {
  const bytes = countUtf8Bytes(text) + observationOverheadBytes;
  return emit(addBytes(state, bytes), {
    type: 'guidance-added',
    at: state.now,
    guidance: { text, afterStep: state.steps },
  });
}

export const planPrompt =
  'First make a plan: call `make_plan` with the tasks that lead to the goal. A small goal needs only one task.';

/** Renders a plan that the model did not make. */
export function renderPlan(plan: Plan): string {
  return ['This is the plan:', ...plan.tasks.map((task) => `- ${renderTask(task)}`)].join('\n');
}

/** Renders the available tasks; empty while a task is in progress. */
export function renderNextTasks(plan: Plan): string {
  if (listActiveTasks(plan).length > 0) return '';
  const free = listAvailableTasks(plan);
  if (free.length === 0) return renderPlanEnd(plan);
  const [first] = free;
  if (free.length === 1 && first !== undefined) return `Next task: ${shorten(renderTaskLine(first), 600)}`;
  return ['Available tasks:', ...free.map((task) => `- ${renderTaskLine(task)}`)].join('\n');
}

function renderPlanEnd(plan: Plan): string {
  const failed = listTasksByStatus(plan, 'failed').map(
    ({ id, error }) => `- ${id} failed: ${flattenLineBreaks(error ?? '')}`,
  );
  const blocked = listTasksByStatus(plan, 'blocked').map(
    (task) => `- ${task.id} is blocked by ${joinTaskIds(listUnmetDependencies(plan, task))}`,
  );
  if (failed.length === 0) return 'All tasks are completed. Answer now: call `finish` with the final answer.';
  return [
    'No task can be started:',
    ...failed,
    ...blocked,
    'If there is another way, call `revise_plan`. Otherwise call `finish` with the results so far. If the goal is not reached, set `success` to false and give the `reason`.',
  ].join('\n');
}

/** Renders guidance after a reply without calls. */
export function renderContinueHint(plan: Plan): string {
  return renderNextTasks(plan) || `Continue with ${joinTaskIds(listActiveTasks(plan))}.`;
}

export function renderReflectPrompt(plan: Plan): string {
  const done = listTasksByStatus(plan, 'completed').length;
  return `Check the plan (${done} of ${plan.tasks.length} tasks completed): call \`review_plan\` with what you have learned and your assessment. If the plan is no longer right, also call \`revise_plan\`.`;
}

function renderTask(task: Task): string {
  const after = task.dependsOn.length === 0 ? '' : ` (after ${task.dependsOn.join(', ')})`;
  return `${task.id}${after}: ${flattenLineBreaks(task.description)}`;
}

function renderTaskLine({ id, description, tools }: Task): string {
  return `${id}: ${flattenLineBreaks(description)}${tools.length === 0 ? '' : ` (${tools.join(', ')})`}`;
}

/** Puts the text of a task on one line: its line breaks could imitate lines of the guidance. */
function flattenLineBreaks(text: string): string {
  return /[\n\r\v\f\u0085\u2028\u2029]/.test(text) ? toOneLine(text) : text;
}

export interface FallbackProposal {
  readonly plan: Plan;
  /** Milliseconds before the next model call; 0 for none. */
  readonly retryDelayMs: number;
  /** For readers. */
  readonly notice: string;
  /** For the model. */
  readonly guide: string;
}

/**
 * Proposes the agent's n-th fallback for the n-th failure of a task; `skip` after the last. The model decides whether to
 * follow it; the chain enforces only the wait before a retry.
 */
export function proposeFallback(plan: Plan, task: Task, agent: AgentSnapshot, options: PlanOptions): FallbackProposal {
  const question = findQuestionTool(agent.tools);
  const ladder = options.fallbacks.filter((fallback) => fallback !== 'ask_user' || question !== null);
  const chosen: TaskFallback = ladder[task.attempts - 1] ?? 'skip';
  const failed = `${task.id} failed${task.error ? `: ${flattenLineBreaks(task.error).replace(/\.$/, '')}` : ''}.`;
  const describe = (notice: string, guide: string): Pick<FallbackProposal, 'notice' | 'guide'> => {
    return { notice: `Task ${failed} ${notice}`, guide: `${failed} ${guide}` };
  };
  const again = () => changeTask(plan, task.id, { status: 'pending' });
  switch (chosen) {
    case 'retry': {
      const retryDelayMs = doubleWait(defaults.taskBackoffMs, task.attempts, defaults.taskBackoffLongestMs);
      const texts = describe(`It is retried after ${formatDuration(retryDelayMs)}.`, 'Retry it. Avoid the same error.');
      return { plan: again(), retryDelayMs, ...texts };
    }
    case 'simplify': {
      const how = `Split it into smaller tasks with \`revise_plan\`.${renderBlockedTasks(plan)}`;
      return { plan, retryDelayMs: 0, ...describe('The model is instructed to split it into simpler tasks.', how) };
    }
    case 'other_tool':
      return {
        plan: again(),
        retryDelayMs: 0,
        ...describe('It is retried with other tools.', 'Retry it with another tool or another approach.'),
      };
    case 'ask_user':
      return {
        plan: again(),
        retryDelayMs: 0,
        ...describe(
          'The model is instructed to ask the user.',
          `Ask the user with \`${question}\` what to do, then continue.`,
        ),
      };
    case 'skip':
      return {
        plan,
        retryDelayMs: 0,
        ...describe('It is skipped.', `It is skipped. Continue with the other tasks.${renderBlockedTasks(plan)}`),
      };
  }
}

function renderBlockedTasks(plan: Plan): string {
  const blocked = listTasksByStatus(plan, 'blocked').map(({ id }) => id);
  return blocked.length === 0 ? '' : ` Blocked by it: ${blocked.join(', ')}.`;
}

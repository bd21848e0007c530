/**
 * What is proposed for a task that has failed: for its n-th failure the n-th of the agent's fallbacks, and nothing more
 * once these are used up. A proposal is the model's to follow; only the wait before a retry is the chain's own.
 */

import { duration } from '../lib/display.js';
import type { AgentSnapshot, Fallback, PlanOptions } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { Plan, Task } from '../model/plan.js';
import { changeTask, withStatus } from '../model/tasks.js';
import { inLine } from './guide.js';

export interface FellBack {
  readonly plan: Plan;
  /** Milliseconds before the model is asked again; 0 for none. */
  readonly waitMs: number;
  /** For readers. */
  readonly notice: string;
  /** For the model. */
  readonly guide: string;
}

export function fallBack(plan: Plan, task: Task, agent: AgentSnapshot, options: PlanOptions): FellBack {
  const question = agent.tools.find((tool) => tool.question !== null)?.name ?? null;
  const ladder = options.fallbacks.filter((each) => each !== 'ask_user' || question !== null);
  const chosen: Fallback = ladder[task.attempts - 1] ?? 'skip';
  const failed = `${task.id} has failed${task.error ? `: ${inLine(task.error).replace(/\.$/, '')}` : ''}.`;
  const tell = (notice: string, guide: string): Pick<FellBack, 'notice' | 'guide'> => {
    return { notice: `Task ${failed} ${notice}`, guide: `${failed} ${guide}` };
  };
  const again = () => changeTask(plan, task.id, { status: 'pending' });
  switch (chosen) {
    case 'retry': {
      const waitMs = Math.min(
        defaults.taskBackoffLongestMs,
        defaults.taskBackoffMs * 2 ** Math.max(0, task.attempts - 1),
      );
      const said = tell(`It is tried again after ${duration(waitMs)}.`, 'Try it again, minding what went wrong.');
      return { plan: again(), waitMs, ...said };
    }
    case 'simplify': {
      const how = `Split it into smaller tasks by \`revise_plan\`.${blockedText(plan)}`;
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
        ...tell('It is left out.', `It is left out. Go on with the rest.${blockedText(plan)}`),
      };
  }
}

function blockedText(plan: Plan): string {
  const blocked = withStatus(plan, 'blocked').map(({ id }) => id);
  return blocked.length === 0 ? '' : ` Blocked by it: ${blocked.join(', ')}.`;
}

/** What a task wants confirmed: while it is at work, a person approves the calls of these tools, whatever else says. */

import type { ToolSnapshot } from '../model/agent.js';
import type { AskRules } from '../model/ask.js';
import type { State } from '../model/state.js';
import { atWork } from '../model/tasks.js';
import { askRules, riskOf } from '../state/ask-rules.js';

/** By which rules; null where nothing wants it. Where no task is at work, what any of them wants counts. */
export function confirmationOf({ plan }: Pick<State, 'plan'>, { name, effects }: ToolSnapshot): AskRules | null {
  if (plan === null) return null;
  const busy = atWork(plan);
  const task = (busy.length > 0 ? busy : plan.tasks).find(({ confirm }) => confirm.includes(name));
  if (task === undefined) return null;
  return askRules({ reason: `Task ${task.id} wants calls of ${name} to be confirmed.`, risk: riskOf(effects) });
}

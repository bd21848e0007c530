/**
 * Native tool use by a plan: the model plans, works on one task after the other, looks back, plans anew, and finishes. One
 * conversation: what is next is said in it as the chain goes on (plan/guide.ts), and what its replies do to the plan is
 * the chain's own business (plan/update-plan.ts).
 */

import type { AgentSnapshot, PlanOptions } from '../model/agent.js';
import { listControlTools } from '../state/control-tools.js';
import { planDefaults, type Strategy } from './strategy.js';
import { parseNativeReply, renderNativeRequest } from './tools.js';

export const plan: Strategy = {
  render: (chain, agent) => {
    const options = getOptions(agent);
    return renderNativeRequest(chain, agent, renderGuidance(options), listControlTools(options));
  },
  parse: (reply, _agent, validate) => parseNativeReply(reply, validate),
};

function renderGuidance({ planning, parallel }: PlanOptions): string {
  const several =
    parallel === 1 ? 'one at a time' : `at most ${parallel} at a time, if they do not wait for each other`;
  return [
    'You work by a plan of tasks.',
    ...(planning ? ['- `make_plan` breaks the goal down into tasks, each small, with an end that can be seen.'] : []),
    `- \`start_task\` says which task you work on, ${several}; then call the tools that it takes.`,
    '- `complete_task` says what a task came to, `fail_task` what stands in its way. You may end one task and start the next in the same reply.',
    '- `revise_plan` plans anew, when what you have learned asks for it.',
    '- `finish` gives the final answer, once all tasks have ended.',
    'Use the simplest tool that can do it, and say in a sentence what you are about to do before you call. If a call fails, try another way.',
  ].join('\n');
}

function getOptions({ strategy }: AgentSnapshot): PlanOptions {
  return strategy.name === 'plan' ? strategy : planDefaults;
}

/**
 * Native tool use with a plan: the model plans, works on the tasks, reflects, revises the plan, and finishes. Guidance
 * (plan/guide.ts) is part of the conversation; plan/update-plan.ts applies the replies to the plan.
 */

import { findFinishTool, listControlTools } from '../engine/index.js';
import type { PlanOptions, Reading } from '../model/index.js';
import { toStrictTool } from './output.js';
import { getOptions, type Strategy } from './strategy.js';
import { parseNativeReply, renderNativeRequest } from './tools.js';

export const plan: Strategy = {
  render: (chain, agent) => {
    const options = getOptions('plan', agent);
    const controls = listControlTools(options, agent.outputSchema).map((tool) =>
      tool.name === findFinishTool(agent.strategy) ? toStrictTool(tool, agent) : tool,
    );
    return renderNativeRequest(chain, agent, renderGuidance(options), controls);
  },
  parse: (reply, agent, validate) =>
    correctMissingThought(parseNativeReply(reply, validate), getOptions('plan', agent)),
};

/** The rules ask for a sentence before each call in any case. */
function correctMissingThought(reading: Reading, { requireThought }: PlanOptions): Reading {
  if (!requireThought || reading.problem !== null || reading.calls.length === 0 || reading.thought?.trim())
    return reading;
  return {
    ...reading,
    problem: 'Your reply has no thought. State in one sentence what you are about to do, and make the calls again.',
  };
}

function renderGuidance({ planning, reflection, parallel }: PlanOptions): string {
  const several =
    parallel === 1 ? 'one at a time' : `at most ${parallel} at a time, if they do not depend on each other`;
  return [
    'Work with a plan of tasks.',
    ...(planning ? ['- `make_plan`: break the goal into small tasks, each with a clear end.'] : []),
    `- \`start_task\`: start a task, ${several}. Then call the tools that it needs.`,
    '- `complete_task`: record the result of a task. `fail_task`: record why it cannot be completed. You may end one task and start the next in the same reply.',
    '- `revise_plan`: change the plan when what you have learned requires it.',
    ...(reflection ? ['- `review_plan`: record what you learned, when you check the plan.'] : []),
    '- `finish`: give the final answer when all tasks have ended.',
    'Prefer the simplest tool that works. Before each call, state in one sentence what you are about to do. If a call fails, try another way.',
  ].join('\n');
}

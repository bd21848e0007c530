/** Native tool use until the model calls the finish tool. */

import { cannotComplete, createFinishSchema } from '../engine/index.js';
import type { AgentSnapshot, AutonomousOptions, ToolSpec } from '../model/index.js';
import { toStrictTool } from './output.js';
import { getOptions, type Strategy } from './strategy.js';
import { parseNativeReply, readEnding, renderFailureRule, renderNativeRequest } from './tools.js';

export const autonomous: Strategy = {
  render: (chain, agent) => {
    const options = getOptions('autonomous', agent);
    const finish = createFinishTool(options, agent);
    return renderNativeRequest(
      chain,
      agent,
      renderGuidance(options),
      options.canFail ? [cannotComplete, finish] : [finish],
    );
  },
  parse: (reply, agent, validate) => readEnding(parseNativeReply(reply, validate), getOptions('autonomous', agent)),
};

function createFinishTool(options: AutonomousOptions, agent: AgentSnapshot): ToolSpec {
  const { finishToolName: name, finishToolDescription: description } = options;
  return toStrictTool({ name, description, inputSchema: createFinishSchema(agent.outputSchema) }, agent);
}

function renderGuidance(options: AutonomousOptions): string {
  const { finishToolName } = options;
  return `Work on the task autonomously with your tools. Prefer the simplest tool that works.
Before each call, state in one sentence what you are about to do. If a call fails, try another way.
Only when you are confident that the answer is complete and correct, call \`${finishToolName}\` with it. Make no other call in that reply.
If the task cannot be completed, call \`${finishToolName}\` with \`success\` false, the \`reason\`, and what you have found as \`result\`.${renderFailureRule(options)}`;
}

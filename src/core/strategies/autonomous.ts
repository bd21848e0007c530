/** Native tool use until the model calls the finish tool. */

import { createFinishSchema, readFinish } from '../engine/index.js';
import type { AgentSnapshot, AutonomousOptions, Reading, Reply, ToolSpec } from '../model/index.js';
import { toStrictTool } from './output.js';
import { autonomousDefaults, type CallValidator, type Strategy } from './strategy.js';
import { parseNativeReply, renderNativeRequest } from './tools.js';

export const autonomous: Strategy = {
  render: (chain, agent) => {
    const options = getOptions(agent.strategy);
    return renderNativeRequest(chain, agent, renderGuidance(options), [createFinishTool(options, agent)]);
  },
  parse: (reply, agent, validate) => parseReply(reply, getOptions(agent.strategy), validate),
};

function parseReply(reply: Reply, options: AutonomousOptions, validate: CallValidator): Reading {
  const reading = parseNativeReply(reply, validate);
  if (reading.problem !== null) return reading;
  const finish = reading.calls.find((call) => call.tool === options.finishToolName && call.rejected === null);
  // The chain ends here. The other calls are recorded as not run.
  return finish === undefined ? reading : { ...reading, ...readFinish(finish.input) };
}

function createFinishTool(options: AutonomousOptions, agent: AgentSnapshot): ToolSpec {
  const { finishToolName: name, finishToolDescription: description } = options;
  return toStrictTool({ name, description, inputSchema: createFinishSchema(agent.outputSchema) }, agent);
}

function renderGuidance({ finishToolName }: AutonomousOptions): string {
  return `Work on the task autonomously with your tools. Prefer the simplest tool that works.
Before each call, state in one sentence what you are about to do. If a call fails, try another way.
Only when you are confident that the answer is complete and correct, call \`${finishToolName}\` with it. Make no other call in that reply.
If the task cannot be completed, call \`${finishToolName}\` with \`success\` false, the \`reason\`, and what you have found as \`result\`.`;
}

function getOptions(strategy: { readonly name: string }): AutonomousOptions {
  return strategy.name === 'autonomous' ? (strategy as AutonomousOptions) : autonomousDefaults;
}

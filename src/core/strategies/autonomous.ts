/** Native tool use that ends when the model says so, by calling a finish tool that it is given for that. */

import { isObject, type Json } from '../lib/json.js';
import type { AutonomousOptions } from '../model/agent.js';
import type { Reply, ToolSpec } from '../model/model.js';
import type { Reading } from '../model/reading.js';
import { autonomousDefaults, type Strategy, type Validate } from './strategy.js';
import { readNative, renderNative } from './tools.js';

export const autonomous: Strategy = {
  render: (chain, agent) => {
    const options = optionsOf(agent.strategy);
    return renderNative(chain, agent, guidance(options), [finishTool(options)]);
  },
  interpret: (reply, agent, validate) => interpret(reply, optionsOf(agent.strategy), validate),
};

function interpret(reply: Reply, options: AutonomousOptions, validate: Validate): Reading {
  const reading = readNative(reply, validate);
  if (reading.problem !== null) return reading;
  const finish = reading.calls.find((call) => call.tool === options.finishToolName && call.rejected === null);
  if (finish === undefined) return reading;
  // The chain ends here: the other calls are kept, so that it can be seen that they were not run.
  return {
    ...reading,
    calls: reading.calls.filter((call) => call.tool !== options.finishToolName),
    answer: resultOf(finish.input, options),
  };
}

/** With the default schema the answer is its one text; with the agent's own, the whole value. */
function resultOf(input: Json, options: AutonomousOptions): Json {
  const isDefault = JSON.stringify(options.resultSchema) === JSON.stringify(autonomousDefaults.resultSchema);
  return isDefault && isObject(input) ? (input.result ?? '') : input;
}

function finishTool(options: AutonomousOptions): ToolSpec {
  const { finishToolName: name, finishToolDescription: description, resultSchema: inputSchema } = options;
  return { name, description, inputSchema };
}

function guidance({ finishToolName }: AutonomousOptions): string {
  return `Work on the task by yourself, with the tools you have; prefer the simplest one that can do it.
Say in a sentence what you are about to do before you call. If a call fails, try another way.
When you are confident that the answer is complete and right, and not before, call \`${finishToolName}\` with it, alone.`;
}

function optionsOf(strategy: { readonly name: string }): AutonomousOptions {
  return strategy.name === 'autonomous' ? (strategy as AutonomousOptions) : autonomousDefaults;
}

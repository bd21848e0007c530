/** The seam between a chain and the way a model is talked to, and the options of each strategy where an agent leaves them out. */

import type { Json } from '../lib/json.js';
import type { AgentSnapshot, AutonomousOptions, PlanOptions, ReactOptions, ToolsOptions } from '../model/agent.js';
import type { Chain } from '../model/chain.js';
import type { ModelRequest, Reply } from '../model/model.js';
import type { Reading } from '../model/reading.js';

/** Says what is wrong with a call, as the model is told, or null. */
export type CallValidator = (tool: string, input: Json) => string | null;

export interface Strategy {
  /** Contract: pure; equal chains give equal requests. */
  readonly render: (chain: Chain, agent: AgentSnapshot) => ModelRequest;
  /** Contract: pure; never throws, whatever the model wrote. */
  readonly parse: (reply: Reply, agent: AgentSnapshot, validate: CallValidator) => Reading;
}

const thoughtPrompt = `Look at where the task stands:
- What do I know by now, and from which observation?
- What is still missing or left to do?
- Which next step follows from that?
- Which tool is the simplest that can do it?

Think it through before you choose an action.`;

export const reactDefaults: ReactOptions = {
  name: 'react',
  thoughtPrompt,
  requireThought: true,
  minThoughtLength: 10,
  thoughtTag: 'Thought',
  actionTag: 'Action',
  observationTag: 'Observation',
  scratchpad: true,
  multipleActions: false,
};

export const toolsDefaults: ToolsOptions = { name: 'tools' };

export const autonomousDefaults: AutonomousOptions = {
  name: 'autonomous',
  finishToolName: 'finish',
  finishToolDescription: 'Signal that the task is complete. Call this once, with the final answer.',
  resultSchema: {
    type: 'object',
    properties: { result: { type: 'string', description: 'The final answer.' } },
    required: ['result'],
    additionalProperties: false,
  },
};

export const planDefaults: PlanOptions = {
  name: 'plan',
  planning: true,
  reflection: true,
  reflectEvery: 3,
  parallel: 1,
  fallbacks: ['retry', 'simplify', 'other_tool', 'ask_user', 'skip'],
  reuse: null,
};

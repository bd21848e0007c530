/** The interface of a strategy, and the default options of each strategy. */

import type { Json } from '../lib/index.js';
import {
  type AgentSnapshot,
  type AutonomousOptions,
  type Chain,
  defaults,
  type ModelRequest,
  type PlanOptions,
  type ReactOptions,
  type Reading,
  type Reflection,
  type Reply,
  type StrategyOptions,
  type ToolSnapshot,
  type ToolsOptions,
} from '../model/index.js';

/** Returns what is wrong with a call, for the model, or null. */
export type CallValidator = (tool: string, input: Json) => string | null;

/** The members of an agent that parsing reads. */
export interface ParsedAgent extends Pick<AgentSnapshot, 'strategy' | 'outputSchema'> {
  readonly tools: readonly Pick<ToolSnapshot, 'name' | 'inputSchema' | 'question'>[];
}

/** Returns what is wrong with an answer, for the model, or null. */
export type AnswerValidator = (answer: Json) => string | null;

export interface Strategy {
  /** Contract: pure; equal chains give equal requests. */
  readonly render: (chain: Chain, agent: AgentSnapshot) => ModelRequest;
  /** Contract: pure; never throws for any reply. */
  readonly parse: (reply: Reply, agent: ParsedAgent, validate: CallValidator) => Reading;
}

/** A strategy with the rules of all strategies. */
export interface CheckedStrategy extends Strategy {
  /** @param validateAnswer for agents with an output schema; default: accepts all answers */
  readonly parse: (
    reply: Reply,
    agent: ParsedAgent,
    validate: CallValidator,
    validateAnswer?: AnswerValidator,
  ) => Reading;
}

/**
 * The correction for a reply with more than `defaults.callsPerReply` calls (L7): tens of thousands would exceed the time of a
 * workflow task, which Temporal then retries forever. A strategy checks the number before it reads or validates the calls.
 */
export const excessCallsProblem = `Your reply has more than ${defaults.callsPerReply} calls. Make at most ${defaults.callsPerStep} calls in one reply, and the others in the next.`;

const thoughtPrompt = `Review the state of the task:
- What do I know, and from which observation?
- What is missing or left to do?
- What is the next step?
- Which is the simplest tool for it?`;

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
  examples: [],
};

export const toolsDefaults: ToolsOptions = { name: 'tools' };

export const autonomousDefaults: AutonomousOptions = {
  name: 'autonomous',
  finishToolName: 'finish',
  finishToolDescription: 'End the work with the final answer. Call this once.',
};

export const reflectionDefaults: Reflection = {
  every: 1,
  observer: 'rule',
  fallbacks: ['retry', 'other_tool', 'other_way', 'ask_user', 'partial_answer'],
};

export const planDefaults: PlanOptions = {
  name: 'plan',
  planning: true,
  reflection: true,
  reflectEvery: 3,
  parallel: 1,
  fallbacks: ['retry', 'simplify', 'other_tool', 'ask_user', 'skip'],
  reuse: null,
  reuseSimilarity: 0.8,
  confirmReuse: false,
};

export const strategyDefaults = {
  ...{ react: reactDefaults, tools: toolsDefaults, autonomous: autonomousDefaults, plan: planDefaults },
} as const;

/** Returns the options of a strategy; its defaults where the agent has another one. */
export function getOptions<const Name extends keyof typeof strategyDefaults>(
  name: Name,
  { strategy }: Pick<AgentSnapshot, 'strategy'>,
) {
  return (strategy.name === name ? strategy : strategyDefaults[name]) as Extract<StrategyOptions, { name: Name }>;
}

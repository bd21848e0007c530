/**
 * The delegating tools: an agent as a tool of another (`delegate`), many tasks for one agent in one call (`map`), and
 * several hypotheses tried at the same time (`explore`).
 */

import { z } from 'zod';
import { check, LonghandError } from '../core/lib/index.js';
import { type DelegationSpread, defaults } from '../core/model/index.js';
import type { Agent } from './agent-definition.js';
import {
  checkJudge,
  checkOptions,
  createDelegateTool,
  type DelegateTool,
  type DelegationOptions,
  delegationOptionChecks,
  describeAgent,
  getAgentName,
  type JudgeChoice,
} from './delegate-tool.js';

export interface DelegateOptions extends DelegationOptions {
  /** Schema of the tool's input. Default `{ task: string }`. */
  readonly inputSchema?: z.ZodObject;
  /** Template of the task: `Research {topic} for {audience}`. Default `{task}`. */
  readonly task?: string;
  /** Number of sub-chains with the same task, of which one answer is chosen. Default 1. */
  readonly samples?: number;
  /** Default `'vote'` if there are several samples. */
  readonly judge?: JudgeChoice;
}

const checkDelegateOptions = check.members<DelegateOptions>({
  ...delegationOptionChecks,
  inputSchema: check.define((value) => value instanceof z.ZodObject, 'must be a z.object({ … })'),
  task: check.nonEmptyText,
  samples: check.integerWithin(1, defaults.maxBranches),
  judge: checkJudge,
});

const defaultInputSchema = z.object({
  task: z.string().min(1).describe('The complete task: the agent sees nothing else of this conversation'),
});

/**
 * Makes an agent a tool of another. An agent in `tools` is the same without options.
 *
 * @param agent the agent, or its name if other workers serve it
 * @throws {LonghandError} `invalid_tool`
 * @example
 * defineAgent({ name: 'editor', tools: [researcher, delegate(critic, { sees: 'summary', limits: { costUsd: 0.1 } })], … })
 */
export function delegate(agent: Agent | string, options: DelegateOptions = {}): DelegateTool {
  const name = getAgentName(agent, 'delegate');
  checkOptions(checkDelegateOptions, options, `delegate: ${name}`);
  const { inputSchema = defaultInputSchema, task = '{task}', samples = 1 } = options;
  const unknown = [...task.matchAll(/\{(\w+)\}/g)].find(([, member = '']) => !Object.hasOwn(inputSchema.shape, member));
  if (unknown !== undefined) {
    throw new LonghandError(
      'invalid_tool',
      `delegate: ${name}: ${unknown[0]} in the task is not a member of the input; expected ${Object.keys(inputSchema.shape).join(', ')}.`,
    );
  }
  const spread: DelegationSpread = samples === 1 ? { kind: 'one' } : { kind: 'samples', count: samples };
  const chosen = options.judge ?? (samples === 1 ? undefined : 'vote');
  return createDelegateTool(agent, options, {
    name,
    inputSchema,
    task,
    spread,
    judge: chosen,
    description: describeAgent(agent),
  });
}

export interface MapOptions extends DelegationOptions {
  /** Sub-chains that run at the same time. Default 5. */
  readonly concurrency?: number;
  /** Tasks of one call. Default 100. */
  readonly maxTasks?: number;
  /** Chooses one of the answers. Default: the model sees all. */
  readonly judge?: JudgeChoice;
}

const checkMapOptions = check.members<MapOptions>({
  ...delegationOptionChecks,
  concurrency: check.integerFrom(1),
  maxTasks: check.integerWithin(1, defaults.tasksPerCall),
  judge: checkJudge,
});

/**
 * Creates a tool that starts a sub-chain for each of many tasks and returns a summary and all answers.
 *
 * @throws {LonghandError} `invalid_tool`
 * @example
 * defineAgent({ name: 'reviewer', tools: [mapAgent(fileReviewer, { concurrency: 10 })], … })
 */
export function mapAgent(agent: Agent | string, options: MapOptions = {}): DelegateTool {
  const name = getAgentName(agent, 'map');
  checkOptions(checkMapOptions, options, `map: ${name}`);
  const { concurrency = 5, maxTasks = 100 } = options;
  const input = z.object({
    tasks: z
      .array(z.string().min(1))
      .min(1)
      .max(maxTasks)
      .describe(`One text for each task, at most ${maxTasks}. Make each text complete: its chain sees nothing else`),
  });
  return createDelegateTool(agent, options, {
    name: `map_${name}`,
    inputSchema: input,
    task: '{task}',
    spread: { kind: 'map', atOnce: concurrency, most: maxTasks },
    judge: options.judge,
    description: `Gives many tasks to ${name}, ${concurrency} at once, and returns all answers. ${describeAgent(agent)}`,
  });
}

export interface ExploreOptions extends Omit<DelegationOptions, 'sees'> {
  /** Hypotheses of one call. Default 5. */
  readonly maxHypotheses?: number;
  /** Default `'vote'`. */
  readonly judge?: JudgeChoice;
}

const { sees: _, ...ofBranches } = delegationOptionChecks;
const checkExploreOptions = check.members<ExploreOptions>({
  ...ofBranches,
  maxHypotheses: check.integerWithin(2, defaults.maxBranches),
  judge: checkJudge,
});

/**
 * Creates a tool that tries several hypotheses at the same time: a branch continues the chain with each, then one answer is chosen.
 * The other branches remain readable.
 *
 * @throws {LonghandError} `invalid_tool`
 * @example
 * defineAgent({ name: 'debugger', tools: [...tools, explore({ judge: ({ answer }) => score(answer) })], … })
 */
export function explore(options: ExploreOptions = {}): DelegateTool {
  checkOptions(checkExploreOptions, options, 'explore');
  const { maxHypotheses = 5 } = options;
  const input = z.object({
    hypotheses: z
      .array(z.string().min(1))
      .min(2)
      .max(maxHypotheses)
      .describe('One hypothesis for each branch, in one or two sentences'),
  });
  return createDelegateTool(null, options, {
    name: 'explore',
    inputSchema: input,
    task: '{task}',
    spread: { kind: 'branches', most: maxHypotheses },
    judge: options.judge ?? 'vote',
    description: `Tries several hypotheses at once (at most ${maxHypotheses}): a separate branch continues from here with each, knows all that you know now, and the best answer is returned. Use it when you do not know which way is right.`,
  });
}

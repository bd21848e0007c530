/**
 * The tools that delegate: an agent as a tool of another (`delegate`), many tasks for one agent in one call (`map`), and
 * several ways to go on that are tried at once (`explore`).
 */

import { z } from 'zod';
import { checkIntegerFrom, checkIntegerWithin, checkMembers, checkNonEmptyText } from '../core/lib/check-value.js';
import { defaults } from '../core/model/defaults.js';
import type { Spread } from '../core/model/delegation.js';
import type { Agent } from './agent-definition.js';
import {
  checkOptions,
  createDelegateTool,
  type DelegateTool,
  type DelegationOptions,
  delegationOptionChecks,
  describeAgent,
  getAgentName,
  type JudgeChoice,
  judgeCheck,
} from './delegate-tool.js';

export interface DelegateOptions extends DelegationOptions {
  /** What the model writes. Default `{ task: string }`. */
  readonly inputSchema?: z.ZodObject;
  /** The task made of it: `Research {topic} for {audience}`. Default `{task}`. */
  readonly task?: string;
  /** How many chains are given the same task; then one answer is chosen. Default 1. */
  readonly samples?: number;
  /** Default `'vote'`, where there are samples. */
  readonly judge?: JudgeChoice;
}

const delegateCheck = checkMembers<DelegateOptions>({
  ...delegationOptionChecks,
  inputSchema: (value, at) => (value instanceof z.ZodObject ? null : `${at} must be a z.object({ … })`),
  task: checkNonEmptyText,
  samples: checkIntegerWithin(1, defaults.branches),
  judge: judgeCheck,
});

const defaultInputSchema = z.object({
  task: z.string().min(1).describe('All that it needs to know: it sees nothing else of this conversation'),
});

/**
 * An agent as a tool of another. An agent in `tools` is the same without options.
 *
 * @param agent or its name, where it is defined elsewhere and served by other workers
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'editor', tools: [researcher, delegate(critic, { sees: 'summary', limits: { costUsd: 0.1 } })], … })
 */
export function delegate(agent: Agent | string, options: DelegateOptions = {}): DelegateTool {
  const name = getAgentName(agent, 'delegate');
  checkOptions(delegateCheck, options, `delegate: ${name}`);
  const { inputSchema = defaultInputSchema, task = '{task}', samples = 1 } = options;
  const unknown = [...task.matchAll(/\{(\w+)\}/g)].find(([, member = '']) => !Object.hasOwn(inputSchema.shape, member));
  if (unknown !== undefined) {
    throw new TypeError(
      `delegate: ${name}: the task names ${unknown[0]}, which the input does not have. It has: ${Object.keys(inputSchema.shape).join(', ')}.`,
    );
  }
  const spread: Spread = samples === 1 ? { kind: 'one' } : { kind: 'samples', count: samples };
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
  /** Chains that run at once. Default 5. */
  readonly concurrency?: number;
  /** Tasks of one call. Default 100. */
  readonly maxTasks?: number;
  /** Chooses one of the answers. Default: all are shown. */
  readonly judge?: JudgeChoice;
}

const mapCheck = checkMembers<MapOptions>({
  ...delegationOptionChecks,
  concurrency: checkIntegerFrom(1),
  maxTasks: checkIntegerWithin(1, defaults.tasksPerCall),
  judge: judgeCheck,
});

/**
 * A tool that gives each of many tasks to a chain of its own, some at once, and comes back with a summary and all answers.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'reviewer', tools: [map(fileReviewer, { atOnce: 10 })], … })
 */
export function mapAgent(agent: Agent | string, options: MapOptions = {}): DelegateTool {
  const name = getAgentName(agent, 'map');
  checkOptions(mapCheck, options, `map: ${name}`);
  const { concurrency = 5, maxTasks = 100 } = options;
  const input = z.object({
    tasks: z
      .array(z.string().min(1))
      .min(1)
      .max(maxTasks)
      .describe(`One text for each task, ${maxTasks} at most; each is all that its chain knows`),
  });
  return createDelegateTool(agent, options, {
    name: `map_${name}`,
    inputSchema: input,
    task: '{task}',
    spread: { kind: 'map', atOnce: concurrency, most: maxTasks },
    judge: options.judge,
    description: `Gives each of many tasks to ${name}, ${concurrency} at once, and comes back with all answers. ${describeAgent(agent)}`,
  });
}

export interface ExploreOptions extends Omit<DelegationOptions, 'sees'> {
  /** Hypotheses of one call. Default 5. */
  readonly maxHypotheses?: number;
  /** Default `'vote'`. */
  readonly judge?: JudgeChoice;
}

const { sees: _, ...ofBranches } = delegationOptionChecks;
const exploreCheck = checkMembers<ExploreOptions>({
  ...ofBranches,
  maxHypotheses: checkIntegerWithin(2, defaults.branches),
  judge: judgeCheck,
});

/**
 * A tool with which an agent tries several ways at once: the chain goes on with each, from where it stands, as a sub-chain
 * of its own; then one is chosen. The others can be read.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'debugger', tools: [...tools, explore({ judge: ({ answer }) => score(answer) })], … })
 */
export function explore(options: ExploreOptions = {}): DelegateTool {
  checkOptions(exploreCheck, options, 'explore');
  const { maxHypotheses = 5 } = options;
  const input = z.object({
    hypotheses: z
      .array(z.string().min(1))
      .min(2)
      .max(maxHypotheses)
      .describe('What each branch is to try, in a sentence or two'),
  });
  return createDelegateTool(null, options, {
    name: 'explore',
    inputSchema: input,
    task: '{task}',
    spread: { kind: 'branches', most: maxHypotheses },
    judge: options.judge ?? 'vote',
    description: `Tries several hypotheses at once: you go on with each of them separately, from here, knowing all that you know now, and the best answer comes back. For when it is open which way is right. ${maxHypotheses} at most.`,
  });
}

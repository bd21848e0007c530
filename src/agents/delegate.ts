/**
 * The tools that delegate: an agent as a tool of another (`delegate`), many tasks for one agent in one call (`map`), and
 * several ways to go on that are tried at once (`explore`).
 */

import { z } from 'zod';
import { membersOf, wholeFrom, wholeWithin, words } from '../core/lib/check-value.js';
import { defaults } from '../core/model/defaults.js';
import type { Spread } from '../core/model/delegation.js';
import type { Agent } from './agent-definition.js';
import {
  checkOptions,
  type DelegateTool,
  type DelegationOptions,
  delegateTool,
  descriptionOf,
  type JudgeChoice,
  judgeCheck,
  nameOf,
  optionChecks,
} from './delegate-tool.js';

export interface DelegateOptions extends DelegationOptions {
  /** What the model writes. Default `{ task: string }`. */
  readonly input?: z.ZodObject;
  /** The task made of it: `Research {topic} for {audience}`. Default `{task}`. */
  readonly task?: string;
  /** How many chains are given the same task; then one answer is chosen. Default 1. */
  readonly samples?: number;
  /** Default `'vote'`, where there are samples. */
  readonly judge?: JudgeChoice;
}

const delegateCheck = membersOf<DelegateOptions>({
  ...optionChecks,
  input: (value, at) => (value instanceof z.ZodObject ? null : `${at} must be a z.object({ … })`),
  task: words,
  samples: wholeWithin(1, defaults.branches),
  judge: judgeCheck,
});

const whole = z.object({
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
  const name = nameOf(agent, 'delegate');
  checkOptions(delegateCheck, options, `delegate: ${name}`);
  const { input = whole, task = '{task}', samples = 1 } = options;
  const unknown = [...task.matchAll(/\{(\w+)\}/g)].find(([, member = '']) => !Object.hasOwn(input.shape, member));
  if (unknown !== undefined) {
    throw new TypeError(
      `delegate: ${name}: the task names ${unknown[0]}, which the input does not have. It has: ${Object.keys(input.shape).join(', ')}.`,
    );
  }
  const spread: Spread = samples === 1 ? { kind: 'one' } : { kind: 'samples', count: samples };
  const chosen = options.judge ?? (samples === 1 ? undefined : 'vote');
  return delegateTool(agent, options, { name, input, task, spread, judge: chosen, description: descriptionOf(agent) });
}

export interface MapOptions extends DelegationOptions {
  /** Chains that run at once. Default 5. */
  readonly atOnce?: number;
  /** Tasks of one call. Default 100. */
  readonly most?: number;
  /** Chooses one of the answers. Default: all are shown. */
  readonly judge?: JudgeChoice;
}

const mapCheck = membersOf<MapOptions>({
  ...optionChecks,
  atOnce: wholeFrom(1),
  most: wholeWithin(1, defaults.tasksPerCall),
  judge: judgeCheck,
});

/**
 * A tool that gives each of many tasks to a chain of its own, some at once, and comes back with a summary and all answers.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'reviewer', tools: [map(fileReviewer, { atOnce: 10 })], … })
 */
export function map(agent: Agent | string, options: MapOptions = {}): DelegateTool {
  const name = nameOf(agent, 'map');
  checkOptions(mapCheck, options, `map: ${name}`);
  const { atOnce = 5, most = 100 } = options;
  const input = z.object({
    tasks: z
      .array(z.string().min(1))
      .min(1)
      .max(most)
      .describe(`One text for each task, ${most} at most; each is all that its chain knows`),
  });
  return delegateTool(agent, options, {
    name: `map_${name}`,
    input,
    task: '{task}',
    spread: { kind: 'map', atOnce, most },
    judge: options.judge,
    description: `Gives each of many tasks to ${name}, ${atOnce} at once, and comes back with all answers. ${descriptionOf(agent)}`,
  });
}

export interface ExploreOptions extends Omit<DelegationOptions, 'sees'> {
  /** Hypotheses of one call. Default 5. */
  readonly most?: number;
  /** Default `'vote'`. */
  readonly judge?: JudgeChoice;
}

const { sees: _, ...ofBranches } = optionChecks;
const exploreCheck = membersOf<ExploreOptions>({
  ...ofBranches,
  most: wholeWithin(2, defaults.branches),
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
  const { most = 5 } = options;
  const input = z.object({
    hypotheses: z
      .array(z.string().min(1))
      .min(2)
      .max(most)
      .describe('What each branch is to try, in a sentence or two'),
  });
  return delegateTool(null, options, {
    name: 'explore',
    input,
    task: '{task}',
    spread: { kind: 'branches', most },
    judge: options.judge ?? 'vote',
    description: `Tries several hypotheses at once: you go on with each of them separately, from here, knowing all that you know now, and the best answer comes back. For when it is open which way is right. ${most} at most.`,
  });
}

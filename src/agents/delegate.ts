/** An agent as a tool of another. */

import { z } from 'zod';
import { membersOf, wholeWithin, words } from '../core/lib/check-value.js';
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

/** Many tasks for one agent, in one call. */

import { z } from 'zod';
import { membersOf, wholeFrom, wholeWithin } from '../core/lib/check-value.js';
import { defaults } from '../core/model/defaults.js';
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

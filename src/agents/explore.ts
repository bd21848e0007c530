/** Several ways to go on, tried at once. */

import { z } from 'zod';
import { membersOf, wholeWithin } from '../core/lib/check-value.js';
import { defaults } from '../core/model/defaults.js';
import {
  checkOptions,
  type DelegateTool,
  type DelegationOptions,
  delegateTool,
  type JudgeChoice,
  judgeCheck,
  optionChecks,
} from './delegate-tool.js';

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

/** What a sub-chain came to, from its history: for a parent whose own history does not say. */

import type { Chain } from '../chain.js';
import { clip } from '../clip.js';
import { clipText } from '../clip-text.js';
import { resultOf, unsafeIn } from '../result.js';
import { whatWasFound } from '../stop.js';
import { chargedOf } from './budget-tree.js';
import type { ChildReport } from './child.js';
import { storyOf } from './story.js';

export interface ReportOptions {
  /** Whether what it thought and did is to be told. */
  readonly story: boolean;
  /** Tokens that its answer, what it found and its story may each cost. */
  readonly maxTokens: number;
}

/** @param how what the server says, where the chain itself had no say */
export function reportOf(chain: Chain, how: string | null, { story, maxTokens }: ReportOptions): ChildReport {
  const { state } = chain;
  const { outcome, answer, partial, reason, steps } = resultOf(state);
  const hadItsSay = state.stop !== null && how === null;
  const short = (text: string | null) => (text === null ? null : clipText(text, 4 * maxTokens, 'plain'));
  return {
    outcome: hadItsSay ? outcome : 'terminated',
    answer: hadItsSay ? clip(answer, maxTokens).content : null,
    partial: short(partial ?? whatWasFound(state)),
    reason: how ?? reason,
    steps,
    charged: chargedOf(state),
    ...unsafeIn(state),
    ...(story ? { story: clipText(storyOf(chain), 4 * maxTokens, 'plain') } : {}),
  };
}

/** What a sub-chain came to, from its history: for a parent whose own history does not say. */

import { clipText } from '../lib/clip.js';
import type { Chain } from '../model/chain.js';
import type { ChildReport } from '../model/child.js';
import { chargedOf } from '../state/budget-tree.js';
import { clip } from '../state/clip.js';
import { whatWasFound } from '../state/stop.js';
import { resultOf } from './result.js';
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
    unsafe: state.unsafe,
    ...(story ? { story: clipText(storyOf(chain), 4 * maxTokens, 'plain') } : {}),
  };
}

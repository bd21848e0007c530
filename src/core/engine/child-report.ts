/**
 * The report of a sub-chain from its history, for a parent whose own history does not hold it; and its story: what was
 * thought, done and seen, step by step, as the parent's model reads it.
 */

import { clipText } from '../lib/clip.js';
import { callText, shorten } from '../lib/display.js';
import type { Call, Chain } from '../model/chain.js';
import type { ChildReport } from '../model/child.js';
import { chargedOf } from '../state/budget-tree.js';
import { clip, observationText } from '../state/observation.js';
import { whatWasFound } from '../state/stop.js';
import { resultOf } from './result.js';

interface ReportOptions {
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

/** Characters of a thought and of an observation: a step is told, not repeated. */
const longest = 600;

export function storyOf(chain: Chain): string {
  return chain.steps
    .map(({ number, thought, calls, problem, answer }) => {
      const said = [
        ...(thought === null ? [] : [shorten(thought, longest)]),
        ...(answer === null ? [] : ['(Its answer.)']),
      ];
      const wrong = problem === null ? [] : ['(The reply could not be read.)'];
      return [
        `${number}. ${[...said, ...wrong].join(' ')}`.trimEnd(),
        ...calls.map((call) => callStory(chain, call)),
      ].join('\n');
    })
    .join('\n');
}

function callStory(chain: Chain, call: Call): string {
  return `   ${callText(call.tool, call.input)} → ${shorten(observationText(chain, call).replace(/\s+/g, ' '), longest)}`;
}

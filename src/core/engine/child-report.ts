/**
 * The report of a sub-chain from its history, for a parent whose own history does not hold it; and its story: what was
 * thought, done and seen, step by step, as the parent's model reads it.
 */

import { clipText } from '../lib/clip.js';
import { formatCall, shorten } from '../lib/display.js';
import type { Call, Chain } from '../model/chain.js';
import type { ChildReport } from '../model/child.js';
import { computeCharge } from '../state/budget-tree.js';
import { clipObservation, renderObservation } from '../state/observation.js';
import { formatFindings } from '../state/stop.js';
import { toChainResult } from './result.js';

interface ChildReportOptions {
  /** Whether what it thought and did is to be told. */
  readonly transcript: boolean;
  /** Tokens that its answer, what it found and its story may each cost. */
  readonly maxTokens: number;
}

/** @param how what the server says, where the chain itself had no say */
export function createChildReport(
  chain: Chain,
  how: string | null,
  { transcript, maxTokens }: ChildReportOptions,
): ChildReport {
  const { state } = chain;
  const { outcome, answer, partial, reason, steps } = toChainResult(state);
  const hadItsSay = state.stop !== null && how === null;
  const short = (text: string | null) => (text === null ? null : clipText(text, 4 * maxTokens, 'plain'));
  return {
    outcome: hadItsSay ? outcome : 'terminated',
    answer: hadItsSay ? clipObservation(answer, maxTokens).content : null,
    partial: short(partial ?? formatFindings(state)),
    reason: how ?? reason,
    steps,
    charged: computeCharge(state),
    hasUnsafeCalls: state.hasUnsafeCalls,
    ...(transcript ? { transcript: clipText(renderTranscript(chain), 4 * maxTokens, 'plain') } : {}),
  };
}

/** Characters of a thought and of an observation: a step is told, not repeated. */
const maxTextLength = 600;

export function renderTranscript(chain: Chain): string {
  return chain.steps
    .map(({ number, thought, calls, problem, answer }) => {
      const said = [
        ...(thought === null ? [] : [shorten(thought, maxTextLength)]),
        ...(answer === null ? [] : ['(Its answer.)']),
      ];
      const wrong = problem === null ? [] : ['(The reply could not be read.)'];
      return [
        `${number}. ${[...said, ...wrong].join(' ')}`.trimEnd(),
        ...calls.map((call) => renderTranscriptCall(chain, call)),
      ].join('\n');
    })
    .join('\n');
}

function renderTranscriptCall(chain: Chain, call: Call): string {
  return `   ${formatCall(call.tool, call.input)} → ${shorten(renderObservation(chain, call).replace(/\s+/g, ' '), maxTextLength)}`;
}

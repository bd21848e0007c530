/**
 * The report of a sub-chain from its history, for a parent whose own history has none, and its transcript: thoughts, calls
 * and observations, step by step, for the parent's model.
 */

import { clipText, formatCall, shorten } from '../lib/index.js';
import { type Call, type Chain, type ChildReport, hasAnswer } from '../model/index.js';
import { toChainResult } from './result.js';
import { computeCharge } from './state/budget-tree.js';
import { clipObservation, renderObservation } from './state/observation.js';
import { formatFindings } from './state/stop.js';

interface ChildReportOptions {
  /** Whether to add the transcript. */
  readonly transcript: boolean;
  /** Most tokens of each: answer, findings, transcript. */
  readonly maxTokens: number;
}

/** @param endedBy the server's description of the end, where the chain did not end by itself; else null */
export function createChildReport(
  chain: Chain,
  endedBy: string | null,
  { transcript, maxTokens }: ChildReportOptions,
): ChildReport {
  const { state } = chain;
  const { outcome, answer, partial, reason, steps } = toChainResult(state);
  const endedItself = state.stop !== null && endedBy === null;
  const short = (text: string | null) => (text === null ? null : clipText(text, 4 * maxTokens, 'plain'));
  return {
    outcome: endedItself ? outcome : 'terminated',
    answer: endedItself ? clipObservation(answer, maxTokens).content : null,
    partial: short(partial ?? (endedItself && hasAnswer(outcome) ? null : formatFindings(state))),
    reason: endedBy ?? reason,
    steps,
    charged: computeCharge(state),
    hasUnsafeCalls: state.hasUnsafeCalls,
    ...(state.dataClasses.length === 0 ? {} : { dataClasses: state.dataClasses }),
    ...(transcript ? { transcript: clipText(renderTranscript(chain), 4 * maxTokens, 'plain') } : {}),
  };
}

/** Characters of a thought and of an observation in a transcript. */
const maxTextLength = 600;

function renderTranscript(chain: Chain): string {
  return chain.steps
    .map(({ number, thought, calls, problem, answer }) => {
      const texts = [
        ...(thought === null ? [] : [shorten(thought, maxTextLength)]),
        ...(answer === null ? [] : ['(Final answer.)']),
      ];
      const notes = problem === null ? [] : ['(The reply could not be read.)'];
      return [
        `${number}. ${[...texts, ...notes].join(' ')}`.trimEnd(),
        ...calls.map((call) => renderTranscriptCall(chain, call)),
      ].join('\n');
    })
    .join('\n');
}

function renderTranscriptCall(chain: Chain, call: Call): string {
  return `   ${formatCall(call.tool, call.input)} → ${shorten(renderObservation(chain, call).replace(/\s+/g, ' '), maxTextLength)}`;
}

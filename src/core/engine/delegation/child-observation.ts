/** Renders sub-chains as observations of their parent. */

import { formatCount, formatDuration, formatTotalUsd, type Json, shorten, toValueText } from '../../lib/index.js';
import {
  type Child,
  type ChildEnd,
  type ChildReport,
  countTotalTokens,
  type Delegation,
  hasAnswer,
  type ResultDetail,
} from '../../model/index.js';
import { clipObservation } from '../state/observation.js';

export function isSuccessful({ outcome }: ChildReport): boolean {
  return hasAnswer(outcome);
}

/** @param agent the name of the sub-chain's agent */
export function renderChildReport(agent: string, sees: ResultDetail, report: ChildReport): Json {
  const { answer } = report;
  if (!isSuccessful(report))
    return [renderChildFailure(agent, report), ...(sees === 'chain' ? renderTranscriptPart(report) : [])].join('\n\n');
  if (sees === 'answer') return answer;
  const details = [
    `(${agent}: ${formatChildUsage(report)})`,
    ...(sees === 'chain' ? renderTranscriptPart(report) : []),
  ];
  return typeof answer === 'string' ? [answer, ...details].join('\n\n') : { answer, about: details.join('\n\n') };
}

function renderTranscriptPart(report: ChildReport): readonly string[] {
  return report.transcript === undefined ? [] : [`Steps:\n${report.transcript}`];
}

function renderChildFailure(agent: string, { outcome, reason, partial }: ChildReport): string {
  const result = partial === null || partial === '' ? 'No partial result.' : `Partial result:\n${partial}`;
  return `${agent} did not finish (${outcome}): ${reason}\n\n${result}`;
}

/** @param how why it closed without a report */
export function renderUnreadChild(agent: string, how: Extract<ChildEnd, { type: 'silent' }> | undefined): string {
  const message = (how?.message ?? 'it closed without a result.').replace(/[^.]$/, '$&.');
  return `${agent} did not finish: ${message} Its partial result could not be read.`;
}

/** Invariant 3 of advance-children.ts. */
export const notRestartedText = 'It was not retried: it may have made unsafe calls.';

/** `5 steps, 12,345 tokens, $0.01, 32 s` */
function formatChildUsage({ steps, charged }: ChildReport): string {
  const below = charged.chains > 1 ? [`${formatCount(charged.chains - 1)} sub-chains`] : [];
  return [
    steps === 1 ? '1 step' : `${formatCount(steps)} steps`,
    ...below,
    `${formatCount(countTotalTokens(charged.usage))} tokens`,
    ...(charged.usd === null ? [] : [formatTotalUsd(charged.usd, charged.unpricedTokens)]),
    formatDuration(charged.timeMs),
  ].join(', ');
}

/** Tokens of the keys and punctuation of one result. */
const resultOverheadTokens = 8;

/** Renders the results of several sub-chains: a summary, then each result in the order of the tasks. */
export function renderChildResults(
  tasks: readonly string[],
  children: readonly Child[],
  maxTokens: number,
): { readonly summary: string; readonly results: readonly Json[] } {
  const failed = children.filter(({ progress }) => progress === 'failed').length;
  const done = `${formatCount(children.length - failed)} of ${formatCount(children.length)} done`;
  // Shorten each result: clipping the whole would drop entire tasks.
  const share = Math.floor(maxTokens / Math.max(1, children.length));
  const taskCharacters = Math.max(16, Math.min(200, share));
  const resultTokens = Math.max(8, share - Math.ceil(taskCharacters / 4) - resultOverheadTokens);
  return {
    summary: failed === 0 ? `${done}.` : `${done}, ${formatCount(failed)} failed.`,
    results: children.map(({ index, progress, observation, chainId }) => {
      const result = clipObservation(observation, resultTokens).content;
      const task = shorten(tasks[index] ?? '', taskCharacters);
      return progress === 'ok' ? { task, answer: result } : { task, chain: chainId, error: result };
    }),
  };
}

/** Returns the tokens for each answer of a call: together they fit into one observation. */
export function computeAnswerTokens({ spread, sees }: Delegation, maxTokens: number, chains: number): number {
  const tokens = spread.kind === 'one' ? maxTokens : Math.max(64, Math.floor(maxTokens / Math.max(1, chains)));
  return sees === 'answer' ? tokens : Math.max(64, tokens - 64);
}

/** Normalizes an answer for comparison: case, spacing and the last punctuation mark do not count. */
export function normalizeAnswer(answer: Json): string {
  return toValueText(answer).trim().toLowerCase().replace(/\s+/g, ' ').replace(/[.!]$/, '');
}

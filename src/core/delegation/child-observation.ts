/** What a parent's model is shown of a sub-chain, and of all that one call began. */

import { formatCount, formatDuration, formatUsd, shorten } from '../lib/display.js';
import { type Json, toValueText } from '../lib/json.js';
import type { Child, ChildEnd, ChildReport } from '../model/child.js';
import type { Delegation, ResultDetail } from '../model/delegation.js';
import { countTotalTokens } from '../model/usage.js';
import { clipObservation } from '../state/observation.js';

export function isSuccessful({ outcome }: ChildReport): boolean {
  return outcome === 'success' || outcome === 'custom';
}

/** @param agent who was asked */
export function renderChildReport(agent: string, sees: ResultDetail, report: ChildReport): Json {
  const { answer } = report;
  if (!isSuccessful(report))
    return [renderChildFailure(agent, report), ...(sees === 'chain' ? renderTranscriptPart(report) : [])].join('\n\n');
  if (sees === 'answer') return answer;
  const beside = [`(${agent}: ${formatChildUsage(report)})`, ...(sees === 'chain' ? renderTranscriptPart(report) : [])];
  return typeof answer === 'string' ? [answer, ...beside].join('\n\n') : { answer, about: beside.join('\n\n') };
}

function renderTranscriptPart(report: ChildReport): readonly string[] {
  return report.transcript === undefined ? [] : [`What it did:\n${report.transcript}`];
}

function renderChildFailure(agent: string, { outcome, reason, partial }: ChildReport): string {
  const found = partial === null || partial === '' ? 'It had found nothing yet.' : `What it had found:\n${partial}`;
  return `${agent} did not finish (${outcome}): ${reason}\n\n${found}`;
}

/** @param how its close was silent */
export function renderUnreadChild(agent: string, how: Extract<ChildEnd, { type: 'silent' }> | undefined): string {
  const message = (how?.message ?? 'it closed without a result.').replace(/[^.]$/, '$&.');
  return `${agent} did not finish: ${message} What it had found could not be read.`;
}

/** Invariant 3 of advance-children.ts. */
export const notRestartedText = 'It was not begun anew: it may have done what must not be done twice.';

/** `5 steps, 12,345 tokens, $0.01, 32 s` */
export function formatChildUsage({ steps, charged }: ChildReport): string {
  const below = charged.chains > 1 ? [`${formatCount(charged.chains - 1)} sub-chains`] : [];
  return [
    steps === 1 ? '1 step' : `${formatCount(steps)} steps`,
    ...below,
    `${formatCount(countTotalTokens(charged.usage))} tokens`,
    ...(charged.usd === null ? [] : [formatUsd(charged.usd)]),
    formatDuration(charged.timeMs),
  ].join(', ');
}

/** Tokens of the names and signs of one result. */
const resultOverheadTokens = 8;

/** What comes of a call that began several: a summary, then each in the order of the tasks. */
export function renderChildResults(
  tasks: readonly string[],
  children: readonly Child[],
  maxTokens: number,
): { readonly summary: string; readonly results: readonly Json[] } {
  const failed = children.filter(({ progress }) => progress === 'failed').length;
  const done = `${formatCount(children.length - failed)} of ${formatCount(children.length)} done`;
  // Of many each is told in short: a part left out would leave out whole tasks.
  const share = Math.floor(maxTokens / Math.max(1, children.length));
  const taskCharacters = Math.max(16, Math.min(200, share));
  const saidTokens = Math.max(8, share - Math.ceil(taskCharacters / 4) - resultOverheadTokens);
  return {
    summary: failed === 0 ? `${done}.` : `${done}, ${formatCount(failed)} failed.`,
    results: children.map(({ index, progress, observation, chainId }) => {
      const said = clipObservation(observation, saidTokens).content;
      const task = shorten(tasks[index] ?? '', taskCharacters);
      return progress === 'ok' ? { task, answer: said } : { task, chain: chainId, error: said };
    }),
  };
}

/** Tokens of each answer of a call: together they are not more than one observation. */
export function computeAnswerTokens({ spread, sees }: Delegation, maxTokens: number, chains: number): number {
  const each = spread.kind === 'one' ? maxTokens : Math.max(64, Math.floor(maxTokens / Math.max(1, chains)));
  return sees === 'answer' ? each : Math.max(64, each - 64);
}

/** A text for whoever compares answers: the same in other spacing or case is the same. */
export function normalizeAnswer(answer: Json): string {
  return toValueText(answer).trim().toLowerCase().replace(/\s+/g, ' ').replace(/[.!]$/, '');
}

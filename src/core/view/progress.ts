/**
 * Progress by rule: in a few lines for readers who skip steps, and in one line for the head of a long chain. Built from
 * viewed steps, so that it shows nothing hidden.
 */

import { formatStepProgress, type StepProgress } from '../engine/index.js';
import { formatCount, formatDuration, formatPlural, formatTotalUsd } from '../lib/index.js';
import { formatCallsOfKind } from '../model/index.js';
import { describeApprovalStep } from './approval-steps.js';
import { countRecords } from './past-text.js';
import type { ApprovalStep, Reasoning, ReasoningStep } from './reasoning.js';
import type { StepView } from './reasoning-view.js';

/** Tools named in one line; the rest are counted. */
const maxNamedTools = 5;
/** Requests to people that are listed one by one. */
const maxListedRequests = 3;

/**
 * @param steps steps that the viewer may see, also those hidden by preference
 * @param current the step under way; null to leave it out
 */
export function describeProgress(
  steps: readonly ReasoningStep[],
  current: StepProgress | null = null,
): readonly string[] {
  const results = steps.filter((step) => step.kind === 'tool_result');
  const answered = results.filter(({ status, toolKind }) => status === 'ok' && toolKind !== 'finish');
  const failed = results.filter(({ status }) => status === 'error').length;
  const requests = steps.filter((step) => step.kind === 'approval');
  const open = requests.filter(({ status }) => status === 'waiting');
  const waits = new Set(open.map(({ correlationId }) => correlationId));
  const running = steps.filter((step) => step.kind === 'tool_call' && step.status === 'pending' && !waits.has(step.id));
  const records = answered.reduce((sum, { observation }) => sum + countRecords(observation), 0);
  return [
    ...(current === null ? [] : [`Step ${formatStepProgress(current)}`]),
    ...countByKey(answered, ({ toolKind }) => toolKind).map(([kind, times]) => formatCallsOfKind(kind, times)),
    ...(records > 0 ? [`Processed ${formatPlural(records, 'record')}`] : []),
    ...(failed > 0 ? [`${formatPlural(failed, 'call')} failed`] : []),
    ...describeRequests(
      requests.filter((request) => !open.includes(request)),
      (times) => `People received ${formatPlural(times, 'request')}`,
    ),
    ...(running.length > 0 ? [`Waiting for ${formatPlural(running.length, 'call')}`] : []),
    ...describeRequests(open, (times) => `Waiting for people to decide on ${formatPlural(times, 'request')}`),
  ];
}

function describeRequests(requests: readonly ApprovalStep[], inAll: (times: number) => string): readonly string[] {
  return requests.length > maxListedRequests ? [inAll(requests.length)] : requests.map(describeApprovalStep);
}

/** `847 steps: 612 calls of 4 tools (search 400, fetch 200, …), 3 failed, 12 reused; $1.20; 2.5 min`. */
export function summarizeSteps(steps: readonly StepView[], chain: Reasoning): string {
  const calls = steps.filter(({ kind }) => kind === 'tool_call').length;
  const parts = [
    formatPlural(
      steps.reduce((max, { number }) => Math.max(max, number), 0),
      'step',
    ),
  ];
  if (calls > 0)
    parts[0] += `: ${[`${formatPlural(calls, 'call')}${formatToolCounts(steps)}`, ...formatCallEndings(steps)].join(', ')}`;
  parts.push(`${formatCount(chain.tokens)} tokens`);
  if (chain.costUsd !== null) parts.push(formatTotalUsd(chain.costUsd, chain.unpricedTokens));
  if (chain.endedAt !== null) parts.push(formatDuration(Math.max(0, chain.endedAt - chain.startedAt)));
  return parts.join('; ');
}

function formatToolCounts(steps: readonly StepView[]): string {
  const tools = countByKey(
    steps.flatMap((step) => findToolName(step) ?? []),
    (tool) => tool,
  );
  if (tools.length === 0) return '';
  const names = tools.slice(0, maxNamedTools).map(([tool, times]) => `${tool} ${formatCount(times)}`);
  const rest = tools.length > maxNamedTools ? ', …' : '';
  return ` of ${formatPlural(tools.length, 'tool')} (${names.join(', ')}${rest})`;
}

function formatCallEndings(steps: readonly StepView[]): readonly string[] {
  const results = steps.flatMap((step) =>
    step.kind === 'tool_result' && step.level !== 'hidden' ? [step.status] : [],
  );
  const endings = [
    ['error', 'failed'],
    ['denied', 'denied'],
    ['not_permitted', 'not permitted'],
    ['unknown', 'of unknown outcome'],
    ['reused', 'reused'],
  ] as const;
  return endings.flatMap(([wanted, word]) => {
    const times = results.filter((status) => status === wanted).length;
    return times > 0 ? [`${formatCount(times)} ${word}`] : [];
  });
}

function findToolName(step: StepView): string | null {
  return step.kind === 'tool_call' && step.level !== 'hidden' ? step.tool : null;
}

/** Counts by key, the most frequent first; equals in order of appearance. */
function countByKey<T>(items: readonly T[], nameOf: (item: T) => string): readonly (readonly [string, number])[] {
  const times = new Map<string, number>();
  for (const item of items) times.set(nameOf(item), (times.get(nameOf(item)) ?? 0) + 1);
  return [...times].sort(([, a], [, b]) => b - a);
}

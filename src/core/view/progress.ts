/**
 * What was done so far, told by rule: in a few lines for those who do not read steps, and in one for the head of a long
 * chain. Made from the steps as they are viewed, so that it can tell nothing that they hide.
 */

import { isCount } from '../lib/check-value.js';
import { count, duration, usd } from '../lib/display.js';
import { isObject, own } from '../lib/json.js';
import { sayApproval } from './approval-steps.js';
import type { ApprovalStep, Reasoning, ReasoningStep, ToolResultStep } from './reasoning.js';
import type { StepView } from './reasoning-view.js';

/** Tools named in one line; the rest are counted. */
const toolsNamed = 5;
/** Requests to people that are told one by one. */
const requestsTold = 3;

/** `steps` are those that the viewer may know of, also where they are switched off for being too many. */
export function progressOf(steps: readonly ReasoningStep[]): readonly string[] {
  const results = steps.filter((step) => step.kind === 'tool_result');
  const answered = results.filter(({ status }) => status === 'ok');
  const failed = results.filter(({ status }) => status === 'error').length;
  const requests = steps.filter((step) => step.kind === 'approval');
  const open = requests.filter(({ status }) => status === 'waiting');
  const waits = new Set(open.map(({ correlationId }) => correlationId));
  const running = steps.filter((step) => step.kind === 'tool_call' && step.status === 'pending' && !waits.has(step.id));
  const records = answered.reduce((sum, { observation }) => sum + recordsIn(observation), 0);
  return [
    ...tally(answered, ({ toolKind }) => toolKind).map(([kind, times]) => didWith(kind, times)),
    ...(records > 0 ? [`Processed ${many(records, 'record')}`] : []),
    ...(failed > 0 ? [`${many(failed, 'call')} failed`] : []),
    ...told(
      requests.filter((request) => !open.includes(request)),
      (times) => `People were asked ${many(times, 'time')}`,
    ),
    ...(running.length > 0 ? [`Waiting for ${many(running.length, 'call')}`] : []),
    ...told(open, (times) => `Waiting for people to decide on ${many(times, 'request')}`),
  ];
}

function told(requests: readonly ApprovalStep[], inAll: (times: number) => string): readonly string[] {
  return requests.length > requestsTold ? [inAll(requests.length)] : requests.map(sayApproval);
}

function didWith(kind: string, times: number): string {
  switch (kind) {
    case 'external':
      return `Checked ${many(times, 'external source')}`;
    case 'database':
      return `Made ${times === 1 ? '1 database query' : `${count(times)} database queries`}`;
    case 'agent':
      return `Asked ${many(times, 'sub-agent')}`;
    default:
      return `Made ${many(times, `${kind} call`)}`;
  }
}

const counts = ['rowCount', 'row_count', 'recordCount', 'record_count'];
const lists = ['rows', 'records'];

/** How many records a result says that it has, or holds. */
function recordsIn(observation: ToolResultStep['observation']): number {
  if (!isObject(observation)) return 0;
  const said = counts.map((name) => own(observation, name)).find(isCount);
  if (said !== undefined) return said;
  const held = lists.map((name) => own(observation, name)).find((list) => Array.isArray(list));
  return Array.isArray(held) ? held.length : 0;
}

/** `847 steps: 612 calls of 4 tools (search 400, fetch 200, …), 3 failed, 12 reused; $1.20; 2.5 min`. */
export function summaryOf(steps: readonly StepView[], chain: Reasoning): string {
  const calls = steps.filter(({ kind }) => kind === 'tool_call').length;
  const parts = [
    many(
      steps.reduce((most, { number }) => Math.max(most, number), 0),
      'step',
    ),
  ];
  if (calls > 0) parts[0] += `: ${[`${many(calls, 'call')}${ofTools(steps)}`, ...endings(steps)].join(', ')}`;
  parts.push(`${count(chain.tokens)} tokens`);
  if (chain.costUsd !== null) parts.push(usd(chain.costUsd));
  if (chain.endedAt !== null) parts.push(duration(Math.max(0, chain.endedAt - chain.startedAt)));
  return parts.join('; ');
}

function ofTools(steps: readonly StepView[]): string {
  const tools = tally(
    steps.flatMap((step) => toolOf(step) ?? []),
    (tool) => tool,
  );
  if (tools.length === 0) return '';
  const named = tools.slice(0, toolsNamed).map(([tool, times]) => `${tool} ${count(times)}`);
  const rest = tools.length > toolsNamed ? ', …' : '';
  return ` of ${many(tools.length, 'tool')} (${named.join(', ')}${rest})`;
}

function endings(steps: readonly StepView[]): readonly string[] {
  const results = steps.flatMap((step) =>
    step.kind === 'tool_result' && step.level !== 'hidden' ? [step.status] : [],
  );
  const told = [
    ['error', 'failed'],
    ['denied', 'denied'],
    ['unknown', 'of unknown outcome'],
    ['reused', 'reused'],
  ] as const;
  return told.flatMap(([wanted, word]) => {
    const times = results.filter((status) => status === wanted).length;
    return times > 0 ? [`${count(times)} ${word}`] : [];
  });
}

function toolOf(step: StepView): string | null {
  return step.kind === 'tool_call' && step.level !== 'hidden' ? step.tool : null;
}

/** How often each comes, the most frequent first, and of equals the one that came first. */
function tally<T>(of: readonly T[], nameOf: (each: T) => string): readonly (readonly [string, number])[] {
  const times = new Map<string, number>();
  for (const each of of) times.set(nameOf(each), (times.get(nameOf(each)) ?? 0) + 1);
  return [...times].sort(([, a], [, b]) => b - a);
}

function many(times: number, what: string): string {
  return `${count(times)} ${what}${times === 1 ? '' : 's'}`;
}

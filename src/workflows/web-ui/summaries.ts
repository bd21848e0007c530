/** Summaries of activities in Temporal's Web UI: at most 400 bytes, about 120 visible characters. */

import { toSummary } from '../../contract/index.js';
import { isRequeued, listOpenWaits } from '../../core/engine/index.js';
import {
  formatCount,
  formatDuration,
  formatExactDuration,
  formatLongDuration,
  formatToolName,
} from '../../core/lib/index.js';
import type { Action, ChainState, ModelCallPurpose, PendingCall } from '../../core/model/index.js';
import type { SnippetMasker } from '../../core/view/index.js';

const purposeTexts: { readonly [purpose in ModelCallPurpose]?: string } = {
  closing: 'summing up',
  observer: 'observing',
  policy: 'checking the policy',
  judge: 'judging the end',
  compaction: 'writing notes',
};

/** `3 · claude-sonnet-5-5`; with the attempt after the first, and `summing up` for a closing call. */
export function formatModelSummary(state: ChainState, action: Extract<Action, { type: 'callModel' }>): string {
  const step = purposeTexts[action.purpose] ?? String(state.steps + 1);
  const attempt = action.attempt > 1 ? ` · attempt ${action.attempt}` : '';
  return formatSummaryLine([step + attempt, ...describeModel(state, action)]);
}

/** A policy chooses later, in the activity. */
function describeModel({ agent, input, tried }: ChainState, { models = [] }: ModelCallAction): readonly string[] {
  const after = tried.at(-1);
  return [
    models[0] ?? agent?.model.name ?? input?.agent ?? '',
    ...(agent?.routing?.policy ? ['or as routed'] : []),
    ...(after === undefined ? [] : [`after ${after.model} failed (${after.failure})`]),
  ];
}

type ModelCallAction = Extract<Action, { type: 'callModel' }>;

/** `3 · I need the weather in Paris · {"city":"Paris"}` */
export function formatToolSummary(state: ChainState, call: PendingCall, masker: SnippetMasker): string {
  const tool = state.agent?.tools.find(({ name }) => name === call.tool);
  const name = formatToolName(call.tool, tool?.kind ?? 'external', call.input);
  return formatSummaryLine([
    String(state.steps),
    // The activity's type is the tool's name.
    name === call.tool ? '' : name,
    masker.line(state.partialFindings.thought, 60),
    masker.value(call.tool, call.input, 60),
  ]);
}

/** What the chain waits for, and the maximum time. */
export function formatTimerSummary(state: ChainState, action: Extract<Action, { type: 'startTimer' }>): string {
  return formatSummaryLine([formatTimer(state, action)]);
}

function formatTimer(state: ChainState, { timer, ms }: Extract<Action, { type: 'startTimer' }>): string {
  switch (timer) {
    case 'deadline':
      return formatSummaryLine([
        `time limit · ${formatExactDuration(state.agent?.limits.timeMs ?? ms)}`,
        formatTimeLeft(state, ms),
      ]);
    case 'retry':
      if (isRequeued(state)) return `${formatDuration(ms)} before another worker gets the operation`;
      return state.flight.kind === 'taskRetry'
        ? `${state.steps + 1} · ${formatDuration(ms)} before a task is retried`
        : `${state.steps + 1} · ${formatDuration(ms)} before attempt ${state.attempt} at the model call`;
    case 'request':
      return `waiting for a person · ${formatLongDuration(ms)}`;
    case 'wait':
      if (listOpenWaits(state).length === 0)
        return `${state.steps} · ${formatDuration(ms)} before the next attempt at a call`;
      return `${state.steps} · waiting ${formatLongDuration(ms)}${hasOnlySignalWaits(state) ? ' at most, for a signal' : ''}`;
    case 'messages':
      return `${formatCount(state.history.deferred ?? 0)} commands wait for the next turn`;
    case 'grace':
      return `${formatDuration(ms)} for running operations to stop`;
  }
}

function hasOnlySignalWaits(state: ChainState): boolean {
  return listOpenWaits(state).every(({ wait }) => wait.signal !== null);
}

/** The time left differs after the limit was paused or raised. */
function formatTimeLeft({ waitingTime }: ChainState, ms: number): string {
  return waitingTime.uncountedMs === 0 ? '' : `${formatDuration(ms)} left`;
}

function formatSummaryLine(parts: readonly string[]): string {
  return toSummary(parts.filter((part) => part !== '').join(' · '));
}

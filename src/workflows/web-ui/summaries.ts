/** The line that Temporal's Web UI shows beside an activity: at most 400 bytes, about 120 characters seen. */

import { toSummary } from '../../contract/temporal-limits.js';
import { formatDuration, formatExactDuration, formatLongDuration } from '../../core/lib/display.js';
import type { Action } from '../../core/model/action.js';
import type { ChainState, PendingCall } from '../../core/model/state.js';
import type { SnippetMasker } from '../../core/view/snippet-masker.js';

/** `3 · claude-sonnet-5-5`; an attempt after the first and the summing-up say so. */
export function formatModelSummary(state: ChainState, action: Extract<Action, { type: 'callModel' }>): string {
  const step = action.purpose === 'closing' ? 'summing up' : String(state.steps + 1);
  const attempt = action.attempt > 1 ? ` · attempt ${action.attempt}` : '';
  return formatSummaryLine([step + attempt, state.agent?.model.name ?? state.input?.agent ?? '']);
}

/** `3 · I need the weather in Paris · {"city":"Paris"}` */
export function formatToolSummary(state: ChainState, call: PendingCall, shown: SnippetMasker): string {
  return formatSummaryLine([
    String(state.steps),
    shown.line(state.partialFindings.thought, 60),
    shown.value(call.tool, call.input, 60),
  ]);
}

/** What the chain waits for, and how long at most. */
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
      if (state.flight.kind === 'retry' && state.flight.task !== undefined) {
        return `${state.steps + 1} · ${formatDuration(ms)} before a task is tried again`;
      }
      return `${state.steps + 1} · ${formatDuration(ms)} before attempt ${state.attempt} at the model`;
    case 'request':
      return `a person is waited for · ${formatLongDuration(ms)}`;
    case 'grace':
      return `${formatDuration(ms)} for what runs to stop`;
  }
}

/** The limit's time has stood still since the timer was last set, or more was given. */
function formatTimeLeft({ waitingTime }: ChainState, ms: number): string {
  return waitingTime.ms === 0 ? '' : `${formatDuration(ms)} left`;
}

function formatSummaryLine(parts: readonly string[]): string {
  return toSummary(parts.filter((part) => part !== '').join(' · '));
}

/** The line that Temporal's Web UI shows beside an activity: at most 400 bytes, about 120 characters seen. */

import { toSummary } from '../../contract/temporal-limits.js';
import { duration, durationExact, longDuration } from '../../core/lib/display.js';
import type { Action } from '../../core/model/action.js';
import type { PendingCall, State } from '../../core/model/state.js';
import type { Shown } from '../../core/view/snippet-masker.js';

/** `3 · claude-sonnet-5-5`; an attempt after the first and the summing-up say so. */
export function modelSummary(state: State, action: Extract<Action, { type: 'callModel' }>): string {
  const step = action.purpose === 'closing' ? 'summing up' : String(state.steps + 1);
  const attempt = action.attempt > 1 ? ` · attempt ${action.attempt}` : '';
  return line([step + attempt, state.agent?.model.name ?? state.input?.agent ?? '']);
}

/** `3 · I need the weather in Paris · {"city":"Paris"}` */
export function toolSummary(state: State, call: PendingCall, shown: Shown): string {
  return line([String(state.steps), shown.line(state.found.thought, 60), shown.value(call.tool, call.input, 60)]);
}

/** What the chain waits for, and how long at most. */
export function timerSummary(state: State, action: Extract<Action, { type: 'startTimer' }>): string {
  return line([timerText(state, action)]);
}

function timerText(state: State, { timer, ms }: Extract<Action, { type: 'startTimer' }>): string {
  switch (timer) {
    case 'deadline':
      return line([`time limit · ${durationExact(state.agent?.limits.timeMs ?? ms)}`, left(state, ms)]);
    case 'retry':
      if (state.flight.kind === 'retry' && state.flight.task !== undefined) {
        return `${state.steps + 1} · ${duration(ms)} before a task is tried again`;
      }
      return `${state.steps + 1} · ${duration(ms)} before attempt ${state.attempt} at the model`;
    case 'ask':
      return `a person is waited for · ${longDuration(ms)}`;
    case 'grace':
      return `${duration(ms)} for what runs to stop`;
  }
}

/** The limit's time has stood still since the timer was last set, or more was given. */
function left({ waited }: State, ms: number): string {
  return waited.ms === 0 ? '' : `${duration(ms)} left`;
}

function line(parts: readonly string[]): string {
  return toSummary(parts.filter((part) => part !== '').join(' · '));
}

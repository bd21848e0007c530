/** Records that an action started. No event of the history does: workflow and readers derive it from `decide`. */

import { type Action, type ChainState, changeState, isAside, type PendingCall } from '../model/index.js';
import { toNextRunState } from './continue-as-new.js';
import { beginChildAction } from './delegation/child-actions.js';
import { forgetFutileCalls } from './state/earlier-calls.js';

export function begin(state: ChainState, action: Action): ChainState {
  switch (action.type) {
    case 'prepare':
      return changeState(state, { flight: { kind: 'preparing' } });
    case 'callModel': {
      const { call, purpose, reservation, models } = action;
      return changeState(state.hasUnreadMessages && !isAside(purpose) ? forgetFutileCalls(state) : state, {
        reservation: null,
        ...(isAside(purpose)
          ? { asides: (state.asides ?? 0) + 1 }
          : { modelCalls: state.modelCalls + 1, hasUnreadMessages: false }),
        // The last call is a new operation: an earlier interrupt does not cancel it.
        stop: state.stop === null ? null : { ...state.stop, interrupt: 'none' },
        flight: {
          kind: 'model',
          call,
          purpose,
          reservation,
          ...(models === undefined ? {} : { models }),
          startedAt: state.now,
        },
      });
    }
    case 'runCalls':
      if (state.flight.kind !== 'calls') return state;
      return changeState(state, {
        hasUnsafeCalls: state.hasUnsafeCalls || action.calls.some(({ effects }) => effects === 'unsafe'),
        flight: {
          ...state.flight,
          calls: state.flight.calls.map((call) => (call.progress === 'ready' ? beginCall(call, action.local) : call)),
        },
      });
    case 'startChildren':
    case 'readChildren':
    case 'score':
      return beginChildAction(state, action);
    case 'startTimer':
      switch (action.timer) {
        case 'retry':
          return changeState(state, { timers: { ...state.timers, retry: true } });
        case 'deadline':
          return changeState(state, { timers: { ...state.timers, deadline: true } });
        case 'request':
          return changeState(state, { timers: { ...state.timers, request: state.now + action.ms } });
        case 'wait':
          return changeState(state, { timers: { ...state.timers, wait: state.now + action.ms } });
        case 'grace':
          return changeState(state, { timers: { ...state.timers, grace: true } });
        case 'messages':
          return changeState(state, { timers: { ...state.timers, messages: true } });
      }
      break;
    case 'cancelTimer':
      return changeState(state, {
        timers: { ...state.timers, ...(action.timer === 'wait' ? { wait: null } : { retry: false }) },
      });
    case 'interrupt':
      return state.stop === null ? state : changeState(state, { stop: { ...state.stop, interrupt: 'sent' } });
    case 'continueAsNew':
      return toNextRunState(state);
    case 'end':
      return state;
  }
}

/** A check counts for one start: a call that a person has run again is checked again. */
function beginCall({ checked: _, ...call }: PendingCall, local: true | undefined): PendingCall {
  return { ...call, progress: 'running', ...(local ? { localRun: 'running' } : {}) };
}

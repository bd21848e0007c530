/** What each fact means by itself. The rules that hold after every fact are in advance.ts. */

import { onDirected } from '../approvals/advance-direction.js';
import { onChildEnded, onChildRead, onScored } from '../delegation/advance-children.js';
import type { Fact, TimerName } from '../model/fact.js';
import type { State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { idle } from '../state/flight.js';
import { onObservation, onToolFailure } from './advance-calls.js';
import { onCancel, onDeadline, onGrace } from './advance-cancel.js';
import { failModelCall } from './fail-model-call.js';
import { beginWithCall, prepare, prepareFailed } from './prepare.js';
import { start } from './start.js';
import { takeReply } from './take-reply.js';

export function applyFact(state: State, fact: Fact): Advance {
  const { agent } = state;
  switch (fact.type) {
    case 'started':
      return state.input === null ? start(state, fact) : emit(state);
    case 'continued':
      return emit(state);
    case 'prepared':
      return prepare(state, fact.agent);
    case 'begun':
      return awaitsModel(state, fact.call) ? beginWithCall(state, fact) : emit(state);
    case 'prepareFailed':
      return prepareFailed(state, fact.failure);
    case 'modelReplied':
      return awaitsModel(state, fact.call) ? takeReply(state, fact.reply) : emit(state);
    case 'modelFailed':
      return awaitsModel(state, fact.call) ? failModelCall(state, fact.failure) : emit(state);
    case 'toolReturned':
      return agent === null ? emit(state) : onObservation(state, agent, fact.call, fact.observation);
    case 'toolFailed':
      return agent === null ? emit(state) : onToolFailure(state, agent, fact.call, fact.failure);
    case 'childEnded':
      return agent === null ? emit(state) : onChildEnded(state, agent, fact.chainId, fact.end);
    case 'childRead':
      return agent === null ? emit(state) : onChildRead(state, agent, fact.chainId, fact.report);
    case 'scored':
      return onScored(state, fact.call, fact.scores);
    case 'timerFired':
      return onTimer(state, fact.timer);
    case 'cancelRequested':
      return onCancel(state, fact);
    case 'directed':
      return onDirected(state, fact);
  }
}

/** Whether it is the call of the model that is under way: a late result of an abandoned one is not. */
function awaitsModel({ flight }: State, call: string): boolean {
  return flight.kind === 'model' && flight.call === call;
}

function onTimer(state: State, timer: TimerName): Advance {
  switch (timer) {
    case 'retry':
      return emit(state.flight.kind === 'retry' ? idle(state) : state);
    case 'deadline':
      return onDeadline(state);
    case 'grace':
      return onGrace(state);
    case 'ask':
      // What was due has been settled; the next one is set when it is known.
      return emit({ ...state, timers: { ...state.timers, ask: null } });
  }
}

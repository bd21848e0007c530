/**
 * What each fact means by itself. A start may hold anything: without what a chain needs, it ends before it begins. The rules
 * that hold after every fact are in advance.ts.
 */

import { onDirected } from '../approvals/advance-direction.js';
import { onChildEnded, onChildRead, onScored } from '../delegation/advance-children.js';
import { isTooDeepInput } from '../lib/cut-deep.js';
import { isObject, type JsonObject } from '../lib/json.js';
import { type ChainInput, type Fact, isKnownRules, type TimerName, unknownRules } from '../model/fact.js';
import { isLineage } from '../model/lineage.js';
import { emptyState, type State } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { idle } from '../state/flight.js';
import { stopWith } from '../state/stop.js';
import { onObservation, onToolFailure } from './advance-calls.js';
import { onCancel, onDeadline, onGrace } from './advance-cancel.js';
import { beginWithCall, prepare, prepareFailed } from './prepare.js';
import { failModelCall } from './provider-failure.js';
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

export function start(state: State, { chainId, input, at }: Extract<Fact, { type: 'started' }>): Advance {
  const own = withoutOrigin(input);
  const { now, history, facts, head } = state;
  // Facts of the same task may have come before it.
  const started = emit(
    { ...emptyState, ...{ now, history, facts, head }, input: own, chainId, startedAt: at },
    { type: 'started', at, input: own },
  );
  const wrong = problemWithInput(input);
  return wrong === null ? started : andThen(started, (next) => stopWith(next, 'failure', wrong));
}

/** Which of what a chain cannot do without is missing, as the reason of its end. */
function problemWithInput(input: unknown): StopReason | null {
  if (isTooDeepInput(input)) return { code: 'nested_start' };
  const said: JsonObject = isObject(input) ? input : {};
  const { rules = null, agent, task, lineage } = said;
  if (!isKnownRules(rules)) return unknownRules(rules);
  if (typeof agent !== 'string' || typeof task !== 'string') return { code: 'incomplete_start' };
  const wrong = ofCaller.find((member) => !isTextOrNone(said[member]));
  if (wrong !== undefined) return { code: 'invalid_start', member: wrong };
  return lineage === undefined || isLineage(lineage) ? null : { code: 'invalid_lineage' };
}

const ofCaller = ['model', 'tenant', 'user'] as const;

function isTextOrNone(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

/** What it carries of another chain is read once, by `adopt`. */
function withoutOrigin(input: ChainInput): ChainInput {
  // A state that is nested too deeply could not be written.
  if (isTooDeepInput(input))
    return { rules: 0, agent: '', task: '', model: null, limits: {}, tenant: null, user: null, roles: [] };
  if (!isObject(input) || input.origin === undefined) return input;
  const { origin: _, ...own } = input;
  return own;
}

/**
 * How a chain changes: one fact in, the next state out, with what readers are told of it. The workflow
 * and every reader advance by this function, so they agree (L1). It never throws, whatever it is given.
 */

import { onDirected, takeEarly } from '../approvals/advance-direction.js';
import { stopAtBreakpoints } from '../approvals/hold.js';
import { onChildEnded, onChildRead, onScored, provideForChildren } from '../delegation/advance-children.js';
import { chargeLost } from '../delegation/first-attempt.js';
import { takeHypothesis } from '../delegation/hypothesis.js';
import { prepareInTree } from '../delegation/prepare-in-tree.js';
import { isTooDeepInput } from '../lib/cut-deep.js';
import { asText, isObject, type JsonObject, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { ChainInput, Fact, Failure, FirstCall, TimerName } from '../model/fact.js';
import { isLineage } from '../model/lineage.js';
import { isReservation } from '../model/plausible-usage.js';
import { isKnownRules, unknownRules } from '../model/rules.js';
import { emptyState, type Flight, type Reservation, type State } from '../model/state.js';
import { beginPlan } from '../plan/begin-plan.js';
import { settleDue } from '../state/asks-due.js';
import { preambleTokens, reserve } from '../state/budget.js';
import { type Entry, notice } from '../state/entry.js';
import { idle } from '../state/flight.js';
import { contextOnceAdopted } from '../state/forked.js';
import * as reasons from '../state/reasons.js';
import { type Advance, inFlight, stopWith } from '../state/stop.js';
import { clockWaiting, workedMs } from '../state/working-time.js';
import { onObservation, onToolFailure } from './advance-calls.js';
import { onCancel, onGrace } from './advance-cancel.js';
import { onModelFailure, onReply } from './advance-reply.js';
import { enforceLimits } from './enforce.js';
import { type Hashing, nextHead } from './head.js';

export function advance(state: State, fact: Fact, hashing?: Hashing): Advance {
  const hashed: State = { ...state, now: fact.at, facts: state.facts + 1, head: nextHead(state.head, fact, hashing) };
  return inTurn(hashed, [
    settleDue,
    (due) => apply(due, fact),
    provideForChildren,
    enforceLimits,
    stopAtBreakpoints,
    atTheClock,
  ]);
}

function inTurn(state: State, rules: readonly ((state: State) => Advance)[]): Advance {
  let next = state;
  const entries: Entry[] = [];
  for (const rule of rules) {
    const advanced = rule(next);
    next = advanced.state;
    if (advanced.entries.length > 0) entries.push(...advanced.entries);
  }
  return { state: next, entries };
}

function atTheClock(state: State): Advance {
  return { state: clockWaiting(state), entries: [] };
}

function apply(state: State, fact: Fact): Advance {
  switch (fact.type) {
    case 'started':
      if (state.input !== null) return { state, entries: [] };
      return onStarted(state, fact);
    case 'continued':
      return { state, entries: [] };
    case 'prepared':
      return onPrepared(state, fact.agent);
    case 'begun': {
      const flight = modelFlight(state, fact.call);
      return flight?.purpose === 'first' ? onBegun(state, flight, fact) : { state, entries: [] };
    }
    case 'prepareFailed':
      return onPrepareFailed(state, fact.failure);
    case 'modelReplied': {
      const flight = modelFlight(state, fact.call);
      if (flight === null || state.agent === null) return { state, entries: [] };
      return onReply(state, flight, state.agent, fact.reply);
    }
    case 'modelFailed': {
      const flight = modelFlight(state, fact.call);
      if (flight === null) return { state, entries: [] };
      return onModelFailure(state, flight, fact.failure);
    }
    case 'toolReturned':
      if (state.agent === null) return { state, entries: [] };
      return onObservation(state, state.agent, fact.call, fact.observation);
    case 'toolFailed':
      if (state.agent === null) return { state, entries: [] };
      return onToolFailure(state, state.agent, fact.call, fact.failure);
    case 'childEnded':
      if (state.agent === null) return { state, entries: [] };
      return onChildEnded(state, state.agent, fact.chainId, fact.end);
    case 'childRead':
      if (state.agent === null) return { state, entries: [] };
      return onChildRead(state, state.agent, fact.chainId, fact.report);
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

/** What a chain is started with, anyone may have written: without rules that are known it ends before it begins. */
function onStarted(state: State, { chainId, input, at }: Extract<Fact, { type: 'started' }>): Advance {
  const own = withoutOrigin(input);
  const started: State = { ...emptyState, ...pick(state), input: own, chainId, startedAt: at };
  const entries: Entry[] = [{ type: 'started', at, input: own }];
  const wrong = problemWithInput(input);
  if (wrong === null) return { state: started, entries };
  const stopped = stopWith(started, 'failure', wrong);
  return { state: stopped.state, entries: [...entries, ...stopped.entries] };
}

/** Which of what a chain cannot do without is missing, as the reason of its end. */
function problemWithInput(input: unknown): string | null {
  if (isTooDeepInput(input)) return reasons.nestedStart;
  const said: JsonObject = isObject(input) ? input : {};
  const { rules = null, agent, task, lineage } = said;
  if (!isKnownRules(rules)) return unknownRules(rules);
  if (typeof agent !== 'string' || typeof task !== 'string') return reasons.noTask;
  const wrong = ofCaller.find((member) => !isTextOrNone(said[member]));
  if (wrong !== undefined) return reasons.badStart(wrong);
  return lineage === undefined || isLineage(lineage) ? null : reasons.noLineage;
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

function onPrepared(state: State, snapshot: State['agent']): Advance {
  if (snapshot === null || state.agent !== null || state.input === null) return { state, entries: [] };
  const { agent, wrong } = prepareInTree(state.input, snapshot);
  const prepared: State = {
    ...idle(state),
    agent,
    spent: { tokens: 0, usd: agent.model.price === null ? null : 0 },
    context:
      state.origin === null
        ? {
            tokens: 0,
            newBytes: agent.promptBytes + utf8Bytes(taskOf(state.input)) + preambleTokens + state.context.newBytes,
          }
        : contextOnceAdopted(state, state.origin, agent),
  };
  const told: Entry = { type: 'prepared', at: state.now, agent };
  const { origin } = state;
  const other = origin !== null && origin.strategy !== agent.strategy.name ? origin : null;
  const reason = other === null ? wrong : reasons.otherStrategy(other, agent);
  const begun = reason === null ? prepared : stopWith(prepared, 'failure', reason).state;
  const plan = beginPlan(begun, agent);
  const tried = takeHypothesis(plan.state);
  const heard = takeEarly(chargeLost(state, tried.state));
  return { state: heard.state, entries: [told, ...plan.entries, ...tried.entries, ...heard.entries] };
}

/** The agent first, as if it had been prepared alone, then what people said since its model was called, then what that said. */
function onBegun(
  state: State,
  { heard = 0, ...under }: ModelFlight,
  { agent: snapshot, first }: Extract<Fact, { type: 'begun' }>,
): Advance {
  if (first === null) return onPrepared(state, snapshot);
  const prepared = onPrepared({ ...state, early: state.early.slice(0, heard) }, snapshot);
  const { agent } = prepared.state;
  if (agent === null) return prepared;
  const flight: ModelFlight = { ...under, purpose: 'step', reservation: reservedBy(first, prepared.state, agent) };
  const calling: State = { ...prepared.state, flight, unheard: false, early: state.early.slice(heard) };
  const since = takeEarly(calling);
  const { came } = first;
  const then =
    came.status === 'replied'
      ? onReply(since.state, flight, agent, came.reply)
      : onModelFailure(since.state, flight, came.failure);
  return { state: then.state, entries: [...prepared.entries, ...since.entries, ...then.entries] };
}

/** L6: what the activity says that it reserved; what cannot be a reservation is what the chain itself would reserve. */
function reservedBy({ reservation }: FirstCall, state: State, agent: AgentSnapshot): Reservation {
  if (isReservation(reservation)) return reservation;
  const budget = reserve(state, agent, 'step');
  return budget.ok ? budget.reservation : budget.needed;
}

/** What people have said by then is told not to be taken. */
function onPrepareFailed(state: State, { message }: Failure): Advance {
  if (state.agent !== null) return { state, entries: [] };
  const stopped = stopWith(idle(state), 'failure', `The agent could not be prepared: ${message}`);
  const heard = takeEarly(stopped.state);
  return { state: heard.state, entries: [...stopped.entries, ...heard.entries] };
}

/** Also of what ended as unreadable, should it be prepared all the same. */
function taskOf({ task }: { readonly task?: string }): string {
  return asText(task ?? '');
}

function onTimer(state: State, timer: TimerName): Advance {
  switch (timer) {
    case 'retry':
      return { state: state.flight.kind === 'retry' ? idle(state) : state, entries: [] };
    case 'deadline':
      return onDeadline(state);
    case 'grace':
      return onGrace(state);
    case 'ask':
      // What was due has been settled; the next one is set when it is known.
      return { state: { ...state, timers: { ...state.timers, ask: null } }, entries: [] };
  }
}

function onDeadline(state: State): Advance {
  if (state.agent === null) return { state, entries: [] };
  // People were waited for, or the limit was raised: there is time left.
  if (state.stop === null && workedMs(state) < state.agent.limits.timeMs) {
    return { state: { ...state, timers: { ...state.timers, deadline: false } }, entries: [] };
  }
  const reason = reasons.timeLimit(state.agent, inFlight(state));
  // A chain that is ending already still waits for its calls: no longer than this.
  if (state.stop !== null && state.flight.kind === 'calls') {
    return stopWith(state, 'timeout', reason, { interrupt: true });
  }
  if (state.stop !== null) return { state, entries: [] };
  const stopped = stopWith(state, 'timeout', reason, { closing: true, interrupt: true });
  return { state: stopped.state, entries: [notice(state, 'limit', reason), ...stopped.entries] };
}

type ModelFlight = Extract<Flight, { kind: 'model' }>;

function modelFlight(state: State, call: string): ModelFlight | null {
  return state.flight.kind === 'model' && state.flight.call === call ? state.flight : null;
}

/** What the first fact does not reset: it may be applied with others of its task. */
function pick(state: State): Pick<State, 'now' | 'history' | 'facts' | 'head'> {
  const { now, history, facts, head } = state;
  return { now, history, facts, head };
}

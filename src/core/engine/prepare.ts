/** How a chain gets its agent: prepared alone, or on the way to the first reply. */

import { hearEarly } from '../approvals/advance-direction.js';
import { chargeLost, prepareInTree, takeHypothesis } from '../delegation/begin-in-tree.js';
import { asText, utf8Bytes } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Fact, Failure, FirstCall } from '../model/fact.js';
import type { OriginRef } from '../model/origin.js';
import type { State } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { isReservation, type Reservation } from '../model/usage.js';
import { beginPlan } from '../plan/advance-plan.js';
import { type Advance, andThen, applyRules, emit, type Rule } from '../state/advance.js';
import { preambleTokens, reserve } from '../state/budget.js';
import { idle } from '../state/flight.js';
import { contextOnceAdopted } from '../state/forked.js';
import { stopWith } from '../state/stop.js';
import { failModelCall } from './provider-failure.js';
import { takeReply } from './take-reply.js';

export function prepare(state: State, snapshot: AgentSnapshot | null): Advance {
  return applyRules(state, rulesOf(state, snapshot, state.early.length));
}

/** The agent first, as if it had been prepared alone, then what people said since its model was called, then what that said. */
export function beginWithCall(state: State, { agent, first }: Extract<Fact, { type: 'begun' }>): Advance {
  const { flight } = state;
  if (flight.kind !== 'model' || flight.purpose !== 'first') return emit(state);
  if (first === null) return prepare(state, agent);
  const { heard = 0, ...under } = flight;
  const { came } = first;
  return applyRules(state, [
    ...rulesOf(state, agent, heard),
    (next) =>
      emit({ ...next, unheard: false, flight: { ...under, purpose: 'step', reservation: reserved(next, first) } }),
    hearEarly,
    (next) => (came.status === 'replied' ? takeReply(next, came.reply) : failModelCall(next, came.failure)),
  ]);
}

/** What people have said by then is told not to be taken. */
export function prepareFailed(state: State, { message }: Failure): Advance {
  if (state.agent !== null) return emit(state);
  return applyRules(idle(state), [(next) => stopWith(next, 'failure', { code: 'not_prepared', message }), hearEarly]);
}

/** @param heard how much of what people have said was known to the first call of the model */
function rulesOf({ agent, input }: State, snapshot: AgentSnapshot | null, heard: number): readonly Rule[] {
  if (snapshot === null || agent !== null || input === null) return [];
  return [
    (state) => takeAgent(state, snapshot),
    beginPlan,
    takeHypothesis,
    chargeLost,
    (state) => hearEarly(state, heard),
  ];
}

function takeAgent(state: State, snapshot: AgentSnapshot): Advance {
  const { input, origin } = state;
  if (input === null) return emit(state);
  const { agent, wrong } = prepareInTree(input, snapshot);
  const prepared: State = { ...idle(state), agent, context: firstContext(state, agent) };
  const told = emit(prepared, { type: 'prepared', at: state.now, agent });
  const reason = origin === null ? wrong : (otherStrategy(origin, agent) ?? wrong);
  return reason === null ? told : andThen(told, (next) => stopWith(next, 'failure', reason));
}

function otherStrategy({ chainId, strategy }: OriginRef, { name, strategy: own }: AgentSnapshot): StopReason | null {
  if (strategy === own.name) return null;
  return { code: 'other_strategy', origin: chainId, was: strategy, agent: name, now: own.name };
}

function firstContext(state: State, agent: AgentSnapshot): State['context'] {
  const { input, origin, context } = state;
  if (origin !== null) return contextOnceAdopted(state, origin, agent);
  // Also of what ended as unreadable, should it be prepared all the same.
  const task = asText((input as { readonly task?: string } | null)?.task ?? '');
  return { tokens: 0, newBytes: agent.promptBytes + utf8Bytes(task) + preambleTokens + context.newBytes };
}

/** L6: what the activity says that it reserved; what cannot be a reservation is what the chain itself would reserve. */
function reserved(state: State, { reservation }: FirstCall): Reservation {
  if (state.agent === null || isReservation(reservation)) return reservation;
  const budget = reserve(state, state.agent, 'step');
  return budget.ok ? budget.reservation : budget.needed;
}

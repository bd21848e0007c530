/** How a chain gets its agent: prepared alone, or on the way to the first reply. */

import { applyPendingCommands } from '../approvals/advance-command.js';
import { addHypothesis, chargeLostAttempt, prepareInTree } from '../delegation/sub-chain-start.js';
import { countUtf8Bytes, toValueText } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Fact, FailureDetails, FirstCall } from '../model/fact.js';
import type { OriginRef } from '../model/origin.js';
import type { ChainState } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { isReservation, type Reservation } from '../model/usage.js';
import { beginPlan } from '../plan/advance-plan.js';
import { type Advance, andThen, applyRules, emit, type Rule } from '../state/advance.js';
import { preambleTokens, reserve } from '../state/budget.js';
import { endFlight } from '../state/flight.js';
import { computeAdoptedContext } from '../state/fork.js';
import { stopChain } from '../state/stop.js';
import { applyReply } from './apply-reply.js';
import { applyModelFailure } from './provider-failure.js';

export function applyPrepared(state: ChainState, snapshot: AgentSnapshot | null): Advance {
  return applyRules(state, createPreparationRules(state, snapshot, state.pendingCommands.length));
}

/** The agent first, as if it had been prepared alone, then what people said since its model was called, then what that said. */
export function applySubChainPrepared(
  state: ChainState,
  { agent, first }: Extract<Fact, { type: 'subChainPrepared' }>,
): Advance {
  const { flight } = state;
  if (flight.kind !== 'model' || flight.purpose !== 'first') return emit(state);
  if (first === null) return applyPrepared(state, agent);
  const { messageCount = 0, ...under } = flight;
  const { result } = first;
  return applyRules(state, [
    ...createPreparationRules(state, agent, messageCount),
    (next) =>
      emit({
        ...next,
        hasUnreadMessages: false,
        flight: { ...under, purpose: 'step', reservation: getReportedReservation(next, first) },
      }),
    applyPendingCommands,
    (next) => (result.status === 'replied' ? applyReply(next, result.reply) : applyModelFailure(next, result.failure)),
  ]);
}

/** What people have said by then is told not to be taken. */
export function applyPrepareFailure(state: ChainState, { message }: FailureDetails): Advance {
  if (state.agent !== null) return emit(state);
  return applyRules(endFlight(state), [
    (next) => stopChain(next, 'failure', { code: 'not_prepared', message }),
    applyPendingCommands,
  ]);
}

/** @param heard how much of what people have said was known to the first call of the model */
function createPreparationRules(
  { agent, input }: ChainState,
  snapshot: AgentSnapshot | null,
  heard: number,
): readonly Rule[] {
  if (snapshot === null || agent !== null || input === null) return [];
  return [
    (state) => setAgent(state, snapshot),
    beginPlan,
    addHypothesis,
    chargeLostAttempt,
    (state) => applyPendingCommands(state, heard),
  ];
}

function setAgent(state: ChainState, snapshot: AgentSnapshot): Advance {
  const { input, origin } = state;
  if (input === null) return emit(state);
  const { agent, problem } = prepareInTree(input, snapshot);
  const prepared: ChainState = { ...endFlight(state), agent, context: computeFirstContext(state, agent) };
  const told = emit(prepared, { type: 'agent-prepared', at: state.now, agent });
  const reason = origin === null ? problem : (findStrategyMismatch(origin, agent) ?? problem);
  return reason === null ? told : andThen(told, (next) => stopChain(next, 'failure', reason));
}

function findStrategyMismatch(
  { chainId, strategy }: OriginRef,
  { name, strategy: own }: AgentSnapshot,
): StopReason | null {
  if (strategy === own.name) return null;
  return { code: 'other_strategy', origin: chainId, was: strategy, agent: name, now: own.name };
}

function computeFirstContext(state: ChainState, agent: AgentSnapshot): ChainState['context'] {
  const { input, origin, context } = state;
  if (origin !== null) return computeAdoptedContext(state, origin, agent);
  // Also of what ended as unreadable, should it be prepared all the same.
  const task = toValueText((input as { readonly task?: string } | null)?.task ?? '');
  return { tokens: 0, newBytes: agent.promptBytes + countUtf8Bytes(task) + preambleTokens + context.newBytes };
}

/** L6: what the activity says that it reserved; what cannot be a reservation is what the chain itself would reserve. */
function getReportedReservation(state: ChainState, { reservation }: FirstCall): Reservation {
  if (state.agent === null || isReservation(reservation)) return reservation;
  const budget = reserve(state, state.agent, 'step');
  return budget.ok ? budget.reservation : budget.needed;
}

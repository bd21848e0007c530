/** Applies the agent's preparation: alone, or together with the first reply. */

import { applyPendingCommands } from '../approvals/advance-command.js';
import { addHypothesis, chargeLostAttempt, prepareInTree } from '../delegation/sub-chain-start.js';
import type { Sha256 } from '../lib/digest.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Fact, FailureDetails, FirstCall } from '../model/fact.js';
import type { OriginRef } from '../model/origin.js';
import { type ChainState, changeState } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { isReservation, type Reservation } from '../model/usage.js';
import { beginPlan } from '../plan/advance-plan.js';
import { type Advance, andThen, applyRules, emit, type Rule, unchanged } from '../state/advance.js';
import { boundFirstRequest, reserve } from '../state/budget.js';
import { endFlight } from '../state/flight.js';
import { computeAdoptedContext } from '../state/fork.js';
import { resetBounds } from '../state/request-bound.js';
import { listCandidateNames } from '../state/route.js';
import { stopChain } from '../state/stop.js';
import { applyReply } from './apply-reply.js';
import { applyModelFailure, waitForStore } from './provider-failure.js';

export function applyPrepared(state: ChainState, snapshot: AgentSnapshot | null): Advance {
  return applyRules(state, createPreparationRules(state, snapshot, state.pendingCommands.length));
}

/** Applies the agent as if prepared alone, then messages that arrived since the model call, then its reply. */
export function applySubChainPrepared(
  state: ChainState,
  { agent, first }: Extract<Fact, { type: 'subChainPrepared' }>,
  computeSha256: Sha256,
): Advance {
  const { flight } = state;
  if (flight.kind !== 'model' || flight.purpose !== 'first') return unchanged(state);
  if (first === null) return applyPrepared(state, agent);
  const { commandCount = 0, ...callInFlight } = flight;
  const { result } = first;
  return applyRules(state, [
    ...createPreparationRules(state, agent, commandCount),
    (next) =>
      emit(
        changeState(next, {
          hasUnreadMessages: false,
          flight: {
            ...callInFlight,
            ...(agent.routing === undefined ? {} : { models: listCandidateNames(next, agent, 'step') }),
            purpose: 'step',
            reservation: getReportedReservation(next, first),
          },
        }),
      ),
    applyPendingCommands,
    (next) =>
      result.status === 'replied'
        ? applyReply(next, result.reply, computeSha256)
        : applyModelFailure(next, result.failure),
  ]);
}

/** Applies a failed preparation. Where the chain ends, pending commands are rejected with notices. */
export function applyPrepareFailure(state: ChainState, failure: FailureDetails): Advance {
  if (state.agent !== null) return unchanged(state);
  if (failure.type === 'StoreUnavailable' && state.stop === null) return waitForStore(state, failure);
  const { message } = failure;
  return applyRules(endFlight(state), [
    (next) => stopChain(next, 'failure', { code: 'not_prepared', message }),
    applyPendingCommands,
  ]);
}

/** @param commandCount number of pending commands that the first model call included */
function createPreparationRules(
  { agent, input }: ChainState,
  snapshot: AgentSnapshot | null,
  commandCount: number,
): readonly Rule[] {
  if (snapshot === null || agent !== null || input === null) return [];
  return [
    (state) => setAgent(state, snapshot),
    beginPlan,
    addHypothesis,
    chargeLostAttempt,
    (state) => applyPendingCommands(state, commandCount),
  ];
}

function setAgent(state: ChainState, snapshot: AgentSnapshot): Advance {
  const { input, origin } = state;
  if (input === null) return unchanged(state);
  const { agent, problem } = prepareInTree(input, snapshot);
  const context = computeFirstContext(state, agent);
  const prepared: ChainState = changeState(resetBounds(endFlight(state), agent, context), {
    agent,
    attempt: 1,
    failing: null,
    tried: [],
  });
  const entry = emit(prepared, { type: 'agent-prepared', at: state.now, agent });
  const reason = origin === null ? problem : (findStrategyMismatch(origin, agent) ?? problem);
  return reason === null ? entry : andThen(entry, (next) => stopChain(next, 'failure', reason));
}

function findStrategyMismatch(
  { chainId, strategy }: OriginRef,
  { name, strategy: own }: AgentSnapshot,
): StopReason | null {
  if (strategy === own.name) return null;
  return { code: 'other_strategy', origin: chainId, was: strategy, agent: name, now: own.name };
}

function computeFirstContext(state: ChainState, agent: AgentSnapshot): ChainState['context'] {
  const { origin, context } = state;
  if (origin !== null) return computeAdoptedContext(state, origin, agent);
  return { tokens: 0, newBytes: boundFirstRequest(state, agent) + context.newBytes };
}

/** L6: the reservation that the activity reported, or the chain's own where that is invalid. */
function getReportedReservation(state: ChainState, { reservation }: FirstCall): Reservation {
  if (state.agent === null || isReservation(reservation)) return reservation;
  const budget = reserve(state, state.agent, 'step');
  return budget.ok ? budget.reservation : budget.needed;
}

/**
 * L6: a model call is made only if the budget can pay for it.
 *
 * 1. Before a call, its highest cost is reserved. Its input is bounded by the tokens of the last call plus the UTF-8 bytes
 *    added since, its output by `maxTokens`. The first call is bounded by its bytes, or by the provider's count. Where a call
 *    may go to one of several models, the highest bound and the highest prices apply.
 * 2. `maxTokens` is lowered to what the budget can pay, though not below `minTokens`.
 * 3. A reservation for one last call that sums up stays inside the limit until it is used. It has the bounds of that call
 *    (request-bound.ts), so it pays for it, unless the step before adds more than its own reservation leaves over.
 * 4. Charges of ended sub-chains and shares of open ones count as well (budget-tree.ts).
 * 5. After a call, the reservation is replaced by the reported usage, or charged in full where no plausible usage was
 *    reported (model/usage.ts).
 */

import { countUtf8Bytes, shorten, toCanonicalJson } from '../../lib/index.js';
import {
  type AgentSnapshot,
  addUsage,
  addUsd,
  type CallRoute,
  type ChainState,
  changeState,
  checkUsage,
  computeCost,
  computeMaxCost,
  computeMinUsage,
  countInputTokens,
  countTotalTokens,
  findHighestRates,
  isOptionalAside,
  type ModelCallPurpose,
  type ModelFailure,
  type ModelReply,
  noUsage,
  type Price,
  type ReplyBlock,
  type Reservation,
  type Usage,
} from '../../model/index.js';
import { computeCommittedUse } from './budget-tree.js';
import { addToLastStep, countTaskBytes, stepOverheadBytes } from './conversation-size.js';
import { addToModelTotals, type Charge, getCalledModel } from './model-totals.js';
import { addToBounds, boundCall, boundRequest, type CallBound, measureBounds } from './request-bound.js';
import { getCallPrice, listFlightModels } from './route.js';

/** Tokens that a provider may add to the first request, such as a preamble for tools. Later usage includes them. */
export const preambleTokens = 1_024;

/** Bytes around an observation: its label or block, and a note. */
export const observationOverheadBytes = 96;

/** The provider's count is an estimate: a request may have some more tokens. */
const countMargin = 1.05;

/** Text has 3 or 4 bytes per token. */
const maxBytesPerToken = 16;

/** Returns the most tokens of the first request. */
export function boundFirstRequest(state: ChainState, agent: AgentSnapshot): number {
  const bytes = agent.promptBytes + countTaskBytes(state, agent);
  const { countedTokens: counted = bytes } = agent;
  // A server that does not count, or leaves out parts, would admit calls that the budget cannot pay.
  const plausible = counted >= bytes / maxBytesPerToken ? Math.ceil(counted * countMargin) : bytes;
  return Math.min(bytes, plausible) + preambleTokens;
}

export type ReservationResult =
  | { readonly ok: true; readonly reservation: Reservation }
  | {
      readonly ok: false;
      readonly limit: 'tokens' | 'cost';
      readonly needed: Reservation;
      /** Reservation for later calls: the last one, which sums up. */
      readonly kept: Reservation;
    };

const emptyReservation: Reservation = { inputTokens: 0, outputTokens: 0, usd: 0 };

/** Returns the reservation of the next call, or the limit that cannot pay for it. */
export function reserve(state: ChainState, agent: AgentSnapshot, purpose: ModelCallPurpose): ReservationResult {
  const call = boundCall(state, agent, purpose);
  const { inputTokens, minTokens } = call;
  const closing = purpose === 'closing' ? emptyReservation : reserveLater(state, agent, purpose);
  const rejectFor = (limit: 'tokens' | 'cost'): ReservationResult => {
    return { ok: false, limit, needed: createReservation(call, minTokens), kept: closing };
  };

  const used = computeCommittedUse(state);
  const payable = Math.floor(
    agent.limits.tokens - used.tokens - closing.inputTokens - closing.outputTokens - inputTokens,
  );
  if (payable < minTokens) return rejectFor('tokens');

  const affordable = computeAffordableOutput(call, used.usd, agent.limits.costUsd, closing.usd);
  if (affordable < minTokens) return rejectFor('cost');
  return { ok: true, reservation: createReservation(call, Math.min(call.maxTokens, payable, affordable)) };
}

/** Keeps what later calls need: the last one, and after an aside that may be left out, the next step. */
function reserveLater(state: ChainState, agent: AgentSnapshot, purpose: ModelCallPurpose): Reservation {
  const closing = reserveLeast(state, agent, 'closing');
  return isOptionalAside(purpose) ? addReservations(closing, reserveLeast(state, agent, 'step')) : closing;
}

/** Any model of the call may be asked, also one that the call under way has tried. */
function reserveLeast(state: ChainState, agent: AgentSnapshot, purpose: ModelCallPurpose): Reservation {
  const call = boundCall(changeState(state, { tried: [] }), agent, purpose);
  return createReservation(call, call.minTokens);
}

function addReservations(a: Reservation, b: Reservation): Reservation {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    usd: addUsd(a.usd, b.usd),
  };
}

function computeAffordableOutput(
  { inputTokens, price }: CallBound,
  used: number | null,
  limit: number | null,
  closingUsd: number | null,
): number {
  if (price === null || limit === null) return Number.POSITIVE_INFINITY;
  const rates = findHighestRates(price, inputTokens);
  const left = limit - (used ?? 0) - (closingUsd ?? 0) - inputTokens * rates.input;
  if (left < 0) return -1;
  return rates.output === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / rates.output);
}

function createReservation({ inputTokens, price }: CallBound, outputTokens: number): Reservation {
  return { inputTokens, outputTokens, usd: computeMaxCost(price, inputTokens, outputTokens) };
}

export interface ReplySettlement {
  readonly state: ChainState;
  readonly usage: Usage;
  /** The price of the call; null if no cost is counted. */
  readonly price: Price | null;
  /** The whole reservation where no plausible usage was reported; null otherwise. */
  readonly charged: Reservation | null;
  /** UTF-8 bytes of the reply's content as JSON. */
  readonly contentBytes: number;
}

type SettledReply = Pick<ModelReply, 'usage' | 'usageProblem' | 'reusedPlan' | 'route' | 'cached'>;

/** Characters of the problem with a usage. */
const maxProblemLength = 2_000;

/** Charges a reply: its reported usage, or the whole reservation where that is not plausible. */
export function settleReply(
  state: ChainState,
  reserved: Reservation,
  reply: SettledReply,
  content: readonly ReplyBlock[],
): ReplySettlement {
  const contentBytes = countUtf8Bytes(toCanonicalJson(content));
  const { state: paid, usage, price, charged } = chargeReply(state, reserved, reply, content);
  const { cached } = reply;
  // A cached reply has the usage of the equal request that was answered.
  const answered = cached === undefined ? null : checkUsage(cached.usage, reserved, computeMinUsage(content));
  const measured = answered === null ? usage : answered.plausible ? answered.usage : null;
  const isMeasured = charged === null && measured !== null;
  const read = isMeasured ? countInputTokens(measured) : reserved.inputTokens;
  // A reused plan read nothing: the earlier bound stays.
  const before = read > 0 ? read : state.context.tokens + state.context.newBytes;
  const bounded = measureBounds(
    paid,
    read > 0 ? reply.route?.model : undefined,
    before + (isMeasured ? measured.output : contentBytes),
    contentBytes + stepOverheadBytes,
  );
  return { state: bounded, usage, price, charged, contentBytes };
}

interface ReplyCharge extends Pick<ReplySettlement, 'state' | 'usage' | 'price' | 'charged'> {
  /** Null without a price. */
  readonly costUsd: number | null;
}

/** Charges a reply, as `settleReply` does, and leaves the bounds of the conversation as they are. */
export function chargeReply(
  state: ChainState,
  reserved: Reservation,
  reply: SettledReply,
  content: readonly ReplyBlock[],
): ReplyCharge {
  // A reused plan and a cached reply took no model call.
  const isFree = reply.reusedPlan !== undefined || reply.cached !== undefined;
  const least = isFree ? { input: 0, output: 0 } : computeMinUsage(content);
  const check = checkUsage(reply.usage, reserved, least);
  const price = getCallPrice(state, reply.route);
  if (check.plausible) {
    const { usage } = check;
    const costUsd = price === null ? null : computeCost(usage, price);
    return { state: settleUsage(state, usage, reply.route), usage, price, charged: null, costUsd };
  }
  const problem = shorten(reply.usageProblem ?? check.problem, maxProblemLength);
  const charged = chargeReservation(state, reserved, getCalledModel(state, reply.route));
  return {
    state: changeState(charged, { unreportedUsage: state.unreportedUsage ?? { charged: reserved, problem } }),
    usage: noUsage,
    price,
    charged: reserved,
    costUsd: reserved.usd,
  };
}

/** Settles the reply of the call under way, in an activity, before the reply is a fact. */
export function settleCurrentReply(
  state: ChainState,
  reply: SettledReply,
  content: readonly ReplyBlock[],
): ReplySettlement {
  return settleReply(
    state,
    state.flight.kind === 'model' ? state.flight.reservation : emptyReservation,
    reply,
    content,
  );
}

/** Charges reported usage at the price of the model that reported it. */
function settleUsage(state: ChainState, usage: Usage, route: CallRoute | undefined): ChainState {
  const price = getCallPrice(state, route);
  const usd = price === null ? null : computeCost(usage, price);
  return chargeUsage(state, usage, { model: getCalledModel(state, route), usd });
}

export function chargeUsage(state: ChainState, usage: Usage, paid: Pick<Charge, 'model' | 'usd'>): ChainState {
  const charge = { ...paid, tokens: countTotalTokens(usage), isReservation: false };
  return changeState(addCharge(state, charge), { usage: addUsage(state.usage, usage) });
}

function addCharge(state: ChainState, charge: Charge): ChainState {
  const { charged, unpricedTokens, modelTotals } = state;
  const { tokens, usd } = charge;
  return changeState(state, {
    charged: { tokens: charged.tokens + tokens, usd: addUsd(charged.usd, usd) },
    unpricedTokens: unpricedTokens + (usd === null ? tokens : 0),
    modelTotals: addToModelTotals(modelTotals, charge),
  });
}

/** Charges a failed call as its failure requires. The conversation has not grown. */
export function settleFailure(state: ChainState, reservation: Reservation, failure: ModelFailure): ChainState {
  switch (failure.settle) {
    case 'nothing':
      return state;
    case 'usage': {
      const check = checkUsage(failure.usage, reservation, computeMinUsage([]));
      if (!check.plausible) return chargeReservation(state, reservation, getCalledModel(state, failure.route));
      return settleUsage(state, check.usage, failure.route);
    }
    case 'reservation':
      return chargeReservation(state, reservation, getCalledModel(state, failure.route));
  }
}

/** @param model the model that was called; null where none was */
export function chargeReservation(state: ChainState, reservation: Reservation, model: string | null): ChainState {
  const { inputTokens, outputTokens, usd } = reservation;
  const { reservedCharges: reserved } = state;
  const tokens = inputTokens + outputTokens;
  return changeState(addCharge(state, { model, tokens, usd, isReservation: true }), {
    reservedCharges: {
      calls: reserved.calls + 1,
      tokens: reserved.tokens + tokens,
      usd: addUsd(reserved.usd, usd),
    },
  });
}

/** Returns the bytes added since a step's call started: its reservation covered everything before. */
export function countBytesSince(state: ChainState, { inputTokens }: Reservation): number {
  return Math.max(0, boundRequest(state, listFlightModels(state)) - inputTokens);
}

/** Counts bytes that were added to the conversation since the last usage. */
export function addBytes(state: ChainState, bytes: number): ChainState {
  return changeState(addToBounds(state, bytes), { conversation: addToLastStep(state.conversation, bytes) });
}

/** Counts a person's message, which requests contain unchanged, however many steps are summarized. */
export function addMessageBytes(state: ChainState, bytes: number): ChainState {
  const { conversation } = state;
  return addBytes(
    changeState(state, { conversation: { ...conversation, fixedBytes: conversation.fixedBytes + bytes } }),
    bytes,
  );
}

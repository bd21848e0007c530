/**
 * L6: no call is made that the budget cannot pay for.
 *
 * 1. Before a call, the most it can cost is reserved: its input is bounded by what the last call was
 *    charged for plus the UTF-8 bytes of what has come since, its output by `maxTokens`.
 * 2. `maxTokens` is lowered to what is left to pay for, though not below `minTokens`.
 * 3. Room for one last call that sums up stays inside the limit until it is used.
 * 4. What sub-chains used counts, and what is held for those that run (budget-tree.ts).
 * 5. After a call, the reservation gives way to the usage that was reported; where none was that can be
 *    true (model/usage.ts), the whole reservation is charged.
 */

import { shorten } from '../lib/display.js';
import { countUtf8Bytes, toCanonicalJson } from '../lib/json.js';
import type { AgentSnapshot, Price } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { ModelFailure, ModelReply } from '../model/fact.js';
import type { Reply, ReplyBlock, Usage } from '../model/model.js';
import type { ChainState, ModelCallPurpose } from '../model/state.js';
import { formatStop } from '../model/stop-reason.js';
import {
  addUsage,
  checkUsage,
  computeCost,
  computeMinUsage,
  countInputTokens,
  countTotalTokens,
  noUsage,
  type Reservation,
  roundCharge,
  roundUsd,
} from '../model/usage.js';
import { computeCommittedUse } from './budget-tree.js';

/** Tokens that a provider may add around the first request: its own preamble for tools. Later usage reports them. */
export const preambleTokens = 1_024;

/** Bytes of the request to sum up, without the reason that it names. */
const closingBytes = 512;

/** Bytes around an observation: its label or block, and a note. */
export const observationOverheadBytes = 96;

export type ReservationResult =
  | { readonly ok: true; readonly reservation: Reservation }
  | {
      readonly ok: false;
      readonly limit: 'tokens' | 'cost';
      readonly needed: Reservation;
      /** For the last call, that sums up. */
      readonly kept: Reservation;
    };

const emptyReservation: Reservation = { inputTokens: 0, outputTokens: 0, usd: 0 };

/** What the next call may cost, or which limit cannot pay for it. */
export function reserve(state: ChainState, agent: AgentSnapshot, purpose: ModelCallPurpose): ReservationResult {
  const isClosing = purpose === 'closing';
  const input = state.context.tokens + state.context.newBytes + (isClosing ? countClosingBytes(state) : 0);
  const least = Math.min(defaults.minTokens, agent.model.maxTokens);
  const most = isClosing ? least : agent.model.maxTokens;
  const kept = isClosing
    ? emptyReservation
    : createReservation(state.context.tokens, defaults.minTokens, agent.model.price);
  const tooDear = (limit: 'tokens' | 'cost'): ReservationResult => {
    return { ok: false, limit, needed: createReservation(input, least, agent.model.price), kept };
  };

  const used = computeCommittedUse(state);
  const payable = Math.floor(agent.limits.tokens - used.tokens - kept.inputTokens - kept.outputTokens - input);
  if (payable < least) return tooDear('tokens');

  const affordable = computeAffordableOutput(used.usd, agent, input, kept);
  if (affordable < least) return tooDear('cost');
  return { ok: true, reservation: createReservation(input, Math.min(most, payable, affordable), agent.model.price) };
}

function countClosingBytes({ stop }: ChainState): number {
  return closingBytes + (stop === null ? 0 : countUtf8Bytes(formatStop(stop)));
}

function computeAffordableOutput(used: number | null, agent: AgentSnapshot, input: number, kept: Reservation): number {
  const { price } = agent.model;
  const limit = agent.limits.costUsd;
  if (price === null || limit === null) return Number.POSITIVE_INFINITY;
  const left = limit - (used ?? 0) - (kept.usd ?? 0) - input * getInputRate(price);
  if (left < 0) return -1;
  return price.output === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / price.output);
}

function createReservation(inputTokens: number, outputTokens: number, price: Price | null): Reservation {
  const usd = price === null ? null : roundCharge(inputTokens * getInputRate(price) + outputTokens * price.output);
  return { inputTokens, outputTokens, usd };
}

/** Whether a prompt will be written to the cache is the provider's to decide; that is its dearest input. */
function getInputRate(price: Price): number {
  return Math.max(price.input, price.cacheWrite);
}

export interface ReplySettlement {
  readonly state: ChainState;
  readonly usage: Usage;
  /** The whole reservation where no plausible usage was reported; else null. */
  readonly charged: Reservation | null;
}

/** Characters of what was wrong with a usage. */
const maxProblemLength = 2_000;

/** Charges a reply: the usage that it reported, or its whole reservation where that cannot be true. */
export function settleReply(
  state: ChainState,
  reserved: Reservation,
  reply: Pick<ModelReply, 'usage' | 'usageProblem' | 'reusedPlan'>,
  content: readonly ReplyBlock[],
): ReplySettlement {
  // A plan that is used again took no call.
  const least = reply.reusedPlan === undefined ? computeMinUsage(content) : { input: 0, output: 0 };
  const judged = checkUsage(reply.usage, reserved, least);
  if (judged.plausible) return { state: settleUsage(state, judged.usage), usage: judged.usage, charged: null };
  const problem = shorten(reply.usageProblem ?? judged.problem, maxProblemLength);
  return {
    state: {
      ...chargeReservation(state, reserved),
      unreportedUsage: state.unreportedUsage ?? { charged: reserved, problem },
      // No token is shorter than a byte: neither what was read nor what was said is more than this.
      context: { tokens: reserved.inputTokens + countUtf8Bytes(toCanonicalJson(content)), newBytes: 0 },
    },
    usage: noUsage,
    charged: reserved,
  };
}

/** The same in an activity, before the reply of the call under way is a fact. */
export function settleCurrentReply(
  state: ChainState,
  reply: Pick<Reply, 'usage' | 'usageProblem'>,
  content: readonly ReplyBlock[],
): ReplySettlement {
  return settleReply(
    state,
    state.flight.kind === 'model' ? state.flight.reservation : emptyReservation,
    reply,
    content,
  );
}

/** A call that reported what it used: the budget is charged for that, and the next bound starts from it. */
function settleUsage(state: ChainState, usage: Usage): ChainState {
  const price = state.agent?.model.price ?? null;
  const read = countInputTokens(usage);
  return {
    ...state,
    usage: addUsage(state.usage, usage),
    charged: {
      tokens: state.charged.tokens + countTotalTokens(usage),
      usd: price === null ? null : roundUsd((state.charged.usd ?? 0) + computeCost(usage, price)),
    },
    // A plan that is used again read nothing: the earlier bound stays.
    context: {
      tokens: (read > 0 ? read : state.context.tokens + state.context.newBytes) + usage.output,
      newBytes: 0,
    },
  };
}

/** A call that gave no reply is charged as its failure says; the conversation has not grown. */
export function settleFailure(state: ChainState, reservation: Reservation, failure: ModelFailure): ChainState {
  switch (failure.settle) {
    case 'nothing':
      return state;
    case 'usage': {
      const judged = checkUsage(failure.usage, reservation, computeMinUsage([]));
      if (!judged.plausible) return chargeReservation(state, reservation);
      return { ...settleUsage(state, judged.usage), context: state.context };
    }
    case 'reservation':
      return chargeReservation(state, reservation);
  }
}

export function chargeReservation(state: ChainState, reservation: Reservation): ChainState {
  const { inputTokens, outputTokens, usd } = reservation;
  return {
    ...state,
    charged: {
      tokens: state.charged.tokens + inputTokens + outputTokens,
      usd: usd === null ? state.charged.usd : roundUsd((state.charged.usd ?? 0) + usd),
    },
  };
}

/** What was added since a call for a step was begun, which had room for all that there was. */
export function countBytesSince({ context }: ChainState, { inputTokens }: Reservation): number {
  return Math.max(0, context.tokens + context.newBytes - inputTokens);
}

/** What was added to the conversation since the last usage, in bytes: no token is shorter than one. */
export function addBytes(state: ChainState, bytes: number): ChainState {
  return { ...state, context: { ...state.context, newBytes: state.context.newBytes + bytes } };
}

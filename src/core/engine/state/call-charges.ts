/**
 * L6 for tool calls that cost: an attempt is made only if the budget can pay for its maximum cost.
 *
 * 1. The worst case of this very call is reserved before each attempt, and held until the attempt is settled.
 * 2. It is settled like a model call, for each model that it asked: at the reported usage, at nothing for a request that was
 *    not sent, else at the whole reservation.
 * 3. An attempt that reported nothing, such as a lost one, is charged its whole reservation.
 */

import {
  type ChainState,
  type CostPart,
  checkUsage,
  computeCost,
  computeMinUsage,
  listCostParts,
  type ModelCharge,
  type ModelUse,
  noUsage,
  type PendingCall,
  type Reservation,
  roundCharge,
  usageMargin,
} from '../../model/index.js';
import { chargeReservation, chargeUsage } from './budget.js';
import { findCallCost, isUnpaid, type PaidCall } from './call-payment.js';

export interface SettledCall {
  readonly state: ChainState;
  readonly call: PendingCall;
}

/**
 * Charges an attempt and releases its reservation. The call in the state is not replaced.
 *
 * @param uses null if the attempt reported nothing
 */
export function settleAttempt(before: ChainState, call: PendingCall, uses: readonly ModelUse[] | null): SettledCall {
  const { payment } = call;
  const cost = findCallCost(before.agent, call);
  if (payment === undefined || payment.reservation === null || cost === undefined) return { state: before, call };
  if (cost.kind === 'fee') return settleFee(before, { ...call, payment }, payment.reservation, uses);
  let state = before;
  const charges = [...payment.charges];
  for (const [index, part] of (isUnpaid(call) ? [] : listCostParts(cost, call.input)).entries()) {
    const use = uses === null ? lostUse : uses.find((candidate) => candidate.part === index);
    if (use === undefined) continue;
    const settled = settlePart(state, part, use);
    state = settled.state;
    charges.push(settled.charge);
  }
  return {
    state,
    call: { ...call, payment: { attempt: payment.attempt + 1, reservation: null, retryAt: null, charges } },
  };
}

/** An attempt that did not begin reports no use, and a lost one reports nothing. */
function settleFee(
  before: ChainState,
  call: PaidCall,
  reservation: Reservation,
  uses: readonly ModelUse[] | null,
): SettledCall {
  const { payment } = call;
  const paid = { ...payment, attempt: payment.attempt + 1, reservation: null, retryAt: null };
  const use = uses === null ? lostUse : uses[0];
  if (use === undefined || use.settle === 'nothing') return { state: before, call: { ...call, payment: paid } };
  const stated = use.settle === 'usage' ? findPlausibleFee(use.usd, reservation) : null;
  const charge: ModelCharge = {
    ...{ role: 'fee', name: call.tool, model: null, provider: null, usage: noUsage, durationMs: null },
    costUsd: stated ?? reservation.usd,
    ...(stated === null ? { charged: reservation } : {}),
    ...(use.failure === undefined ? {} : { failure: use.failure }),
  };
  return {
    state:
      stated === null
        ? chargeReservation(before, reservation, null)
        : chargeUsage(before, noUsage, { model: null, usd: stated }),
    call: { ...call, payment: { ...paid, charges: [...payment.charges, charge] } },
  };
}

/** L6: no fact is trusted. */
function findPlausibleFee(usd: number | undefined, { usd: max }: Reservation): number | null {
  const isPlausible = usd !== undefined && usd >= 0 && usd <= (max ?? 0) * usageMargin;
  return isPlausible ? roundCharge(usd) : null;
}

type SettledUse = Omit<ModelUse, 'part' | 'durationMs'> & { readonly durationMs: number | null };

const lostUse: SettledUse = {
  model: null,
  provider: null,
  settle: 'reservation',
  usage: null,
  durationMs: null,
  failure: 'lost',
};

function settlePart(
  state: ChainState,
  { role, model, reservation }: CostPart,
  use: SettledUse,
): { readonly state: ChainState; readonly charge: ModelCharge } {
  const base = {
    role,
    name: model.name,
    model: use.model,
    provider: use.provider,
    durationMs: use.durationMs,
    ...(use.failure === undefined ? {} : { failure: use.failure }),
  };
  const nothing: ModelCharge = { ...base, usage: noUsage, costUsd: model.price === null ? null : 0 };
  if (use.settle === 'nothing') return { state, charge: nothing };
  const checked = use.settle === 'usage' ? checkUsage(use.usage, reservation, computeMinUsage([])) : null;
  if (checked === null || !checked.plausible) {
    return {
      state: chargeReservation(state, reservation, model.name),
      charge: { ...base, usage: noUsage, costUsd: reservation.usd, charged: reservation },
    };
  }
  const { usage } = checked;
  const costUsd = model.price === null ? null : computeCost(usage, model.price);
  return { state: chargeUsage(state, usage, { model: model.name, usd: costUsd }), charge: { ...base, usage, costUsd } };
}

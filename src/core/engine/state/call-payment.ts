/** What is held for calls that cost, and what they may cost. `call-charges.ts` settles it. */

import { formatMaxCost } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type Call,
  type CallCost,
  type CallPayment,
  type ChainState,
  computeMaxCallCost,
  type PendingCall,
  type Reservation,
} from '../../model/index.js';
import { listCalls } from './flight.js';

export type PaidCall = PendingCall & { readonly payment: CallPayment };

const firstPayment: CallPayment = { attempt: 1, reservation: null, retryAt: null, charges: [] };

/** Returns what a call costs; undefined if it is free. */
export function findCallCost(agent: AgentSnapshot | null, { tool }: Pick<PendingCall, 'tool'>): CallCost | undefined {
  return agent?.tools.find(({ name }) => name === tool)?.cost;
}

/** Returns what calls of the step hold. */
export function listCallReservations(state: Pick<ChainState, 'flight'>): readonly Reservation[] {
  return listCalls(state).flatMap(({ payment }) => payment?.reservation ?? []);
}

/** Returns the calls that wait for their next attempt. */
export function listRetryTimes(state: Pick<ChainState, 'flight'>): readonly number[] {
  return listCalls(state).flatMap(({ progress, payment }) => (progress === 'queued' ? (payment?.retryAt ?? []) : []));
}

/** Holds the budget for the next attempt, which may then run. */
export function holdBudget(call: PendingCall, reservation: Reservation): PaidCall {
  return { ...call, progress: 'ready', payment: { ...getPayment(call), reservation, retryAt: null } };
}

/** What is held for a call that the budget cannot pay for, and that runs without what it would pay. */
export const unpaidReservation: Reservation = { inputTokens: 0, outputTokens: 0, usd: null };

/** Returns whether the attempt under way runs without what it would pay. */
export function isUnpaid({ payment }: PendingCall): boolean {
  return payment?.reservation?.inputTokens === 0;
}

/** Queues a call: until other calls release budget, or for its next attempt. */
export function queueCall(call: PendingCall, retryAt: number | null): PaidCall {
  const payment = getPayment(call);
  return { ...call, progress: 'queued', payment: { ...payment, retryAt } };
}

export function getPayment({ payment = firstPayment }: PendingCall): CallPayment {
  return payment;
}

/** Releases what is held for an attempt that was not made. */
export function releaseReservation(call: PendingCall): PendingCall {
  return call.payment === undefined ? call : { ...call, payment: { ...call.payment, reservation: null } };
}

/** Returns the charges of a call for its result; empty if it made no paid attempt. */
export function toChargeParts({ payment }: Pick<PendingCall, 'payment'>): Pick<Call, 'charges'> {
  return payment === undefined || payment.charges.length === 0 ? {} : { charges: payment.charges };
}

/** Adds the maximum cost of a call to the reason of a request: the people who decide see it before it is spent. */
export function addCostReason<R extends { readonly reason: string }>(
  agent: AgentSnapshot | null,
  call: Pick<PendingCall, 'tool' | 'input'>,
  rules: R,
): R {
  const maxCallCost = computeMaxCallCost(findCallCost(agent, call), call.input);
  return maxCallCost === null
    ? rules
    : { ...rules, reason: `${rules.reason} It may cost ${formatMaxCost(maxCallCost)}.`.trim() };
}

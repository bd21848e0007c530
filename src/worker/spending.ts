/**
 * Budgets and rates of a worker's model calls: each call is reserved in the ledger before it is made, and settled after it.
 *
 * B1 Without the ledger no call is made: a store that is away holds the chains.
 * B2 A call that may not start now is a failure of the chain, which waits without a worker. Only a wait of seconds is made here.
 * B3 A settlement that fails, or a worker that dies, leaves the reservation, which is charged in full after its time.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createRejection } from '../activities/index.js';
import type { Agent } from '../agents/index.js';
import { computeDigest, formatDuration, formatTime, shorten, toErrorMessage } from '../core/lib/index.js';
import {
  computeCost,
  computeMaxCost,
  countTotalTokens,
  defaults,
  type ModelFailure,
  maxBudgetText,
  type Usage,
  type WebhookEvent,
} from '../core/model/index.js';
import type { AdmittedCall, CallGate, ModelCallResult } from '../models/index.js';
import { parseRate } from '../options/index.js';
import {
  type Admission,
  type Budget,
  type BudgetAlert,
  type BudgetStore,
  defaultAlertAt,
  formatAmount,
  formatBudget,
  getMaxLateMs,
  type Ledger,
  type Rate,
  type RatedEndpoint,
  type ReserveResult,
  type SpendingCall,
} from '../store/index.js';
import { withTimeout } from '../timing/index.js';
import type { SpendingRules } from './budget-options.js';

export interface SpendingContext {
  readonly namespace: string;
  readonly ledger: Ledger;
  readonly budgets: Pick<BudgetStore, 'set'>;
  readonly rules: SpendingRules;
  /** The rate of an agent; undefined without one. */
  readonly findAgentRate: (agent: string) => Rate | undefined;
  readonly onAlert: (alert: BudgetAlert, call: SpendingCall, chainId: string) => void;
  readonly warn: (problem: string) => void;
  /** Milliseconds that a call waits for the ledger. Default 5 seconds. */
  readonly ledgerTimeoutMs?: number;
}

/** Milliseconds after the time limit of a call in which its reservation is not charged yet. */
const graceMs = 60_000;
/** Longest wait for the start of a call in its activity, in milliseconds, and the part of its time that it takes at most. */
const waits = { queue: { ms: 3_000, share: 0.1 }, wait: { ms: 20_000, share: 0.5 }, none: { ms: 0, share: 0 } };
/** A queued chain comes back this much earlier than its call starts, in milliseconds: Temporal's timers may be a second late. */
const earlyMs = 2_000;
/** Milliseconds until a call is made again that only the reservations of others prevent. */
const heldRetryMs = 2_000;
/** Starts that a call may miss because this process was busy. */
const maxMissedStarts = 3;

export function createSpendingGate(context: SpendingContext): CallGate {
  const { ledger, warn, ledgerTimeoutMs = 5_000 } = context;
  let registered: Promise<void> | null = null;
  /** Writes the budgets of the options to the store, once it answers. */
  const register = () => {
    registered ??= registerBudgets(context).catch((error: unknown) => {
      registered = null;
      throw error;
    });
    return registered;
  };

  const reserve = async (call: SpendingCall) => {
    await register();
    return ledger.reserve(call);
  };

  const settle = async (call: SpendingCall, settlement: Parameters<Ledger['settle']>[1]) => {
    try {
      if ((await withTimeout(ledger.settle(call, settlement), ledgerTimeoutMs)) !== null) return;
      warn(`A model call was not settled within ${ledgerTimeoutMs / 1_000} s; ${unsettled}`);
    } catch (error) {
      warn(`A model call was not settled (${toErrorMessage(error)}); ${unsettled}`);
    }
  };

  /** The reservation may be made after its answer failed, or was late. */
  const releaseLate = async (reserving: Promise<ReserveResult>, call: SpendingCall, admitted: AdmittedCall) => {
    const late = await reserving.catch(() => null);
    for (const alert of late?.alerts ?? []) reportAlert(context, alert, call, admitted);
    await ledger.settle(call, notSent).catch(() => {});
  };

  return {
    admit: async (admitted) => {
      const call = toSpendingCall(context, admitted);
      for (let missed = 0; missed < maxMissedStarts; missed += 1) {
        const reserving = reserve(call);
        const result = await withTimeout(reserving, ledgerTimeoutMs).catch((error: unknown) => toErrorMessage(error));
        if (result === null || typeof result === 'string') {
          void releaseLate(reserving, call, admitted);
          return fail('store_unavailable', result ?? `the ledger did not answer within ${ledgerTimeoutMs / 1_000} s`);
        }
        const answeredAt = performance.now();
        const { admission, alerts } = result.value;
        for (const alert of alerts) reportAlert(context, alert, call, admitted);
        if (admission.kind !== 'reserved') return toFailure(admission, call, admitted);
        try {
          await waitForStart(admission.startsInMs, admitted.options.signal);
        } catch {
          await settle(call, notSent);
          return fail('cancelled', 'the call was cancelled before it started');
        }
        const lateMs = performance.now() - answeredAt - admission.startsInMs;
        if (call.rates.every(({ rate }) => lateMs <= getMaxLateMs(rate))) return null;
        await settle(call, notSent);
      }
      return fail('throttled', 'the worker was too busy to start the call in time', 1_000);
    },
    settle: (admitted, result) => {
      const call = toSpendingCall(context, admitted);
      return settle(call, toSettlement(call.amounts, admitted, result));
    },
  };
}

const unsettled = 'its reservation is charged in full';
const notSent = { used: {}, isSent: false, retryAfterMs: null };

async function registerBudgets({ budgets, rules }: SpendingContext): Promise<void> {
  for (const budget of rules.budgets ?? []) await budgets.set(budget, 'worker');
}

async function waitForStart(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms > 0) await sleep(ms, undefined, { signal });
}

function toSpendingCall(
  { namespace, rules, findAgentRate }: SpendingContext,
  { id, ticket, reserved, patience, endpoint, call, options: { caller } }: AdmittedCall,
): SpendingCall {
  const { ms, share } = waits[patience];
  const { model, maxTokens } = call;
  const agent = caller?.agent ?? '';
  const usd = computeMaxCost(model.price, reserved.inputTokens, maxTokens);
  const rated: readonly (readonly [string, Rate | undefined])[] = [
    [`provider:${endpoint}`, rules.rates.get(endpoint)],
    [`agent:${namespace}:${agent}`, findAgentRate(agent)],
  ];
  return {
    ...{ id, namespace, tenant: caller?.tenant ?? null, agent, model: { name: model.name, id: model.id } },
    amounts: { calls: 1, tokens: reserved.inputTokens + maxTokens, ...(usd === null ? {} : { usd }) },
    isPriced: usd !== null,
    ttlMs: model.timeoutMs + graceMs,
    rates: rated.flatMap(([name, rate]): RatedEndpoint[] => (rate === undefined ? [] : [{ endpoint: name, rate }])),
    ticket: `${ticket}/${endpoint}`,
    maxWaitMs: Math.min(ms, share * model.timeoutMs),
    mayQueue: patience === 'queue',
  };
}

/** @param whole of the reservation */
function toSettlement(
  whole: SpendingCall['amounts'],
  { call }: AdmittedCall,
  result: ModelCallResult,
): Parameters<Ledger['settle']>[1] {
  const measure = (usage: Usage) => {
    const usd = call.model.price === null ? 0 : computeCost(usage, call.model.price);
    return { calls: 1, tokens: countTotalTokens(usage), usd };
  };
  if (result.ok) {
    const { usage } = result.reply;
    return { used: usage === null ? whole : measure(usage), isSent: true, retryAfterMs: null };
  }
  const { settle, usage, status, kind, retryAfterMs } = result.failure;
  if (settle === 'nothing') {
    const postponedMs = kind === 'rate_limit' ? (retryAfterMs ?? defaults.modelBackoffMs) : null;
    return { used: {}, isSent: status !== null, retryAfterMs: postponedMs };
  }
  return { used: settle === 'usage' && usage !== null ? measure(usage) : whole, isSent: true, retryAfterMs: null };
}

function toFailure(
  admission: Exclude<Admission, { kind: 'reserved' }>,
  { amounts, maxWaitMs, tenant }: SpendingCall,
  { call }: AdmittedCall,
): ModelFailure {
  switch (admission.kind) {
    case 'queued': {
      const { startsInMs, endpoint } = admission;
      const message = `the rate of ${endpoint.replace(/^\w+:/, '')} is used up; the call starts in ${formatDuration(startsInMs)}`;
      return fail('throttled', message, Math.max(1, startsInMs - Math.min(earlyMs, maxWaitMs / 2)));
    }
    case 'unpriced': {
      const message = `${formatBudget(admission.budget)} is in US dollars, and ${call.model.name} has no price. Add its price to the worker's price map`;
      return fail('not_allowed', message);
    }
    case 'rejected': {
      const { budget, counter, limit, spent, resetsAt, resetsInMs, isHeld } = admission;
      const text = shorten(formatBudget(budget), maxBudgetText);
      const left = `${formatAmount(counter, Math.max(0, limit - spent))} of ${formatAmount(counter, limit)} is left until ${formatTime(resetsAt)}`;
      const needed = `the call may use ${formatAmount(counter, amounts[counter] ?? 0)}`;
      const held = isHeld ? ', and calls under way have reserved the rest' : '';
      const why = isOwn(budget, tenant) ? `${left}, ${needed}${held}` : `it is used up until ${formatTime(resetsAt)}`;
      const choice = isHeld ? 'wait' : (budget.onLimit ?? 'wait');
      const failure = fail('budget', `Rejected by ${text}: ${why}`, isHeld ? heldRetryMs : resetsInMs);
      return { ...failure, budget: { budget: text, counter, choice } };
    }
  }
}

function fail(kind: ModelFailure['kind'], message: string, retryAfterMs: number | null = null): ModelFailure {
  return { ...createRejection(kind, message), retryAfterMs };
}

/** The amounts of a budget that tenants share are shown to none of them: the readers of a chain are its tenant's. */
function isOwn(budget: Budget, tenant: string | null): boolean {
  return tenant === null || budget.tenant !== undefined;
}

function reportAlert(
  context: SpendingContext,
  alert: BudgetAlert,
  call: SpendingCall,
  { onBudgetAlert, options }: AdmittedCall,
) {
  if (isOwn(alert.budget, call.tenant)) onBudgetAlert?.(formatAlert(alert));
  context.onAlert(alert, call, options.caller?.chainId ?? '');
}

/** The event of an alert for webhooks. Its id is that of the budget's window: however many workers report it, it is sent once. */
export function createAlertEvent(
  { budget, counter, spent, limit, resetsAt }: BudgetAlert,
  { namespace, agent, tenant }: Pick<SpendingCall, 'namespace' | 'agent' | 'tenant'>,
  chainId: string,
): WebhookEvent {
  const name = formatBudget(budget);
  const at = Date.now();
  const id = `budget-alert-${computeDigest(JSON.stringify([namespace, name, resetsAt, limit])).slice(0, 32)}`;
  return {
    ...{ id, type: 'budget-alert', at, chainId, rootId: chainId, agent, startedAt: at, user: null },
    tenant: budget.tenant === undefined ? null : tenant,
    ...{ outcome: null, reasonCode: null, requests: [], paused: false, heldBy: null },
    budget: { name, counter, spent, limit, resetsAt },
  };
}

export function listAgentRates(agents: ReadonlyMap<string, Agent>): ReadonlyMap<string, Rate> {
  const rates = [...agents.values()].flatMap(({ name, definition: { rate } }) =>
    rate === undefined ? [] : [[name, parseRate(rate, 'rate')] as const],
  );
  return new Map(rates);
}

/** `80 % of the budget of tenant acme per day is used: $8.10 of $10.00 until 2026-11-23 00:00 UTC.` */
function formatAlert({ budget, counter, spent, limit, resetsAt }: BudgetAlert): string {
  const part = Math.round((budget.alertAt ?? defaultAlertAt) * 100);
  const used = `${formatAmount(counter, spent)} of ${formatAmount(counter, limit)} until ${formatTime(resetsAt)}`;
  return `${part} % of ${formatBudget(budget)} is used: ${used}.`;
}

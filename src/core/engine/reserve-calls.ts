/**
 * L6: reserves the most that each call which costs may cost, before it runs. A call that the budget cannot pay for waits while
 * other calls and sub-chains hold budget that they may return; else it is rejected, and the model sees what it would have cost.
 * A call whose prompt fits the context window of none of its models is rejected too.
 */

import { formatCount, formatExactUsd } from '../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  type CostPart,
  computeReservation,
  countPaidBytes,
  describeOverflow,
  listCostParts,
  type PendingCall,
  type Reservation,
} from '../model/index.js';
import { type Advance, applyEach, emit, unchanged } from './state/advance.js';
import { computeBudgetLeft, isBudgetHeld } from './state/budget-tree.js';
import { findCallCost, getPayment, holdBudget, queueCall, unpaidReservation } from './state/call-payment.js';
import { listCalls } from './state/flight.js';
import { replaceCall, settleCall } from './state/step.js';

export function reserveCalls(before: ChainState): Advance {
  const { agent } = before;
  if (agent === null || before.stop !== null || agent.tools.every(({ cost }) => cost === undefined))
    return unchanged(before);
  const due = listCalls(before).filter((call) => needsReservation(before, call));
  return applyEach(before, due, (state, call) => reserveCall(state, agent, call));
}

function needsReservation(state: ChainState, call: PendingCall): boolean {
  if (call.progress !== 'ready' && call.progress !== 'queued') return false;
  if (findCallCost(state.agent, call) === undefined) return false;
  const { reservation, retryAt } = getPayment(call);
  return reservation === null && (retryAt ?? 0) <= state.now;
}

function reserveCall(state: ChainState, agent: AgentSnapshot, call: PendingCall): Advance {
  const cost = findCallCost(agent, call);
  if (cost === undefined) return unchanged(state);
  const parts = listCostParts(cost, call.input);
  const overflow = findOverflow(parts);
  if (overflow !== null) return settleCall(state, agent, call, { status: 'error', content: overflow });
  const needed = computeReservation(cost, call.input);
  const left = computeBudgetLeft(state, agent);
  const unpriced = left.usd === null ? undefined : parts.find(({ reservation }) => reservation.usd === null);
  const limit = findExceededLimit(needed, left);
  // The summary of a result may be left out: the call runs without it.
  if (cost.kind === 'summary') {
    const isPayable = unpriced === undefined && limit === null;
    return emit(replaceCall(state, holdBudget(call, isPayable ? needed : unpaidReservation)));
  }
  if (unpriced !== undefined)
    return settleCall(state, agent, call, { status: 'error', content: formatUnpriced(unpriced) });
  if (limit === null) return emit(replaceCall(state, holdBudget(call, needed)));
  if (isBudgetHeld(state)) return emit(replaceCall(state, queueCall(call, null)));
  const fix = cost.kind === 'fee' ? 'Continue without it, or finish.' : modelFix;
  const content = limit === 'tokens' ? formatTokens(needed, left.tokens, fix) : formatCost(needed, left.usd, fix);
  return settleCall(state, agent, call, { status: 'error', content });
}

/** Returns a message if none of the models can read the prompt. One of several is omitted when they are asked. */
function findOverflow(parts: readonly CostPart[]): string | null {
  const answers = parts.filter(({ role }) => role === 'answer');
  const overflows = answers.flatMap((part) => describeOverflow(part, countPaidBytes(part.reservation)) ?? []);
  if (overflows.length === 0 || overflows.length < answers.length) return null;
  return `Not run: ${overflows.join('; ')}. Shorten the prompt, or choose a model that reads more.`;
}

interface BudgetLeft {
  readonly tokens: number;
  /** US dollars; null without a limit. */
  readonly usd: number | null;
}

function findExceededLimit(needed: Reservation, left: BudgetLeft): 'tokens' | 'cost' | null {
  if (needed.inputTokens + needed.outputTokens > left.tokens) return 'tokens';
  return left.usd !== null && (needed.usd ?? 0) > left.usd ? 'cost' : null;
}

const modelFix = 'Shorten the prompt, lower maxTokens, choose a cheaper model, or continue without it.';

/** The share of a parent limits the cost of an agent that has no such limit itself. */
function formatUnpriced({ model }: CostPart): string {
  return `Not run: no price is known for ${model.name}, so the cost limit of this chain could be exceeded. Choose a model with a price, or continue without it.`;
}

function formatTokens({ inputTokens, outputTokens }: Reservation, left: number, fix: string): string {
  const needed = formatCount(inputTokens + outputTokens);
  return `Not run: this call may use up to ${needed} tokens, and the budget leaves ${formatCount(toAmountLeft(left))}. ${fix}`;
}

function formatCost({ usd }: Reservation, left: number | null, fix: string): string {
  return `Not run: this call may cost up to ${formatExactUsd(usd)}, and the budget leaves ${formatExactUsd(toAmountLeft(left ?? 0))}. ${fix}`;
}

function toAmountLeft(left: number): number {
  return Math.max(0, left);
}

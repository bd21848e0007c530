/**
 * The question at a limit: a pause that a person answers by raising the limit, by resuming the chain or by cancelling it. A chain asks
 * where its agent has `onLimit`, and where a budget that rejects a call has the choice `ask`.
 *
 * 1. While the question is open nothing is reserved, so no call is made that the limits do not cover (L6).
 * 2. It is asked once. Another limit, or the same one after a raise that does not suffice, is another question.
 * 3. After its expiry the chain ends as it does without a question. The time of a fact counts, as for requests.
 * 4. A sub-chain cannot exceed its share of the budget of its parent: only roots ask about their own limits.
 */

import { shorten } from '../../lib/index.js';
import {
  type ChainState,
  changeState,
  defaults,
  formatStopReason,
  getLimitOption,
  type LimitDefinition,
  type LimitName,
  type LimitQuestion,
  limitEntries,
  limitTable,
  type ReachedLimit,
  type StopReason,
  validateLimits,
} from '../../model/index.js';
import { type Advance, andThen, emit, unchanged } from './advance.js';
import { createNoticeEntry } from './entry.js';
import { computeWorkedMs, dropAside } from './flight.js';
import { formatResumeNotice } from './notice-text.js';
import { formatFindings, stopChain } from './stop.js';

/** Returns whether the chain asks at its own limits. */
export function asksAtLimits({ agent, input }: Pick<ChainState, 'agent' | 'input'>): boolean {
  return agent?.onLimit !== undefined && input?.lineage === undefined;
}

/** Returns null where the chain does not ask: it ends. */
export function askAtLimit(state: ChainState, reached: ReachedLimit): Advance | null {
  const limit = asksAtLimits(state) ? findLimit(reached.reason) : null;
  const raise = limit === null ? null : proposeRaise(state, limit);
  if (raise === null) return null;
  const { paused } = state;
  if (paused === null) return openQuestion(state, { ...reached, raise });
  // A person who resumes a pause of another reason has not seen the question.
  if (paused.question === undefined) return emit(state);
  const open = findLimit(paused.question.reason);
  const isSame = open?.name === limit?.name && open?.limit === limit?.limit;
  return isSame ? emit(state) : openQuestion(state, { ...reached, raise });
}

export function openQuestion(state: ChainState, asked: Omit<LimitQuestion, 'expiresAt'>): Advance {
  const { now, agent } = state;
  const { expiresMs = defaults.requestExpiryMs, roles } = agent?.onLimit ?? {};
  const question = { ...asked, expiresAt: expiresMs === null ? null : now + expiresMs };
  const reason = `${shorten(formatStopReason(asked.reason), maxReasonLength)} ${formatOffer(question)}, or stop.`;
  const paused = { by: null, reason, at: now, ...(roles === undefined ? {} : { roles }), question };
  return emit(changeState(state, { paused }), createNoticeEntry(state, 'limit_question', reason));
}

/** The state is bounded, and a reason may contain the names of tasks and budgets. */
const maxReasonLength = 1_000;

export function closeQuestion(state: ChainState): Advance {
  const notice = createNoticeEntry(state, 'resumed', formatResumeNotice(null, 'the limits cover another step'));
  return emit(changeState(state, { paused: null }), notice);
}

/** Ends the chain once the question has expired. */
export function expireQuestion(state: ChainState): Advance {
  const question = state.paused?.question;
  if (question === undefined || state.stop !== null || !isExpiredQuestion(question, state.now)) return unchanged(state);
  return stopAtLimit(changeState(state, { paused: null }), question);
}

export function isExpiredQuestion({ expiresAt }: LimitQuestion, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export function stopAtLimit(before: ChainState, { outcome, reason }: ReachedLimit): Advance {
  const state = dropAside(before);
  // A last call that sums up would be refused too.
  if (reason.code === 'budget') return stopChain(state, outcome, reason, { partial: formatFindings(state) });
  return andThen(emit(state, createNoticeEntry(state, 'limit_reached', formatStopReason(reason))), (noticed) =>
    stopChain(noticed, outcome, reason, { closing: true }),
  );
}

interface ReachedValue {
  readonly name: LimitName;
  readonly limit: number;
  /** The smallest limit that covers another step, where the reason states it. */
  readonly least: number;
}

/** Returns null for a limit that no command raises. */
function findLimit(reason: StopReason): ReachedValue | null {
  switch (reason.code) {
    case 'max_steps':
      return { name: 'steps', limit: reason.limit, least: 0 };
    case 'time_limit':
      return { name: 'timeMs', limit: reason.timeMs, least: 0 };
    case 'token_budget':
    case 'cost_budget': {
      const least = (reason.used ?? 0) + (reason.reserved ?? 0) + (reason.needed ?? 0);
      return { name: reason.code === 'token_budget' ? 'tokens' : 'costUsd', limit: reason.limit ?? 0, least };
    }
    default:
      return null;
  }
}

/** Proposes half of the limit more, or what another step needs. Null where the limit cannot be that high. */
function proposeRaise(state: ChainState, { name, limit, least }: ReachedValue): LimitQuestion['raise'] {
  const value = Math.max(1.5 * limit, name === 'timeMs' ? computeWorkedMs(state) + 0.5 * limit : least);
  const raised = roundUp(value, limitTable[name].unit);
  return validateLimits({ [name]: raised }) === null ? { [getLimitOption(name)]: raised } : null;
}

function roundUp(value: number, unit: LimitDefinition['unit']): number {
  if (unit === 'count') return Math.ceil(value);
  if (unit === 'ms') return 1_000 * Math.ceil(value / 1_000);
  const rounded = Number(value.toPrecision(3));
  return rounded >= value ? rounded : Number((1.01 * value).toPrecision(3));
}

/** `Continue with $0.50 more` */
export function formatOffer({ reason, raise }: Pick<LimitQuestion, 'reason' | 'raise'>): string {
  const reached = findLimit(reason);
  if (reached === null) return 'Try the call again';
  const { name, limit } = reached;
  return `Continue with ${limitTable[name].describe((raise?.[getLimitOption(name)] ?? 0) - limit)} more`;
}

/** `longhand limit chain-1 cost=0.75`; a resume where no limit of the chain answers. */
export function formatAnswerCommand(
  chainId: string,
  question: Pick<LimitQuestion, 'raise'> | null | undefined,
): string {
  const [option, value = 0] = Object.entries(question?.raise ?? {})[0] ?? [];
  const [, row] = limitEntries.find(([name]) => getLimitOption(name) === option) ?? [];
  if (row === undefined) return `longhand resume ${chainId}`;
  const text = row.unit === 'ms' ? row.describe(value).replace(' ', '') : String(value);
  return `longhand limit ${chainId} ${row.names[0]}=${text}`;
}

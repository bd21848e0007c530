/**
 * Gives a call that a model failed or refused to the next model of its agent, immediately: each is a paid attempt of its own.
 *
 * 1. The next model follows from recorded facts (state/route.ts). Each is tried once, so this ends (L7).
 * 2. When all were tried, the most hopeful failure decides: one that passes by itself before one that a person repairs, and
 *    both before one that ends the chain. Then the chain waits, and asks the models again that may recover: a refusal is not
 *    paid for twice.
 */

import { shorten } from '../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  type Flight,
  type ModelFailure,
  type ModelFailureKind,
  type TriedModel,
} from '../model/index.js';
import { providerFailures } from './failure-rules.js';
import { type Advance, emit } from './state/advance.js';
import { createNoticeEntry } from './state/entry.js';
import { listUntriedModels } from './state/route.js';

export type ModelFlight = Extract<Flight, { kind: 'model' }>;

export type FailedAttempt = Pick<ModelFailure, 'kind' | 'message' | 'retryAfterMs' | 'route' | 'budget'>;

/** The state is bounded, and messages are of any length. */
const maxMessageLength = 500;

interface FallBack {
  /** Null where all models were tried. */
  readonly next: Advance | null;
  /** The failure that decides how the chain continues then. */
  readonly decisive: FailedAttempt;
  /** The models that a later attempt does not ask again. */
  readonly ended: readonly TriedModel[];
}

/** Returns null for a failure that another model would have too, and for an agent with one model. */
export function fallBack(
  state: ChainState,
  agent: AgentSnapshot,
  flight: ModelFlight,
  failure: FailedAttempt,
): FallBack | null {
  const model = findAttemptedModel(flight, failure);
  if (model === null || !providerFailures[failure.kind].fallsBack) return null;
  if (failure.budget !== undefined && failure.budget.choice !== 'fallback') return null;
  const { kind, message, retryAfterMs } = failure;
  const tried: readonly TriedModel[] = [
    ...state.tried,
    { model, failure: kind, message: shorten(message, maxMessageLength), retryAfterMs },
  ];
  const next: ChainState = changeState(state, { tried });
  const [other] = listUntriedModels(next, agent, flight.purpose);
  const ended = tried.filter((attempt) => !mayRecover(attempt.failure));
  if (other === undefined) return { next: null, decisive: chooseDecisive(state, tried) ?? failure, ended };
  const text = `${model} failed (${kind}): ${message.replace(/\.$/, '')}. The next attempt uses ${other.name}.`;
  return { next: emit(next, createNoticeEntry(next, 'model_fallback', text)), decisive: failure, ended };
}

/** A fact may name any model, and an attempt that was lost names none. */
function findAttemptedModel({ models = [] }: ModelFlight, { route }: FailedAttempt): string | null {
  return models.find((name) => name === route?.model) ?? models[0] ?? null;
}

/** Returns whether a later attempt may succeed. */
export function mayRecover(kind: ModelFailureKind | undefined): boolean {
  return kind !== undefined && providerFailures[kind].next !== 'end';
}

function chooseDecisive({ conversation }: ChainState, tried: readonly TriedModel[]): FailedAttempt | null {
  const isCompacted = conversation.overflow === 'compacted';
  const [best] = [...tried].sort((a, b) => rank(a.failure, isCompacted) - rank(b.failure, isCompacted));
  if (best === undefined) return null;
  const { failure: kind, retryAfterMs } = best;
  const messages = tried.flatMap(({ failure, message }) => (failure === kind ? message.replace(/\.$/, '') : []));
  return { kind, message: [...new Set(messages)].join('; '), retryAfterMs };
}

/** A conversation that is too long is shortened, once, before a person is needed. */
function rank(kind: ModelFailureKind, isCompacted: boolean): number {
  if (kind === 'context_overflow') return isCompacted ? 3 : 1;
  // Another model may recover before the window of a budget ends.
  if (kind === 'budget') return 0.5;
  return { retry: 0, hold: 2, end: 4 }[providerFailures[kind].next];
}

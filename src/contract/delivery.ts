/**
 * What one workflow task delivers, as the facts of a turn, for the workflow and its readers (L1).
 *
 * 1. The SDK delivers in its own order. Facts are hashed in this one, which both sides know: the start, signals, updates,
 *    Temporal's cancel, each in order of arrival; then results in order of scheduling.
 * 2. L7: a turn takes at most `messagesPerTurn` messages. Thousands of signals wait for a chain that no worker has taken
 *    yet, and the SDK interrupts a workflow task that computes for too long. The others are deferred: they are the first
 *    messages of the next turn, which a timer starts where nothing else does.
 */

import { toWellFormed } from '../core/lib/index.js';
import { defaults, type Fact } from '../core/model/index.js';

const deliveryOrder = { start: 0, signal: 1, update: 2, cancel: 3, result: 4 } as const;

export interface DeliveredFact {
  readonly kind: keyof typeof deliveryOrder;
  /** Order of arrival, or, for a result, of scheduling. */
  readonly order: number;
  readonly toFact: (at: number) => Fact;
}

export interface Delivery {
  readonly taken: readonly DeliveredFact[];
  /** Messages for later turns, oldest first. */
  readonly deferred: readonly DeliveredFact[];
}

/**
 * Divides what arrived for a turn. Nothing is taken where nothing arrived: deferred messages wait for the next event.
 *
 * @param deferred messages that the turns before have not taken
 */
export function divideDelivery(deferred: readonly DeliveredFact[], arrived: readonly DeliveredFact[]): Delivery {
  if (arrived.length === 0) return { taken: [], deferred };
  const sorted = arrived.length === 1 ? arrived : arrived.toSorted(compareDelivery);
  if (deferred.length === 0 && sorted.length <= defaults.messagesPerTurn) return { taken: sorted, deferred };
  const first = sorted.filter(({ kind }) => kind === 'start');
  const messages = [...deferred, ...sorted.filter(isMessage)];
  const last = sorted.filter((fact) => fact.kind !== 'start' && !isMessage(fact));
  return {
    taken: [...first, ...messages.slice(0, defaults.messagesPerTurn), ...last],
    deferred: messages.slice(defaults.messagesPerTurn),
  };
}

function compareDelivery(a: DeliveredFact, b: DeliveredFact): number {
  return deliveryOrder[a.kind] - deliveryOrder[b.kind] || a.order - b.order;
}

/** Whether a person or a program sent it; the other facts are bounded by what the chain started. */
export function isMessage({ kind }: DeliveredFact): boolean {
  return kind === 'signal' || kind === 'update';
}

/**
 * Converts to facts of well-formed Unicode. All facts pass here: models, tools and people may send lone surrogates, which
 * databases reject.
 *
 * @param at milliseconds since 1970: the start of the workflow task
 */
export function toFacts(taken: readonly DeliveredFact[], at: number): readonly Fact[] {
  return taken.map(({ toFact }) => toWellFormed(toFact(at)));
}

/** The number of deferred messages as a member of `HistorySize`. */
export function toDeferredCount(deferred: readonly DeliveredFact[]): { readonly deferred?: number } {
  return deferred.length === 0 ? {} : { deferred: deferred.length };
}

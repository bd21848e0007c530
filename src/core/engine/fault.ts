/**
 * Ends a chain whose own code throws. L7: without this, Temporal would retry the workflow task forever, and neither the
 * time limit nor a cancel would reach the chain. L1: the workflow and its readers run the same pure code on the same facts,
 * so both find this end (docs/decisions/0018-faults-end-chains.md).
 *
 * 1. The fact that caused the fault is counted and hashed like any other, and changes nothing else.
 * 2. Operations under way are cancelled and awaited as after a cancel. A second fault, or one in this file, ends the chain
 *    immediately: these functions return an end for every state.
 * 3. The reason contains nothing that depends on the engine: the worker's log has the error itself.
 */

import { type ChainState, changeState, type Fact, type Stop, type StopReason } from '../model/index.js';
import { computeHead, type Hasher } from './advance.js';
import { type Advance, emit } from './state/advance.js';
import { listCalls } from './state/flight.js';
import { formatFindings, skipClosing, stopChain } from './state/stop.js';

/** @throws the error itself where it may not occur on another machine */
export function endOnFault(before: ChainState, fact: Fact, error: unknown, hasher?: Hasher): Advance {
  rethrowMachineError(error);
  const head = tryOrElse(() => computeHead(before.head, fact, hasher), before.head);
  const start = fact.type === 'started' && before.input === null ? { chainId: fact.chainId, startedAt: fact.at } : {};
  const state: ChainState = changeState(before, { ...start, now: fact.at, facts: before.facts + 1, head });
  const reason: StopReason = { code: 'fault', error: getErrorName(error), at: formatFact(fact) };
  if (state.stop !== null) return emit(endImmediately(state, reason));
  const stop = () => stopChain(state, 'failure', reason, { partial: formatFindings(state), interrupt: true });
  return tryOrElse(stop, null) ?? emit(endImmediately(state, reason));
}

/** Ends immediately, for an error that no fact caused and for a second one. */
export function endOnDecideFault(state: ChainState, error: unknown): ChainState {
  rethrowMachineError(error);
  return endImmediately(state, { code: 'fault', error: getErrorName(error), at: 'the next action' });
}

/** Builds the end from plain values. Parts of the state that cannot be read are omitted. */
function endImmediately(state: ChainState, fault: StopReason): ChainState {
  const effects = tryOrElse(() => listPossibleEffects(state), []);
  const stop: Stop = state.stop ?? {
    outcome: 'failure',
    reason: fault,
    additional: [],
    answer: null,
    partial: tryOrElse(() => formatFindings(state), null),
    closing: false,
    interrupt: 'none',
    awaitsCancel: false,
  };
  const additional = [...stop.additional, ...(state.stop === null ? [] : [fault]), ...effects];
  const last: Stop = { ...stop, additional, interrupt: 'none', awaitsCancel: false };
  const ended: ChainState = changeState(state, { flight: { kind: 'idle' }, stop: last });
  return tryOrElse(() => skipClosing(ended), changeState(ended, { stop: { ...last, closing: false } }));
}

function tryOrElse<T>(run: () => T, otherwise: T): T {
  try {
    return run();
  } catch (error) {
    rethrowMachineError(error);
    return otherwise;
  }
}

/** L5: every end names the effects that may have happened. */
function listPossibleEffects(state: ChainState): readonly StopReason[] {
  const running = listCalls(state).filter(({ progress, effects }) => progress === 'running' && effects === 'unsafe');
  return running.map(({ id: call, tool }) => ({ code: 'may_have_happened', call, tool }));
}

/**
 * Rethrows an exhausted stack: its depth differs between the workflow's sandbox and readers, so it is not a fault of a fact.
 *
 * @throws the error itself, if it is one of these
 */
export function rethrowMachineError(error: unknown): void {
  if (getErrorName(error) === 'RangeError' && /call stack/i.test((error as Error).message)) throw error;
}

/** Reads the name by shape: a workflow's sandbox has its own error classes. */
function getErrorName(error: unknown): string {
  const name: unknown = typeof error === 'object' && error !== null && 'name' in error ? error.name : null;
  return typeof name === 'string' ? name : 'Error';
}

function formatFact(fact: Fact): string {
  const subject =
    'call' in fact ? ` of ${fact.call}` : 'chainId' in fact && fact.type !== 'started' ? ` of ${fact.chainId}` : '';
  return `the fact ${fact.type}${subject}`;
}

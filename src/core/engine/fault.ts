/**
 * How a chain ends when its own code throws. L7: without this, Temporal would retry the workflow task for ever, and neither
 * the time limit nor a cancel would reach the chain. L1: the workflow and its readers run the same pure code on the same
 * facts, so both reach this ending (docs/decisions/0018-faults-end-chains.md).
 *
 * 1. The fact at fault is counted and hashed like any other, and changes nothing else.
 * 2. What runs is told to stop and waited for as after a cancel. A second fault ends the chain at once, and so does one in
 *    this file: whatever the state is, these functions return an ending.
 * 3. The reason has nothing in it that depends on the engine: the workflow's log has the error itself.
 */

import type { Fact } from '../model/fact.js';
import type { ChainState, Stop } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { type Advance, emit } from '../state/advance.js';
import { listCalls } from '../state/flight.js';
import { formatFindings, skipClosing, stopChain } from '../state/stop.js';
import { computeHead, type Hashing } from './advance.js';

/** @throws the error itself where another machine might not meet it */
export function endOnFault(before: ChainState, fact: Fact, error: unknown, hashing?: Hashing): Advance {
  rethrowMachineError(error);
  const head = tryOrElse(() => computeHead(before.head, fact, hashing), before.head);
  const begun = fact.type === 'started' && before.input === null ? { chainId: fact.chainId, startedAt: fact.at } : {};
  const state: ChainState = { ...before, ...begun, now: fact.at, facts: before.facts + 1, head };
  const reason: StopReason = { code: 'fault', error: getErrorName(error), at: formatFact(fact) };
  if (state.stop !== null) return emit(endImmediately(state, reason));
  const stop = () => stopChain(state, 'failure', reason, { partial: formatFindings(state), interrupt: true });
  return tryOrElse(stop, null) ?? emit(endImmediately(state, reason));
}

/** For an error that no fact of the turn explains, and for a second one: nothing is waited for. */
export function endOnDecideFault(state: ChainState, error: unknown): ChainState {
  rethrowMachineError(error);
  return endImmediately(state, { code: 'fault', error: getErrorName(error), at: 'the next action' });
}

/** Built from plain values. What cannot be read of the state is left out. */
function endImmediately(state: ChainState, fault: StopReason): ChainState {
  const effects = tryOrElse(() => listPossibleEffects(state), []);
  const stop: Stop = state.stop ?? {
    ...{
      outcome: 'failure',
      reason: fault,
      additional: [],
      answer: null,
      partial: tryOrElse(() => formatFindings(state), null),
    },
    ...{ closing: false, interrupt: 'none', awaitsCancel: false },
  };
  const besides = [...stop.additional, ...(state.stop === null ? [] : [fault]), ...effects];
  const last: Stop = { ...stop, additional: besides, interrupt: 'none', awaitsCancel: false };
  const ended: ChainState = { ...state, flight: { kind: 'idle' }, stop: last };
  return tryOrElse(() => skipClosing(ended), { ...ended, stop: { ...last, closing: false } });
}

function tryOrElse<T>(run: () => T, otherwise: T): T {
  try {
    return run();
  } catch (error) {
    rethrowMachineError(error);
    return otherwise;
  }
}

/** L5: an effect that may have happened is named however the chain ends. */
function listPossibleEffects(state: ChainState): readonly StopReason[] {
  const running = listCalls(state).filter(({ progress, effects }) => progress === 'running' && effects === 'unsafe');
  return running.map(({ id: call, tool }) => ({ code: 'may_have_happened', call, tool }));
}

/**
 * How deep the stack is differs between the workflow's sandbox and a reader: such an error is no fact's doing alone.
 *
 * @throws the error itself, if it is one of these
 */
export function rethrowMachineError(error: unknown): void {
  if (getErrorName(error) === 'RangeError' && /call stack/i.test((error as Error).message)) throw error;
}

/** By shape: the sandbox of a workflow has error classes of its own. */
function getErrorName(error: unknown): string {
  const name: unknown = typeof error === 'object' && error !== null && 'name' in error ? error.name : null;
  return typeof name === 'string' ? name : 'Error';
}

function formatFact(fact: Fact): string {
  const of =
    'call' in fact ? ` of ${fact.call}` : 'chainId' in fact && fact.type !== 'started' ? ` of ${fact.chainId}` : '';
  return `the fact ${fact.type}${of}`;
}

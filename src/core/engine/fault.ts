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
import type { State, Stop } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { type Advance, emit } from '../state/advance.js';
import { callsIn } from '../state/flight.js';
import { giveUpClosing, stopWith, whatWasFound } from '../state/stop.js';
import { type Hashing, nextHead } from './advance.js';

/** @throws the error itself where another machine might not meet it */
export function endByFault(before: State, fact: Fact, error: unknown, hashing?: Hashing): Advance {
  throwIfOfMachine(error);
  const head = orElse(() => nextHead(before.head, fact, hashing), before.head);
  const begun = fact.type === 'started' && before.input === null ? { chainId: fact.chainId, startedAt: fact.at } : {};
  const state: State = { ...before, ...begun, now: fact.at, facts: before.facts + 1, head };
  const reason: StopReason = { code: 'fault', error: nameOf(error), at: factText(fact) };
  if (state.stop !== null) return emit(endAtOnce(state, reason));
  const stop = () => stopWith(state, 'failure', reason, { partial: whatWasFound(state), interrupt: true });
  return orElse(stop, null) ?? emit(endAtOnce(state, reason));
}

/** For an error that no fact of the turn explains, and for a second one: nothing is waited for. */
export function endUndecided(state: State, error: unknown): State {
  throwIfOfMachine(error);
  return endAtOnce(state, { code: 'fault', error: nameOf(error), at: 'the next action' });
}

/** Built from plain values. What cannot be read of the state is left out. */
function endAtOnce(state: State, fault: StopReason): State {
  const effects = orElse(() => unsafeRunning(state), []);
  const stop: Stop = state.stop ?? {
    ...{
      outcome: 'failure',
      reason: fault,
      besides: [],
      answer: null,
      partial: orElse(() => whatWasFound(state), null),
    },
    ...{ closing: false, interrupt: 'none', awaitsCancel: false },
  };
  const besides = [...stop.besides, ...(state.stop === null ? [] : [fault]), ...effects];
  const last: Stop = { ...stop, besides, interrupt: 'none', awaitsCancel: false };
  const ended: State = { ...state, flight: { kind: 'idle' }, stop: last };
  return orElse(() => giveUpClosing(ended), { ...ended, stop: { ...last, closing: false } });
}

function orElse<T>(run: () => T, otherwise: T): T {
  try {
    return run();
  } catch (error) {
    throwIfOfMachine(error);
    return otherwise;
  }
}

/** L5: an effect that may have happened is named however the chain ends. */
function unsafeRunning(state: State): readonly StopReason[] {
  const running = callsIn(state).filter(({ progress, effects }) => progress === 'running' && effects === 'unsafe');
  return running.map(({ id: call, tool }) => ({ code: 'may_have_happened', call, tool }));
}

/**
 * How deep the stack is differs between the workflow's sandbox and a reader: such an error is no fact's doing alone.
 *
 * @throws the error itself, if it is one of these
 */
export function throwIfOfMachine(error: unknown): void {
  if (nameOf(error) === 'RangeError' && /call stack/i.test((error as Error).message)) throw error;
}

/** By shape: the sandbox of a workflow has error classes of its own. */
function nameOf(error: unknown): string {
  const name: unknown = typeof error === 'object' && error !== null && 'name' in error ? error.name : null;
  return typeof name === 'string' ? name : 'Error';
}

function factText(fact: Fact): string {
  const of =
    'call' in fact ? ` of ${fact.call}` : 'chainId' in fact && fact.type !== 'started' ? ` of ${fact.chainId}` : '';
  return `the fact ${fact.type}${of}`;
}

/**
 * Continue-as-new: a chain moves to a new run, so that its history stays short however long the chain is.
 *
 * 1. Only while nothing runs: between steps, or while the step only waits, for people, a time or a signal. Not while a model
 *    decides about the last step, nor while messages are deferred: the next run would not get them.
 * 2. Readers do not notice. The state is unchanged; only timers, which belong to a run, are started again.
 * 3. A run makes progress: however low its limits are, it does not continue as new immediately.
 * 4. The next run starts with exactly the state of the last turn, and readers verify that. The conversation stays in the
 *    history of the previous run; the state is bounded, so the start is too.
 * 5. A state is read by the version that wrote it. An unknown version is an error.
 */

import { countUtf8Bytes, isObject, type Json, LonghandError, pack, unpack } from '../lib/index.js';
import {
  type Action,
  type ChainState,
  changeState,
  emptyState,
  isPast,
  type Past,
  pastVersion,
  type RunStart,
} from '../model/index.js';
import { awaitsVerdict } from './state/flight.js';

/** Fewest facts of a run: its start, a reply, and the result of a call. */
const minRunFacts = 3;

/** @param actions the next actions, which the next run decides again */
export function continueAsNewIfDue(state: ChainState, actions: readonly Action[]): readonly Action[] {
  return isRunLongEnough(state) && hasNoRunningWork(state, actions) ? [{ type: 'continueAsNew' }] : actions;
}

/** Returns the state for the next run. */
export function toNextRunState(state: ChainState): ChainState {
  const runStart: RunStart = { runs: state.run.runs + 1, steps: state.steps, facts: state.facts };
  return changeState(state, { timers: emptyState.timers, run: runStart });
}

function isRunLongEnough(state: ChainState): boolean {
  const { agent, history, steps, facts, run } = state;
  if (agent === null || facts - run.facts < minRunFacts || history.deferred !== undefined) return false;
  const after = agent.continueAfter;
  return (
    history.continueSuggested ||
    (after?.events !== undefined && history.events >= after.events) ||
    (after?.steps !== undefined && steps - run.steps >= after.steps)
  );
}

function hasNoRunningWork(state: ChainState, actions: readonly Action[]): boolean {
  const { stop, flight } = state;
  if (stop !== null || awaitsVerdict(state)) return false;
  switch (flight.kind) {
    case 'idle':
      return actions.every((action) => action.type === 'callModel' || isTimerAction(action));
    case 'calls':
      return (
        actions.every(isTimerAction) &&
        flight.calls.every(({ progress }) => progress !== 'ready' && progress !== 'running')
      );
    default:
      return false;
  }
}

/** Timers belong to a run: they end with it. */
function isTimerAction({ type }: Action): boolean {
  return type === 'startTimer' || type === 'cancelTimer';
}

const continuationVersion = 1;

/** UTF-8 bytes of a state that is carried unpacked; a larger one is packed. */
const maxPlainBytes = 64 * 1024;
/** UTF-8 bytes of a past that is carried unpacked: one above the usual has the steps of many masked texts. */
const maxPlainPastBytes = 8 * 1024;

/** A paragraph of the chain's page in the Web UI, and its call, if it is about one. */
export interface Paragraph {
  readonly call: string | null;
  readonly text: string;
  /** Sub-chains that the call started. */
  readonly chains?: number;
}

/** The content of the chain's page in the Web UI, which no fact contains. Bounded. */
export interface WebUiDisplay {
  readonly paragraphs: readonly Paragraph[];
  /** Values that tools marked as sensitive, masked from then on. */
  readonly hidden: readonly string[];
}

export interface Continuation {
  readonly continuation: typeof continuationVersion;
  /** Id of the previous run. */
  readonly runId: string;
  readonly state: ChainState | { readonly packed: string };
  readonly display: WebUiDisplay;
  /** For readers that begin at this run. Absent where it is unknown: they read the runs before. */
  readonly past?: Past | { readonly packed: string };
}

export function toContinuation(
  state: ChainState,
  runId: string,
  display: WebUiDisplay,
  past: Past | null = null,
): Continuation {
  return {
    ...{ continuation: continuationVersion, runId, state: packAbove(maxPlainBytes, state), display },
    ...(past === null ? {} : { past: packAbove(maxPlainPastBytes, past) }),
  };
}

function packAbove<T extends ChainState | Past>(bytes: number, value: T): T | { readonly packed: string } {
  const plain = value as unknown as Json;
  return countUtf8Bytes(JSON.stringify(plain)) > bytes ? { packed: pack(plain) } : value;
}

/** Returns the past at the start of a run; null where it is unknown. Never throws: readers can do without it. */
export function readPast({ past }: Continuation): Past | null {
  const written: unknown = past;
  const plain: unknown = isObject(written) && typeof written.packed === 'string' ? unpack(written.packed) : written;
  return isPast(plain) && plain.version === pastVersion ? plain : null;
}

/** Also true for unknown versions: `fromContinuation` reports them. */
export function isContinuation(input: unknown): input is Continuation {
  return isObject(input) && 'continuation' in input && typeof input.runId === 'string';
}

/** @throws LonghandError where another version wrote the state: a worker of that version can continue the chain */
export function fromContinuation({ continuation, state }: Continuation): ChainState {
  if (continuation !== continuationVersion) {
    throw new LonghandError(
      'chain_newer',
      `The chain was continued with state version ${JSON.stringify(continuation)}; this worker knows version ${continuationVersion}. Deploy a newer version of Longhand to the workers.`,
    );
  }
  const plain = 'packed' in state ? unpack(state.packed) : state;
  if (plain === undefined) {
    throw new LonghandError('run_damaged', 'The state at the start of this run cannot be read. It was altered.');
  }
  // A version before may have written it without members that were added since.
  return changeState(emptyState, plain as ChainState);
}

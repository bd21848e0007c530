/**
 * Continue-as-new: a chain moves to a new run, so that its history stays short however long the chain is.
 *
 * 1. Only where nothing runs: between steps, or while all that a step still waits for is people.
 * 2. Nobody is told. The state moves on unchanged; only timers, which belong to a run, are set again.
 * 3. A run gets something done: it is not cut again at once, whatever limit it has.
 * 4. The next run starts with the state of the last turn, to the letter, and readers hold it to that. What the chain said
 *    and saw stays in the history of the run before, where readers find it; a state is bounded, so the start is too.
 * 5. A state is read by the version that wrote it. An unknown version is an error, never a guess.
 */

import { countUtf8Bytes, isObject, type Json } from '../lib/json.js';
import { pack, unpack } from '../lib/pack.js';
import type { Action } from '../model/action.js';
import type { RunStart } from '../model/limits.js';
import type { ChainState } from '../model/state.js';

/** Facts that a run has at least: its start, a reply, and what came of a call. */
const minRunFacts = 3;

/** @param actions what the chain would do next: all of it is decided on once more where it goes on */
export function continueAsNewIfDue(state: ChainState, actions: readonly Action[]): readonly Action[] {
  return isRunLongEnough(state) && hasNoRunningWork(state, actions) ? [{ type: 'continueAsNew' }] : actions;
}

/** As the next run is given it. */
export function toNextRunState(state: ChainState): ChainState {
  const begun: RunStart = { runs: state.run.runs + 1, steps: state.steps, facts: state.facts };
  return { ...state, timers: { deadline: false, grace: false, request: null }, run: begun };
}

function isRunLongEnough(state: ChainState): boolean {
  const { agent, history, steps, facts, run } = state;
  if (agent === null || facts - run.facts < minRunFacts) return false;
  const after = agent.continueAfter;
  return (
    history.continueSuggested ||
    (after?.events !== undefined && history.events >= after.events) ||
    (after?.steps !== undefined && steps - run.steps >= after.steps)
  );
}

function hasNoRunningWork({ stop, flight }: ChainState, actions: readonly Action[]): boolean {
  if (stop !== null) return false;
  switch (flight.kind) {
    case 'idle':
      return actions.every(({ type }) => type === 'callModel' || type === 'startTimer');
    case 'calls':
      return (
        actions.every(({ type }) => type === 'startTimer') &&
        flight.calls.every(({ progress }) => progress !== 'ready' && progress !== 'running')
      );
    default:
      return false;
  }
}

const continuationVersion = 1;

/** UTF-8 bytes of a state that is carried as it is; a larger one is packed. */
const maxPlainBytes = 64 * 1024;

/** A paragraph of the Web UI's page of a chain, and the call that it is about, if it is about one. */
export interface Paragraph {
  readonly call: string | null;
  readonly text: string;
  /** Sub-chains that the call has begun. */
  readonly chains?: number;
}

/** What stands in the Web UI, which no fact tells. Of bounded size. */
export interface WebUiDisplay {
  readonly paragraphs: readonly Paragraph[];
  /** What tools have called sensitive, and is hidden from then on. */
  readonly hidden: readonly string[];
}

export interface Continuation {
  readonly continuation: typeof continuationVersion;
  /** Id of the run before. */
  readonly runId: string;
  readonly state: ChainState | { readonly packed: string };
  readonly display: WebUiDisplay;
}

export function toContinuation(state: ChainState, runId: string, display: WebUiDisplay): Continuation {
  const plain = state as unknown as Json;
  const carried = countUtf8Bytes(JSON.stringify(plain)) > maxPlainBytes ? { packed: pack(plain) } : state;
  return { continuation: continuationVersion, runId, state: carried, display };
}

/** Also of a version that is not known: `stateOf` says so. */
export function isContinuation(input: unknown): input is Continuation {
  return isObject(input) && 'continuation' in input && typeof input.runId === 'string';
}

/** @throws Error for what another version wrote: a worker of that version can go on with it */
export function fromContinuation({ continuation, state }: Continuation): ChainState {
  if (continuation !== continuationVersion) {
    throw new Error(
      `The chain was continued by version ${JSON.stringify(continuation)} of its snapshot, and this worker knows ${continuationVersion}. Deploy a newer version of Longhand to the workers.`,
    );
  }
  const plain = 'packed' in state ? unpack(state.packed) : state;
  if (plain === undefined) throw new Error('The snapshot that the chain goes on from cannot be read.');
  return plain as ChainState;
}

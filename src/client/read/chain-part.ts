/**
 * Reads the beginning of a chain: up to one of its steps.
 *
 * 1. A reader of a part stops at the page of the history on which the step after it was added.
 * 2. A part is what the chain was then: its state, limits and usage. Only later facts can differ from the whole: a text
 *    may repeat a value that a later step marks as sensitive.
 * 3. There is no reading from the end: each view needs all steps before, whose sensitive values it masks, and whose marks
 *    it numbers.
 */

import {
  countCompleteSteps,
  emptyRecord,
  type FoldedTurn,
  findOriginTurns,
  foldRecordedTurns,
  recordEntries,
} from '../../core/engine/index.js';
import { LonghandError } from '../../core/lib/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { emptyFold, readForward } from '../../history/index.js';
import { readChainPages, toReadChain } from './chain-pages.js';
import type { ChainSource } from './chain-source.js';
import type { RecordedHistory } from './recorded-chain.js';

/**
 * Reads a chain up to the page on which the step after this one was added; the whole chain where no step follows.
 * Neither the runs nor the events are returned: a part cannot be exported.
 */
export async function readChainPart(source: ChainSource, step: number): Promise<RecordedHistory> {
  const { service, namespace, chainId } = source;
  const turns: FoldedTurn[] = [];
  let read = toReadChain(emptyFold, { runId: source.runId, closedAt: null, attempts: new Map() });
  const readPages = (runId: string) => readForward({ service, namespace }, { workflowId: chainId, runId });
  for await (const page of readChainPages(source, readPages, 'onDemand')) {
    turns.push(...page.turns);
    read = page.read;
    // The first steps of a fork are there before its agent is known.
    if (page.turns.some(({ state }) => state.steps > step && state.agent !== null)) break;
  }
  const { chain, runId, closed, closedAt, attempts } = read;
  return { chainId, runId, chain, turns, closed, closedAt, attempts, heads: [], runs: [], events: null };
}

/** Returns the chain with all that belongs to the step, before the next step was added. */
export function truncateAfterStep(recorded: RecordedChain, number: number): RecordedChain {
  const { turns } = recorded;
  const next = turns.findIndex(({ state }) => state.steps > number);
  if (next === -1) return recorded;
  // A fork takes over several steps in one turn.
  const isSplit = turns[next - 1]?.state.steps !== number;
  return truncateTurns(recorded, isSplit ? next + 1 : next);
}

/**
 * Returns the chain after the turn that completed a step, before the next model call. For a step that a fork took over,
 * returns its origin at that step, as far as the fork carries it.
 *
 * @throws LonghandError call_not_found
 */
export function truncateAtStep(recorded: RecordedChain, number: number): RecordedChain {
  const { steps, state } = recorded.chain;
  if (number > steps.length) {
    const there = steps.length === 0 ? 'it has none yet' : `it has steps 1 to ${steps.length}`;
    throw new LonghandError('call_not_found', `The chain has no step ${number}: ${there}.`);
  }
  if (state.origin !== null && number < state.origin.steps) return truncateAtStep(toCarriedChain(recorded), number);
  // The first steps of a fork are complete before its agent is known.
  const complete = recorded.turns.findIndex(
    ({ state: after }) => countCompleteSteps(after) >= number && after.agent !== null,
  );
  // No such turn: the chain was terminated before the step was complete.
  return complete === -1 ? recorded : truncateTurns(recorded, complete + 1);
}

function truncateTurns(recorded: RecordedChain, count: number): RecordedChain {
  if (count >= recorded.turns.length) return recorded;
  const turns = recorded.turns.slice(0, count);
  const state = turns.at(-1)?.state ?? emptyFold.chain.state;
  const chain = recordEntries(
    emptyRecord,
    state,
    turns.flatMap(({ entries }) => entries),
  );
  return { ...recorded, chain, turns, closed: null, closedAt: null };
}

/** Returns the origin as far as a fork carries it: only its facts. */
function toCarriedChain(fork: RecordedChain): RecordedChain {
  const { chain, turns } = foldRecordedTurns(findOriginTurns(fork.turns) ?? []);
  const absent = { runId: '', heads: [], attempts: new Map(), runs: [], events: null };
  // The id is that of the facts: a fork of a fork may carry only steps of the first chain.
  return { chainId: chain.state.chainId, chain, turns, closed: null, closedAt: null, ...absent };
}

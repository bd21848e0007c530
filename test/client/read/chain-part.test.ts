/** The beginning of a chain: what it shows, and what of the history is read for it. */

import type { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { readChainPart, truncateAfterStep, truncateAtStep } from '../../../src/client/read/chain-part.js';
import type { ChainSource } from '../../../src/client/read/chain-source.js';
import { readChain } from '../../../src/client/read/read-chain.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import type { ArchivedChain, RunPiece } from '../../../src/contract/archived-runs.js';
import type { RecordedChain } from '../../../src/core/record/recorded-chain.js';
import { toReasoning } from '../../../src/core/view/build-reasoning.js';
import { selectSteps } from '../../../src/core/view/step-range.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { findPreviousRunId } from '../../../src/history/earlier-runs.js';
import { readStoredRuns } from '../../histories/continued.js';
import { converter } from '../../histories/stored.js';
import { matchError } from '../../support/match-error.js';
import { createPagedHistory } from '../../support/paged-history.js';
import { storedRecords } from '../../support/stored-chain.js';

const [first = [], second = [], third = []] = readStoredRuns();
const firstId = (await findPreviousRunId(second[0], converter)) ?? '';
const secondId = (await findPreviousRunId(third[0], converter)) ?? '';

/** A chain of 5 steps in 3 runs: 2, 2 and 1. */
function openChain() {
  const history = createPagedHistory(
    new Map([
      [firstId, first],
      [secondId, second],
      ['last', third],
    ]),
  );
  const server = { connection: {} as Connection, service: history.service, namespace: 'default' };
  const place = { chainId: 'travel-1', runId: 'last', archivedChain: null, archived: null };
  const source: ChainSource = { ...server, ...place, converter };
  return { source, history };
}

const audit = (recorded: RecordedChain) => view(toReasoning(recorded), createViewer('auditor'));

describe('a part of a chain of several runs', () => {
  it('is read without the history behind it, of which only the first page and one event of each run are requested', async () => {
    const { source, history } = openChain();
    const part = await readChainPart(source, 1);
    expect(part.turns.some(({ state }) => state.steps === 2)).toBe(true);
    const requestedOf = (run: string) => history.requested.filter(({ runId }) => runId === run);
    // A reader prefetches one page; of the second run that is one event.
    expect(requestedOf('last')).toHaveLength(2);
    expect(requestedOf(secondId).map(({ eventIds }) => eventIds)).toEqual([[1], [2]]);
    const next = part.turns.find(({ state }) => state.steps === 2)?.eventId ?? 0;
    const behind = requestedOf(firstId).filter(({ eventIds }) => (eventIds[0] ?? 0) > next);
    expect(behind.length).toBeLessThanOrEqual(1);
    expect(history.requested.length).toBeLessThan(history.pages);
  });

  it('requests more pages for a later step, and all of them for the last', async () => {
    const requested: number[] = [];
    for (const step of [1, 3, 5]) {
      const { source, history } = openChain();
      await readChainPart(source, step);
      requested.push(history.requested.length);
    }
    expect(requested).toEqual([...new Set(requested)].sort((a, b) => a - b));
    expect(requested.at(-1)).toBeGreaterThanOrEqual(openChain().history.pages);
  });

  it.each([1, 2, 3, 4, 5, 6])('shows its steps as the whole chain does, up to step %i', async (step) => {
    const whole = await readRecordedChain(openChain().source);
    const part = truncateAfterStep(await readChainPart(openChain().source, step), step);
    const steps = selectSteps(audit(whole).steps, { to: step });
    expect(audit(part).steps).toEqual(steps);
    expect(part.chain).toEqual(truncateAfterStep(whole, step).chain);
  });

  it.each([1, 2, 3, 4, 5])('is the chain at step %i', async (step) => {
    const whole = await readRecordedChain(openChain().source);
    const part = truncateAtStep(await readChainPart(openChain().source, step), step);
    const { chain, turns, closed, closedAt } = truncateAtStep(whole, step);
    expect(part).toMatchObject({ chain, turns, closed, closedAt });
  });

  it('has no step that the chain does not have', async () => {
    const part = await readChainPart(openChain().source, 9);
    expect(() => truncateAtStep(part, 9)).toThrow(matchError('call_not_found', 'it has steps 1 to 5'));
  });

  it('is the same chain when it is read whole, page by page and run by run', async () => {
    const { chain, closed } = await readChain(openChain().source);
    const whole = await readRecordedChain(openChain().source);
    expect(chain).toEqual(whole.chain);
    expect(closed).toBe(whole.closed);
  });
});

it('a part of an archived chain is read without the pieces behind it', async () => {
  const whole = await readRecordedChain(openChain().source);
  const pieces = whole.runs.flatMap((run) =>
    run.turns.map((turn): RunPiece => ({ turns: [turn], attempts: {}, run, head: null })),
  );
  let taken = 0;
  async function* readPieces() {
    for (const piece of pieces) {
      taken += 1;
      yield piece;
    }
  }
  const archivedChain = { lastRunId: 'last', readPieces } as unknown as ArchivedChain;
  const part = truncateAfterStep(await readChainPart({ ...openChain().source, archivedChain }, 2), 2);
  expect(part.chain).toEqual(truncateAfterStep(whole, 2).chain);
  expect(taken).toBeLessThan(pieces.length);
});

it('a part of each stored chain shows the steps that the whole shows', async () => {
  for (const whole of await storedRecords()) {
    for (let step = 1; step < whole.chain.steps.length; step += 1) {
      const part = audit(truncateAfterStep(whole, step));
      expect(selectSteps(part.steps, { to: step }), whole.chainId).toEqual(
        selectSteps(audit(whole).steps, { to: step }),
      );
    }
  }
});

/** The cache of a worker: what a model call reads of the history, and what the chain is in each case. */

import type { WorkflowService } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { emptyFold, foldEventsToTurns } from '../../src/history/fold.js';
import { createFoldCache } from '../../src/history/fold-cache.js';
import { converter, readStoredHistories } from '../histories/stored.js';

const run = { workflowId: 'chain', runId: 'run' };
const chains = await Promise.all(
  readStoredHistories().map(async ({ name, events }) => {
    const { fold, turns } = await foldEventsToTurns(emptyFold, events, converter);
    return { name, events, fold, turns };
  }),
);
/** Of one run, which is shorter than the events that may stay unread. */
const suitable = chains.filter(
  ({ turns, events }) => turns.length > 3 && turns[0]?.state.run.runs === 0 && events.length < 256,
);

/** The last turn of the second task with a turn: a task has two where local calls ended in it. */
function findBase({ turns }: Pick<(typeof chains)[number], 'turns'>): number {
  return turns.findLastIndex(({ eventId }) => eventId === turns[1]?.eventId);
}

/** A cache that has read the chain until its second task, and counts what it reads after that. */
async function openCache({ events, turns }: (typeof chains)[number]) {
  const reads: string[] = [];
  const read = (direction: string, page: typeof events) => async () => {
    reads.push(direction);
    return { history: { events: [...page] }, nextPageToken: new Uint8Array() };
  };
  const service = {
    getWorkflowExecutionHistory: read('forward', events),
    getWorkflowExecutionHistoryReverse: read('backward', events.toReversed()),
  } as unknown as WorkflowService;
  const history = { service, namespace: 'default' };
  const cache = createFoldCache({ converter, archived: null });
  const readTurn = (turn: (typeof turns)[number] | undefined) =>
    cache.readAt(history, run, { events: turn?.history.events ?? 0, head: turn?.state.head ?? '' });
  await readTurn(turns[findBase({ turns })]);
  reads.length = 0;
  return { cache, reads, readTurn };
}

describe.each(suitable)('a model call of the stored chain $name', (chain) => {
  const { turns } = chain;
  const base = findBase(chain);
  const last = turns.at(-1);

  it('reads nothing when the workflow has passed all turns, and has the chain of the history', async () => {
    const { cache, reads, readTurn } = await openCache(chain);
    for (const { history, facts } of turns.slice(base + 1)) cache.addTurn(run.runId, { history, facts });
    expect(await readTurn(last)).toEqual(chain.fold.chain);
    expect(reads).toEqual([]);
  });

  it('reads the history when a turn was not passed, or was passed by a task that failed', async () => {
    const { cache, reads, readTurn } = await openCache(chain);
    for (const { history, facts } of turns.slice(base + 2)) cache.addTurn(run.runId, { history, facts });
    expect(await readTurn(last)).toEqual(chain.fold.chain);
    expect(reads).toEqual(['backward']);
  });

  it.each([{ events: 300 }, { bytes: 5_000_000 }])(
    'reads the history when the turns have grown by %j',
    async (grown) => {
      const { events = 0, bytes = 0 } = grown as { readonly events?: number; readonly bytes?: number };
      const { cache, reads, readTurn } = await openCache(chain);
      for (const { history, facts } of turns.slice(base + 1)) {
        cache.addTurn(run.runId, {
          history: { ...history, events: history.events + events, bytes: history.bytes + bytes },
          facts,
        });
      }
      expect(await readTurn(last)).toEqual(chain.fold.chain);
      expect(reads).toEqual(['backward']);
    },
  );
});

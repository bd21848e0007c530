/** The cache of a worker: what a model call reads of the history, and what the chain is in each case. */

import type { WorkflowService } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import type { FoldRead } from '../../src/contract/taken-turns.js';
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
async function openCache({ events, turns }: (typeof chains)[number], capacityBytes?: number) {
  const reads: string[] = [];
  const sources: FoldRead['source'][] = [];
  const read = (direction: string, page: typeof events) => async () => {
    reads.push(direction);
    return { history: { events: [...page] }, nextPageToken: new Uint8Array() };
  };
  const service = {
    getWorkflowExecutionHistory: read('forward', events),
    getWorkflowExecutionHistoryReverse: read('backward', events.toReversed()),
  } as unknown as WorkflowService;
  const history = { service, namespace: 'default' };
  const report = ({ source }: FoldRead) => void sources.push(source);
  const cache = createFoldCache({ converter, archived: null, report }, capacityBytes);
  const readTurn = (turn: (typeof turns)[number] | undefined, runId = run.runId) =>
    cache.readAt(history, { ...run, runId }, { events: turn?.history.events ?? 0, head: turn?.state.head ?? '' });
  await readTurn(turns[findBase({ turns })]);
  reads.length = 0;
  sources.length = 0;
  return { cache, reads, sources, readTurn };
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

describe('the size of the cache', () => {
  const [chain] = suitable;
  if (chain === undefined) throw new Error('No stored chain is suitable.');
  const runIds = Array.from({ length: 1_000 }, (_, nth) => `run-${nth}`);

  it('holds a thousand short chains, and evicts by bytes', async () => {
    const { sources, readTurn } = await openCache(chain);
    for (const runId of runIds) await readTurn(chain.turns[1], runId);
    for (const runId of runIds) await readTurn(chain.turns[1], runId);
    expect(sources).toEqual(runIds.flatMap(() => ['start']).concat(runIds.flatMap(() => ['cache'])));

    const small = await openCache(chain, 64 * 1024);
    for (const runId of runIds.slice(0, 20)) await small.readTurn(chain.turns[1], runId);
    for (const runId of runIds.slice(0, 20)) await small.readTurn(chain.turns[1], runId);
    expect(small.sources).not.toContain('cache');
  });

  it('holds the snapshot of an agent once, for all of its chains', async () => {
    const { readTurn } = await openCache(chain);
    const [first, second] = await Promise.all(['a', 'b'].map((runId) => readTurn(chain.turns.at(-1), runId)));
    expect(first?.state.agent).not.toBeNull();
    const third = await readTurn(chain.turns.at(-1), 'c');
    expect(third.state.agent).toBe(second?.state.agent);
    expect(third).toEqual(first);
  });

  it('keeps an ended run for readers of its end, and then removes it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { cache, sources, readTurn } = await openCache(chain);
      cache.endRun(run.runId);
      await readTurn(chain.turns[1]);
      cache.endRun(run.runId);
      vi.advanceTimersByTime(31_000);
      await readTurn(chain.turns[1]);
      expect(sources).toEqual(['cache', 'start']);
    } finally {
      vi.useRealTimers();
    }
  });
});

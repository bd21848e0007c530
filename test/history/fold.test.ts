/**
 * L1: a reader folds a history into the workflow's own chain, however it reads the events. Proved on stored histories:
 * at each model call the workflow recorded the number of facts and the digest over them.
 */

import { defaultPayloadConverter } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallModelInput } from '../../src/contract/activities.js';
import { toChainResult } from '../../src/core/engine/result.js';
import type { Chain } from '../../src/core/model/chain.js';
import { getEventId, type HistoryEvent } from '../../src/history/event.js';
import { emptyFold, type Fold, foldEvents } from '../../src/history/fold.js';
import { converter, readStoredHistories, releases, toExpected } from '../histories/stored.js';
import { budget, isLong } from '../support/budget.js';
import { batchesOf, insertedBefore } from '../support/history-events.js';

const stored = releases.flatMap(readStoredHistories);

async function foldAll(pages: readonly (readonly HistoryEvent[])[], until?: number): Promise<Fold> {
  let fold = emptyFold;
  for (const page of pages) fold = await foldEvents(fold, page, converter, until);
  return fold;
}

/** All in the long form; in the short form the last one, and some before it. */
function sample<T>(all: readonly T[]): readonly T[] {
  return isLong ? all : all.filter((_, at) => (all.length - 1 - at) % 5 === 0);
}

/** The workflow's facts and head at each model call. */
function readModelCallInputs(events: readonly HistoryEvent[]): readonly CallModelInput[] {
  return events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
    if (scheduled?.activityType?.name !== 'longhand.callModel') return [];
    return [JSON.parse(Buffer.from(scheduled.input?.payloads?.[0]?.data ?? []).toString()) as CallModelInput];
  });
}

describe.each(stored)('the stored history $release/$name', ({ events, expected }) => {
  it('folds to the recorded chain', async () => {
    expect(JSON.parse(JSON.stringify(toExpected(await foldAll([events]))))).toEqual(expected);
  });

  it("has the workflow's facts at each model call", async () => {
    const calls = readModelCallInputs(events);
    expect(calls.length).toBeGreaterThan(0);
    for (const { events: began, facts, head } of calls) {
      const { chain, completedEventId } = await foldAll([events], began + 1);
      expect({ facts: chain.state.facts, head: chain.state.head }).toEqual({ facts, head });
      expect(completedEventId).toBe(began + 1);
    }
  });

  it('is the same for every page size', async () => {
    const whole = await foldAll([events]);
    const batches = batchesOf(events);
    await fc.assert(
      fc.asyncProperty(fc.subarray(batches.map((_, index) => index)), async (starts) => {
        const pages = [0, ...starts].map((start, at, all) => batches.slice(start, all[at + 1]).flat());
        expect((await foldAll(pages)).chain).toEqual(whole.chain);
      }),
      { numRuns: budget(5, 25), examples: [[batches.map((_, index) => index)]] },
    );
  });

  it('is the same where pages overlap, as when a reader starts again', async () => {
    const whole = await foldAll([events]);
    for (const batch of sample(batchesOf(events))) {
      const until = getEventId(batch.at(-1)!);
      const first = events.filter((event) => getEventId(event) <= until);
      expect((await foldAll([first, events])).chain).toEqual(whole.chain);
    }
  });
});

describe('a workflow task that failed', () => {
  it.each(stored)('delivers nothing: its facts go to the next ($name)', async ({ events }) => {
    const whole = await foldAll([events]);
    const tasks = [...events.entries()].filter(([, event]) => event.workflowTaskScheduledEventAttributes);
    for (const [index, scheduled] of sample(tasks)) {
      const started = events[index + 1]!;
      const id = getEventId(scheduled);
      const failed = { eventTime: started.eventTime ?? null, workflowTaskFailedEventAttributes: {} };
      const { chain } = await foldAll([insertedBefore(events, id, [scheduled, started, failed])]);
      expectSame(chain, whole.chain);
    }
  });
});

describe('a signal that arrives while a workflow task runs', () => {
  // The server records it after the task's commands, and schedules another task. A cancelled chain starts no local calls, whose markers
  // the rest of the history would still have.
  it.each(stored.filter(({ name }) => name !== 'local-calls'))(
    'belongs to the next task ($name)',
    async ({ events }) => {
      const whole = await foldAll([events]);
      const done = events.findIndex((event) => event.workflowTaskCompletedEventAttributes);
      const batch = batchesOf(events.slice(done))[0]!;
      const id = getEventId(batch.at(-1)!) + 1;
      const signal = { eventTime: batch[0]!.eventTime ?? null, workflowExecutionSignaledEventAttributes: cancelSignal };
      const signalled = insertedBefore(events, id, [signal]);
      // The same up to the first task, and cancelled after the second.
      expectSame((await foldAll([signalled.slice(0, id)])).chain, (await foldAll([events.slice(0, id - 1)])).chain);
      const { chain } = await foldAll([signalled]);
      expect(toChainResult(chain.state)).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
      expect(chain.state.stop?.reason).toMatchObject({ by: 'Ada' });
      expect(whole.chain.state.facts).toBe(chain.state.facts - 1);
    },
  );
});

const cancelSignal = {
  signalName: 'longhand.cancel',
  input: { payloads: [defaultPayloadConverter.toPayload({ id: 'one', by: 'Ada', reason: null })] },
};

/** The same chain without the length of its history. */
function expectSame(chain: Chain, other: Chain): void {
  expect({ ...chain, state: { ...chain.state, history: null } }).toEqual({
    ...other,
    state: { ...other.state, history: null },
  });
}

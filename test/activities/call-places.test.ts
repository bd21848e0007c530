/** Calls that wait for a place of their tool, in the worker and over all workers of a store. */

import { expect, it } from 'vitest';
import { type CallPlace, createCallPlaces } from '../../src/activities/context/call-places.js';
import type { ToolConcurrency } from '../../src/index.js';
import { NotDone } from '../../src/index.js';
import { openStore } from '../../src/store/db/open.js';
import { createFleetPlaces, type FleetPlaces } from '../../src/store/places/fleet-places.js';
import { createMeeting } from '../support/delegating.js';
import { describeStores } from '../support/stores.js';

const limit = (more: Partial<ToolConcurrency>): ToolConcurrency => ({
  ...{ group: 'query', perWorker: null, fleet: null, waitMs: 60_000 },
  ...more,
});

const someCaller = () => {
  const reasons: string[] = [];
  const control = new AbortController();
  const onWait = (reason: string) => void reasons.push(reason);
  const caller = (chainId: string) => ({ chainId, signal: control.signal, onWait, warn: () => {} });
  return { reasons, caller, cancel: () => control.abort(new Error('cancelled')) };
};

it('a chain with many calls does not keep another one waiting', async () => {
  const places = createCallPlaces(null);
  const { caller, reasons } = someCaller();
  const order: string[] = [];
  const take = async (chainId: string, call: string) => {
    const place = await places.take(limit({ perWorker: 1 }), caller(chainId));
    order.push(call);
    return place;
  };
  const first = await take('many', 'many-1');
  const waiting = [take('many', 'many-2'), take('many', 'many-3'), take('few', 'few-1')];
  expect(reasons[0]).toBe('Waiting for a free place: 1 of 1 calls of query run in this worker.');
  first.leave();
  for (const next of [waiting[2], waiting[0], waiting[1]]) (await next)?.leave();
  expect(order).toEqual(['many-1', 'few-1', 'many-2', 'many-3']);
});

it('a call whose chain runs least is next', async () => {
  const places = createCallPlaces(null);
  const { caller } = someCaller();
  const order: string[] = [];
  const take = async (chainId: string) => {
    const place = await places.take(limit({ perWorker: 2 }), caller(chainId));
    order.push(chainId);
    return place;
  };
  const [first, second] = [await take('many'), await take('many')];
  const waiting = [take('many'), take('few')];
  first.leave();
  await waiting[1];
  expect(order).toEqual(['many', 'many', 'few']);
  second.leave();
  await waiting[0];
});

it('a call without a place did not run: where its wait is cancelled or too long, and without a store', async () => {
  const places = createCallPlaces(null);
  const { caller, cancel } = someCaller();
  const held = await places.take(limit({ perWorker: 1 }), caller('a'));
  const late = places.take(limit({ perWorker: 1, waitMs: 20 }), caller('b'));
  await expect(late).rejects.toThrow(
    new NotDone(
      'It did not run: no place was free within 20 ms (1 of 1 calls of query run in this worker). Call it again later, or continue without it.',
    ),
  );
  await expect(late).rejects.toThrow(NotDone);
  await expect(places.take(limit({ fleet: 1 }), caller('b'))).rejects.toThrow('this worker has no store');
  const stopped = places.take(limit({ perWorker: 1 }), caller('b'));
  cancel();
  await expect(stopped).rejects.toThrow(
    new NotDone('It did not run: it was stopped while it waited for a free place.'),
  );
  held.leave();
  const free = someCaller();
  await expect(places.take(limit({ perWorker: 1 }), free.caller('c'))).resolves.toMatchObject({ hasWaited: false });
});

it('a call waits while the store is unavailable', async () => {
  const store = await openStore('memory:');
  const real = createFleetPlaces(store, { namespace: 'n' });
  let isDown = true;
  const fleet: FleetPlaces = {
    ...real,
    join: async (group) => {
      if (!isDown) return real.join(group);
      isDown = false;
      throw new Error('The connection was refused.');
    },
  };
  const { caller, reasons } = someCaller();
  const place = await createCallPlaces(fleet).take(limit({ fleet: 1 }), caller('a'));
  expect(reasons).toEqual([
    'Waiting for a free place: the store, which counts the calls of all workers, is unavailable.',
  ]);
  place.leave();
  await store.close();
});

describeStores((open) => {
  it('never runs more than its limits at once, in two workers with five chains', async () => {
    const store = await open();
    const workers = [1, 2].map(() => createCallPlaces(createFleetPlaces(store, { namespace: 'n' })));
    // The first three calls run until all of them do, however long the store takes to admit them.
    const three = createMeeting(3);
    let running = 0;
    let most = 0;
    let ended = 0;
    const perWorker = [0, 0];
    const call = async (at: number) => {
      const worker = at % 2;
      const place: CallPlace | undefined = await workers[worker]?.take(
        limit({ perWorker: 2, fleet: 3 }),
        someCaller().caller(`chain-${at % 5}`),
      );
      running += 1;
      perWorker[worker] = (perWorker[worker] ?? 0) + 1;
      most = Math.max(most, running);
      expect(perWorker[worker]).toBeLessThanOrEqual(2);
      await three();
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      perWorker[worker] = (perWorker[worker] ?? 0) - 1;
      ended += 1;
      place?.leave();
    };
    await Promise.all(Array.from({ length: 15 }, (_, at) => call(at)));
    expect({ most, ended }).toEqual({ most: 3, ended: 15 });
  });
});

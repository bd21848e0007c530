/** The running workers of a store, and when all workers of a queue are known. */

import { expect, it } from 'vitest';
import {
  createWorkerEntry,
  listNearestAgents,
  listQueueAgents,
  listWorkers,
} from '../../../src/store/workers/worker-registry.js';
import { describeStores } from '../../support/stores.js';

const queue = { namespace: 'n', taskQueue: 'q' };
const named = (...names: readonly string[]) => names.map((name) => ({ name, isOwned: false }));
const clerk = { identity: '1@a', agents: named('clerk', 'cook') };

describeStores((open) => {
  it('lists the workers of a queue, without those that have stopped or were killed', async () => {
    const store = await open();
    let at = 1_000_000;
    const now = () => at;
    const [first, second] = [
      createWorkerEntry(store, queue, clerk, now),
      createWorkerEntry(store, queue, { identity: '2@b', agents: [] }, now),
    ];
    const other = createWorkerEntry(store, { ...queue, taskQueue: 'other' }, clerk, now);
    for (const entry of [first, second, other]) await entry.renew();
    const list = async () => (await listWorkers(store, queue, now)).map(({ identity }) => identity).sort();
    expect(await list()).toEqual(['1@a', '2@b']);
    at += 150_000;
    await second.renew();
    at += 60_000;
    expect(await list()).toEqual(['2@b']);
    await first.renew();
    expect(await listWorkers(store, queue, now)).toContainEqual(clerk);
    await second.remove();
    expect(await list()).toEqual(['1@a']);
    at += 3_600_000;
    await second.renew();
    expect(
      await store.db.selectFrom('queue_workers').select('identity').where('queue', 'like', '%"q"%').execute(),
    ).toEqual([{ identity: '2@b' }]);
  });
});

it.each([
  ['all pollers have an entry', ['1@a'], clerk.agents],
  ['a poller has none, such as a worker of another version or without the store', ['1@a', '2@b'], null],
  ['the server lists no poller', [], null],
  ['the server does not answer', null, null],
])('the agents of a queue are known only where %s', async (_, pollers, known) => {
  expect(await listQueueAgents([clerk], async () => pollers)).toEqual(known);
});

it('the agents of a queue without entries are not known, and the server is not asked', async () => {
  const ask = () => Promise.reject(new Error('asked'));
  expect(await listQueueAgents([], ask)).toBeNull();
});

it('an agent of tenants is not named to others, and at most ten are', () => {
  expect(listNearestAgents('clrk', [...named('cook', 'clerk'), { name: 'clark', isOwned: true }])).toEqual([
    'clerk',
    'cook',
  ]);
  expect(listNearestAgents('a', named(...Array.from({ length: 50 }, (_, at) => `b${at}`)))).toHaveLength(10);
});

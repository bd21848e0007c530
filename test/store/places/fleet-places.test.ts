/** Places for calls, over several workers of a store. */

import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createFleetPlaces } from '../../../src/store/places/fleet-places.js';
import { startProcess } from '../../support/store-process.js';
import { alsoOnPostgres, describeStores, sharedDatabases } from '../../support/stores.js';

const namespace = 'n';

describeStores((open) => {
  it('has an order, in which a call moves up when one before it leaves', async () => {
    const places = createFleetPlaces(await open(), { namespace });
    const [first, second, third] = [await places.join('a'), await places.join('a'), await places.join('a')];
    expect([await first.countBefore(), await second.countBefore(), await third.countBefore()]).toEqual([0, 1, 2]);
    await second.leave();
    expect([await first.countBefore(), await second.countBefore(), await third.countBefore()]).toEqual([0, null, 1]);
    await first.leave();
    expect(await third.countBefore()).toBe(0);
    expect(await (await places.join('a')).countBefore()).toBe(1);
  });

  it('is separate for each group and each namespace', async () => {
    const store = await open();
    const places = createFleetPlaces(store, { namespace });
    await places.join('a');
    expect(await (await places.join('b')).countBefore()).toBe(0);
    expect(await (await createFleetPlaces(store, { namespace: 'other' }).join('a')).countBefore()).toBe(0);
  });

  it('drops an entry that was not renewed, which then cannot be renewed: two calls would have its place', async () => {
    let now = 1_000_000;
    const places = createFleetPlaces(await open(), { namespace, leaseMs: 1_000, now: () => now });
    const [lost, next] = [await places.join('a'), await places.join('a')];
    now += 900;
    expect([await lost.renew(), await next.renew()]).toEqual([true, true]);
    now += 950;
    expect(await next.renew()).toBe(true);
    expect(await next.countBefore()).toBe(1);
    now += 100;
    expect(await next.countBefore()).toBe(0);
    expect(await lost.renew()).toBe(false);
    expect(await lost.countBefore()).toBeNull();
  });
}, alsoOnPostgres);

describeStores((open) => {
  it('gives the place of a killed process to the next call', async () => {
    const leaseMs = 1_000;
    const held = await startProcess(new URL('./hold-process.ts', import.meta.url), [await open.where(), `${leaseMs}`]);
    await once(held.stdout, 'data');
    const next = await createFleetPlaces(await open(), { namespace, leaseMs: 60_000 }).join('query');
    expect(await next.countBefore()).toBe(1);
    held.kill('SIGKILL');
    await once(held, 'exit');
    await expect.poll(() => next.countBefore(), { timeout: 10_000 }).toBe(0);
  }, 60_000);
}, sharedDatabases);

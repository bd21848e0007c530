/** Claims of the sweep: one process at a time, and no wrong clock makes it skip a run. */

import { expect, it } from 'vitest';
import { claimSweep, completeSweep } from '../../../src/store/archive/sweep-claim.js';
import { describeStores } from '../../support/stores.js';

describeStores((open) => {
  const minute = 60_000;

  it('one process sweeps at a time, and the claim of a dead process expires', async () => {
    const store = await open();
    const take = (now: number) => claimSweep(store, { namespace: 'default', now, leaseMs: 10 * minute });
    expect(await take(1_000 * minute)).toBe(0);
    expect(await take(1_001 * minute)).toBeNull();
    expect(await take(1_011 * minute)).toBe(0);
    await completeSweep(store, { namespace: 'default', watermark: 1_011 * minute });
    expect(await take(1_012 * minute)).toBe(1_011 * minute);
  });

  it('a clock that was ahead neither blocks a later sweep nor moves its start', async () => {
    const store = await open();
    const take = (now: number) => claimSweep(store, { namespace: 'default', now, leaseMs: 10 * minute });
    const ahead = 1_000_000 * minute;
    expect(await take(ahead)).toBe(0);
    expect(await take(1_000 * minute)).toBe(0);
    await completeSweep(store, { namespace: 'default', watermark: ahead });
    // Never later than now.
    expect(await take(1_001 * minute)).toBe(1_001 * minute);
  });
});

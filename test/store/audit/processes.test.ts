/** The audit log stays one unbroken chain when several processes append to it, and when one is killed in the middle. */

import { once } from 'node:events';
import { expect, it } from 'vitest';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { inProcesses, startProcess } from '../../support/store-process.js';
import { describeStores, sharedDatabases } from '../../support/stores.js';

const appending = new URL('./append-process.ts', import.meta.url);

describeStores((open) => {
  it('when four processes append at once', async () => {
    const store = await open();
    await inProcesses(4, appending, [await open.where(), '15']);
    expect(await verifyStore(store, 'default', null)).toMatchObject({ findings: [], entries: 4 * 15 * 3 });
  });

  it('when one is killed in the middle, and another goes on', async () => {
    const store = await open();
    const child = startProcess(appending, [await open.where(), '100000']);
    child.stdin.end('begin\n');
    let said = '';
    child.stdout.on('data', (data) => (said += data));
    await expect.poll(() => Number(said.trim().split('\n').at(-1))).toBeGreaterThan(10);
    child.kill('SIGKILL');
    await once(child, 'close');
    const acknowledged = Number(said.trim().split('\n').at(-1)) + 1;
    await inProcesses(1, appending, [await open.where(), '5']);
    const { findings, entries } = await verifyStore(store, 'default', null);
    expect(findings).toEqual([]);
    // What was acknowledged is there; of what was not, all or nothing.
    expect(entries % 3).toBe(0);
    expect(entries).toBeGreaterThanOrEqual((acknowledged + 5) * 3);
  });
}, sharedDatabases);

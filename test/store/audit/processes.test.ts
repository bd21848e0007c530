/** The audit log remains one unbroken hash chain with several processes, also when one is killed. */

import { once } from 'node:events';
import { expect, it } from 'vitest';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { budget } from '../../support/budget.js';
import { runProcesses, startProcess } from '../../support/store-process.js';
import { describeStores, sharedDatabases } from '../../support/stores.js';

const appending = new URL('./append-process.ts', import.meta.url);

describeStores((open) => {
  it('the log is unbroken when several processes append at once', async () => {
    const store = await open();
    const processes = budget(2, 4);
    await runProcesses(processes, appending, [await open.where(), '15']);
    expect(await verifyStore(store, 'default', null)).toMatchObject({ findings: [], entries: processes * 15 * 3 });
  });

  it('the log is unbroken when one process is killed and another continues', async () => {
    const store = await open();
    const child = await startProcess(appending, [await open.where(), '100000']);
    child.stdin.end('begin\n');
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    await expect.poll(() => Number(output.trim().split('\n').at(-1))).toBeGreaterThan(10);
    child.kill('SIGKILL');
    await once(child, 'close');
    const acknowledged = Number(output.trim().split('\n').at(-1)) + 1;
    await runProcesses(1, appending, [await open.where(), '5']);
    const { findings, entries } = await verifyStore(store, 'default', null);
    expect(findings).toEqual([]);
    // Acknowledged transactions are there; the others completely or not at all.
    expect(entries % 3).toBe(0);
    expect(entries).toBeGreaterThanOrEqual((acknowledged + 5) * 3);
  });
}, sharedDatabases);

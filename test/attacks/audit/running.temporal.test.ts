/** A worker with a hostile model, and a database owner who rewrites the log between two sweeps. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openStore } from '../../../src/entries/store.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { createAuditKey } from '../../../src/store/audit/key.js';
import { checkHeads, immediateCadence, listHeads, signHeads } from '../../../src/store/audit/sign-heads.js';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { asBob, rewriteLog, runWithoutTriggers } from '../../support/back-door.js';
import { withWorker } from '../../support/chain-test.js';
import { useOwnServer } from '../../support/temporal.js';

// The sweep archives all chains of a server, then signs.
useOwnServer();

const folder = mkdtempSync(join(tmpdir(), 'longhand-audit-running-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

const [high, low] = ['\ud83d', '\ude00'];
const seen: unknown[] = [];
const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks up a person',
  inputSchema: z.object({ name: z.string() }),
  effects: 'read',
  execute: ({ name }) => {
    seen.push(name);
    return { [`key${high}`]: `${low}\0`, name };
  },
});
const clerk = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [lookUp] });

it('a log survives a hostile model, and a worker does not sign a log that was rewritten', async () => {
  const where = join(folder, 'store.db');
  const key = createAuditKey(join(folder, 'audit.pem'));
  vi.stubEnv('LONGHAND_AUDIT_KEY', join(folder, 'audit.pem'));
  const replies = [
    { text: `Ho${low}`, calls: [{ name: `look${high}up`, input: { [low]: high } }] },
    { calls: [{ name: 'look_up', input: { name: `Ada${high}` } }] },
    { text: `Done${high}.` },
    { text: 'Done.' },
  ];
  const worker = { store: where, sweepInterval: 300 };
  await withWorker({ agents: [clerk], replies, worker }, async ({ longhand }) => {
    const chain = await longhand.start(clerk, `Who is it?${low}`, { tenant: 'acme', user: `eve${high}` });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Done\ufffd.' });
    expect(seen).toEqual(['Ada\ufffd']);
    const store = await openStore(where);
    const log = JSON.stringify(['default', 'acme']);
    await expect.poll(async () => (await listHeads(store.db, log)).length).toBe(1);
    expect((await verifyStore(store, 'default', [key.id])).findings).toEqual([]);

    await rewriteLog(store, 'acme', (entry) => asBob({ ...entry, at: 1 }));
    await runWithoutTriggers(store, 'delete from audit_heads');
    const other = await longhand.start(clerk, 'And now?', { tenant: 'other' });
    await other.result();
    // The worker continues to sign the log of the other tenant.
    await expect.poll(async () => (await listHeads(store.db, JSON.stringify(['default', 'other']))).length).toBe(1);
    expect(await listHeads(store.db, log)).toEqual([]);
    expect((await checkHeads(store, key)).faults).toMatchObject([{ kind: 'rewritten', tenant: 'acme' }]);
    expect((await signHeads(store, key, Date.now(), immediateCadence)).faults.length).toBe(1);
    const { findings } = await verifyStore(store, 'default', [key.id]);
    expect(findings.map(({ kind }) => kind)).toContain('unsigned');
    await store.close();
  });
});

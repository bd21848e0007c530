/** `longhand archive list`, `prune` and `erase`. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eraseContent } from '../../../src/cli/archive/erase.js';
import { listArchive } from '../../../src/cli/archive/list.js';
import { pruneArchive } from '../../../src/cli/archive/sweep.js';
import { createApiKey } from '../../../src/gateway/identity/api-key.js';
import { validateKeyRequest } from '../../../src/gateway/identity/validate-key-request.js';
import { eraseChains } from '../../../src/store/archive/erase.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { createPlanStore } from '../../../src/store/cache/plan-store.js';
import { createKeyStore } from '../../../src/store/keys/key-store.js';
import { createWebhookStore } from '../../../src/store/webhooks/webhook-store.js';
import { typicalSegment } from '../../support/archived.js';
import { matchError } from '../../support/match-error.js';
import { printed } from '../../support/printed.js';
import { useFileStore } from '../../support/stores.js';

const dayMs = 86_400_000;
const begun = Date.now() - 40 * dayMs;
const file = useFileStore();
beforeEach(async () => {
  vi.stubEnv('LONGHAND_STORE', file.where);
  const chain = (chainId: string, input: object, startedAt = begun) =>
    putRun(file.store, typicalSegment({ steps: 2, chainId, input, startedAt }));
  await chain('bill-1', { tenant: 'acme', task: 'Pay the bill of ada@example.com.' });
  await chain('bill-2', { tenant: 'initech' }, begun + dayMs);
  await chain('gone-1', { tenant: 'initech' }, begun + 2 * dayMs);
  await eraseChains(file.store, { chainId: 'gone-1' }, { namespace: 'default', by: 'dpo', now: Date.now() });
});
afterEach(() => void vi.unstubAllEnvs());

async function runList(flags: object = {}) {
  const { out } = await printed((terminal) => listArchive(terminal, { limit: '50', json: true, ...flags }));
  return JSON.parse(out) as readonly { chainId: string; task: string; keptUntil: string | null }[];
}

it('lists archived chains, as a developer sees them, with the end of their retention', async () => {
  vi.stubEnv('LONGHAND_RETENTION', '[{ "days": 50 }, { "tenant": "acme", "days": "forever" }]');
  const rows = await runList();
  expect(rows.map(({ chainId }) => chainId)).toEqual(['gone-1', 'bill-2', 'bill-1']);
  expect(rows[2]).toMatchObject({ task: 'Pay the bill of [redacted:email].', keptUntil: null, outcome: 'success' });
  const retention = Date.parse(rows[1]?.keptUntil ?? '') - begun;
  expect(Math.round(retention / dayMs)).toBe(51);
  expect(rows[0]).toMatchObject({ task: '', erased: { by: 'dpo' } });
  expect((await runList({ tenant: 'acme' })).map(({ chainId }) => chainId)).toEqual(['bill-1']);
  expect((await runList({ since: '39d' })).map(({ chainId }) => chainId)).toEqual(['gone-1']);
});

it('prints a table for people, and reports that more chains match', async () => {
  const { out, reported } = await printed((terminal) => listArchive(terminal, { limit: '2' }), 140);
  expect(out).toMatch(/CHAIN +AGENT +TENANT +OUTCOME +STEPS +COST +ENDED +KEPT UNTIL/);
  expect(out).toContain('success, erased');
  expect(reported).toContain('More than 2 chains match');
});

it('prunes by the retention rules, with the plans of chains, and skips the grace period only with --at-once', async () => {
  const plans = createPlanStore(file.store, { namespace: 'default', sealer: null, now: () => begun });
  const scope = { tenant: 'initech', key: 'clerk' };
  for (const chainId of ['bill-2', 'other'])
    await plans.put(scope, {
      tasks: [{ id: 'a', description: 'Do a.', dependsOn: [], tools: [], confirm: [] }],
      goal: chainId,
      chainId,
      user: null,
      startedAt: begun,
    });
  const listChains = async () =>
    (await file.store.db.selectFrom('reused_plans').select('chain_id').execute()).map((row) => row.chain_id);
  vi.stubEnv('LONGHAND_RETENTION', '[{ "days": 30 }, { "tenant": "acme", "days": 90 }]');
  const pruned = async (flags: object) => {
    const { out } = await printed((terminal) => pruneArchive(terminal, { json: true, ...flags }));
    return JSON.parse(out);
  };
  expect(await pruned({})).toEqual({ pruned: 0 });
  expect(await pruned({ atOnce: true })).toEqual({ pruned: 2 });
  expect((await runList()).map(({ chainId }) => chainId)).toEqual(['bill-1']);
  expect(await listChains()).toEqual(['other']);
});

it('erases with a person or a tenant their API keys, and the webhooks of the tenant', async () => {
  const keys = createKeyStore(file.store, 'default');
  const webhooks = createWebhookStore(file.store, { namespace: 'default', sealer: null });
  const change = { who: { by: 'ops', roles: [] }, at: Date.now() };
  for (const [tenant, user] of [
    ['acme', 'ada'],
    ['acme', 'bob'],
    ['initech', 'ada'],
    ['initech', null],
  ] as const) {
    const { id, secretHash } = createApiKey();
    const planned = validateKeyRequest({ name: `${tenant} ${user}`, tenant, user, scopes: ['read'] }, null, Date.now());
    await keys.create({ ...planned, id, secretHash }, change);
  }
  for (const tenant of ['acme', 'initech'])
    await webhooks.create({ tenant, url: 'https://example.com/in', events: ['chain-ended'] }, change);
  const left = async (flags: object) => {
    await printed((terminal) => eraseContent(terminal, { yes: true, by: 'dpo', ...flags }));
    const page = await keys.list({ tenant: null, user: null }, { limit: 10, now: Date.now() });
    const names = page.keys.map(({ name }) => name).toSorted();
    return [names, (await webhooks.list()).map(({ tenant }) => tenant).toSorted()];
  };
  const both = ['acme', 'initech'];
  expect(await left({ chain: 'bill-1' })).toEqual([['acme ada', 'acme bob', 'initech ada', 'initech null'], both]);
  expect(await left({ user: 'ada' })).toEqual([['acme bob', 'initech null'], both]);
  expect(await left({ tenant: 'initech' })).toEqual([['acme bob'], ['acme']]);
});

it('erases an archived chain, also twice, and reports that no chain of a person was erased', async () => {
  const runErase = async (flags: object) => {
    let code = 0;
    const { reported } = await printed(async (terminal) => {
      code = await eraseContent(terminal, { yes: true, by: 'dpo', ...flags });
      return code;
    });
    return [code, reported] as const;
  };
  expect(await runErase({ user: 'nobody' })).toEqual([
    1,
    expect.stringContaining('No archived chain has exactly this name'),
  ]);
  expect((await runErase({ chain: 'bill-1' }))[0]).toBe(0);
  expect((await runErase({ chain: 'bill-1' }))[0]).toBe(0);
});

it('rejects --at-once without LONGHAND_RETENTION', async () => {
  vi.stubEnv('LONGHAND_RETENTION', '');
  await expect(printed((terminal) => pruneArchive(terminal, { atOnce: true }))).rejects.toThrow(
    matchError('usage', '--at-once'),
  );
});

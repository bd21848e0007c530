/** Lists and searches of chains: what they contain, and what their pages reveal. */

import { beforeAll, describe, expect, it, vi } from 'vitest';
import { useGatewayScene } from '../../support/gateway-scene.js';
import { resetToStart } from '../../support/reset.js';

const scene = useGatewayScene();

describe('a search for a text', () => {
  // Lines of the results, in no task and no answer.
  const hidden = '137 138';
  const absent = '137x 138x';

  beforeAll(async () => {
    for (const task of ['REPORT once.', 'REPORT twice.', 'REPORT again.']) {
      const { chainId } = await scene.owner.startChain({ agent: 'clerk', task, user: 'ana' });
      await scene.owner.getResult({ chainId, wait: 30 });
    }
    await vi.waitUntil(async () => (await scene.owner.searchChains({ text: hidden })).items.length === 4, {
      timeout: 30_000,
    });
  });

  it('that a viewer sees in no chain has the answer of a text that no chain has', async () => {
    for (const limit of [1, 2, 50]) {
      const search = (text: string) => scene.owner.searchChains({ text, limit, as: 'end_user' });
      expect(await search(hidden)).toEqual({ items: [], cursor: null });
      expect(await search(absent)).toEqual({ items: [], cursor: null });
    }
  });

  it('fills each page with chains that the viewer sees it in', async () => {
    const search = (cursor?: string) =>
      scene.owner.searchChains({
        text: 'twice',
        limit: 1,
        as: 'end_user',
        ...(cursor === undefined ? {} : { cursor }),
      });
    const { items, cursor } = await search();
    expect(items).toMatchObject([{ task: 'REPORT twice.' }]);
    expect(await search(cursor ?? undefined)).toEqual({ items: [], cursor: null });
  });
});

it('a chain that was reset is listed once, as its latest run', async () => {
  const { chainId } = await scene.owner.startChain({ agent: 'clerk', task: 'Answer.' });
  await scene.owner.getResult({ chainId, wait: 30 });
  const list = async (status?: 'ended'): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await scene.owner.listChains({ agent: 'clerk', limit: 200, status, cursor });
      found.push(
        ...page.items
          .filter((item) => item.chainId === chainId)
          .map((item) => (item as { readonly runId?: string }).runId),
      );
      cursor = page.cursor;
    }
    return found;
  };
  const first = await vi.waitUntil(async () => (await list())[0], settled);
  const runId = await resetToStart(scene.test.longhand, chainId);
  expect(runId).not.toBe(first);
  await expect.poll(() => list(), settled).toEqual([runId]);
  await scene.owner.getResult({ chainId, wait: 30 });
  await expect.poll(() => list('ended'), settled).toEqual([runId]);
});

it('chains with quotes in their ids are listed', async () => {
  const platform = scene.connect(await scene.createKey({ tenant: null }));
  const chainId = `it's "odd" ${scene.tenant}`;
  await platform.startChain({ agent: 'clerk', task: 'Answer.', tenant: scene.tenant, chainId });
  await scene.owner.getResult({ chainId, wait: 30 });
  const list = async () => (await scene.owner.listChains({ status: 'ended', limit: 200 })).items;
  await expect.poll(async () => (await list()).map((item) => item.chainId), settled).toContain(chainId);
});

describe('a user who reaches only own chains', () => {
  it('finds them among many chains of others, in lists and in the inbox', async () => {
    const ana = scene.connect(await scene.createKey({ name: 'ana', user: 'ana-9', roles: [], reach: 'own' }));
    const own = await scene.startWaiting(ana);
    const others: string[] = [];
    // Listed before the own one, which is older.
    for (let count = 0; count < 5; count++) others.push(await scene.startWaiting());
    const listAll = async () => (await scene.owner.listChains({ status: 'running', limit: 200 })).items;
    await expect
      .poll(async () => (await listAll()).map(({ chainId }) => chainId), settled)
      .toEqual(expect.arrayContaining([own, ...others]));
    const { items } = await ana.listChains({ status: 'running', limit: 2 });
    expect(items.map(({ chainId }) => chainId)).toEqual([own]);
    await expect.poll(async () => (await ana.listInbox()).items.map(({ chainId }) => chainId), settled).toEqual([own]);
  });

  it('cannot search for the chains of another user', async () => {
    const ana = scene.connect(await scene.createKey({ name: 'ana', user: 'ana', roles: [], reach: 'own' }));
    await expect(ana.searchChains({ user: 'ben' })).rejects.toMatchObject({ code: 'request_invalid', status: 400 });
    const { items } = await ana.searchChains({ user: 'ana' });
    expect(items.map(({ chainId }) => chainId)).toContain(scene.ended);
    expect(await ana.searchChains({})).toEqual(await ana.searchChains({ user: 'ana' }));
  });
});

/** The server's list lags. */
const settled = { timeout: 20_000, interval: 200 };

it.each([{ since: 1e20 }, { since: 1.5 }, { since: -1 }, { until: 253_402_300_800_000 }])(
  'a time out of range is rejected: %j',
  async (filter) => {
    for (const list of [scene.owner.searchChains, scene.owner.queryAudit])
      await expect(list(filter)).rejects.toMatchObject({ code: 'request_invalid', status: 400 });
    if ('since' in filter) await expect(scene.owner.listChains(filter)).rejects.toMatchObject({ status: 400 });
  },
);

it('the last time is accepted', async () => {
  const times = { since: 0, until: 253_402_300_799_999 };
  expect((await scene.owner.searchChains(times)).items.length).toBeGreaterThan(0);
  expect((await scene.owner.queryAudit(times)).items.length).toBeGreaterThan(0);
  expect((await scene.owner.listChains({ since: 253_402_300_799_999 })).items).toEqual([]);
});

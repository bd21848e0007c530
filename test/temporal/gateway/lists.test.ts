/** Lists and searches of chains: what they contain, and what their pages reveal. */

import { beforeAll, describe, expect, it, vi } from 'vitest';
import { useGatewayScene } from '../../support/gateway-scene.js';

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

/** A tree of chains on a real server, read by the client and by the commands, with summaries or full sub-chains. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainHandle, ChainResult, FollowEvent, WatchEvent } from '../../../src/entries/client.js';
import { createViewer, type ReasoningView } from '../../../src/entries/view.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { editor, replyAsFamily, waitForPublisher } from '../../support/family.js';
import { getTemporalAddress } from '../../support/temporal.js';

interface Family extends ChainTest {
  readonly root: ChainHandle;
  readonly publisher: ChainHandle;
  readonly cli: (...args: readonly string[]) => Promise<string>;
}

/** Runs `body` while the publisher waits for a person, and all other chains except the editor's have ended. */
async function withFamily(body: (family: Family) => Promise<void>): Promise<void> {
  await withWorker({ agents: [editor], replies: replyAsFamily }, async (test) => {
    const chainId = `tea-${randomUUID().slice(0, 8)}`;
    const root = await test.longhand.start(editor, 'Write about tea', { chainId, tenant: `t-${chainId}` });
    const publisher = test.longhand.getHandle(`${chainId}/1.2`);
    const cli = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await longhandHere(args, { TEMPORAL_ADDRESS: getTemporalAddress() });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    await waitForPublisher(root, publisher);
    await body({ ...test, root, publisher, cli });
  });
}

/** Starts one family for the tests that only read chains that have ended. */
function useEndedFamily(): () => Family {
  let ended: Family | null = null;
  let close = () => {};
  let closed: Promise<void> = Promise.resolve();
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      closed = withFamily(async (family) => {
        await family.publisher.approve('1.1');
        await family.root.result();
        ended = family;
        resolve();
        await new Promise<void>((done) => {
          close = done;
        });
      });
      closed.catch(reject);
    });
  });
  afterAll(async () => {
    close();
    await closed;
  });
  return () => ended ?? expect.fail();
}

const getEndedFamily = useEndedFamily();

const developer = createViewer('developer');

function childrenIn({ children }: ReasoningView) {
  return Object.values(children).flatMap((begun) =>
    begun.map(({ agent, state, steps, level }) => ({ agent, state, steps, level })),
  );
}

describe('the view of a chain that delegates', () => {
  it('has a summary of each sub-chain and opens as many levels as requested', async () => {
    await withFamily(async ({ root, publisher }) => {
      expect(childrenIn(await root.view(developer))).toEqual([
        { agent: 'researcher', state: 'completed', steps: 2, level: 'summary' },
        { agent: 'publisher', state: 'waiting', steps: 1, level: 'summary' },
      ]);
      await publisher.approve('1.1');
      const { subtree, costUsd } = await root.result();
      const folded = await root.view(developer);
      expect(folded).toMatchObject({ costUsd, below: { chains: 3, costUsd: subtree?.costUsd } });
      expect(folded.path).toBeUndefined();

      const opened = await root.view(developer, {}, { depth: 2 });
      const researcher = opened.children['1.1']?.[0];
      if (researcher?.level !== 'full') throw new Error('The researcher was not opened.');
      expect(researcher.chain.path).toEqual([root.chainId, `${root.chainId}/1.1`]);
      const librarian = researcher.chain.children['1.1']?.[0];
      expect(librarian).toMatchObject({
        level: 'full',
        chain: { answer: 'The Book of Tea.', children: {}, path: expect.arrayContaining([`${root.chainId}/1.1`]) },
      });
      // The number of opened levels does not change the totals.
      expect(opened.below).toEqual(folded.below);
      expect(researcher.own?.costUsd).toBeLessThan(researcher.total?.costUsd ?? 0);
    });
  });

  it('hides sub-chains whose tool hides them, in view and watch', async () => {
    await withFamily(async ({ root, publisher }) => {
      const visibility = { tools: { publisher: { childChain: 'hidden' } } } as const;
      const seen = await root.view(developer, visibility, { depth: 2 });
      expect(Object.keys(seen.children)).toEqual(['1.1']);
      const received = readAll(root.watch(developer, { visibility, children: true }));
      await publisher.approve('1.1');
      const news = (await received).flatMap((event) => (event.type === 'sub-chain-changed' ? [event.child.agent] : []));
      expect(news).toContain('researcher');
      expect(news).not.toContain('publisher');
    });
  });
});

describe('a follower of a chain that delegates', () => {
  it('receives the status of its sub-chains if requested', async () => {
    await withFamily(async ({ root, publisher }) => {
      const followed = root.follow({ children: true });
      const before: FollowEvent[] = [];
      for await (const event of followed) {
        before.push(event);
        if (event.type === 'sub-chain-changed' && event.child.requests > 0) await publisher.approve('1.1');
      }
      const waits = before.find((event) => event.type === 'sub-chain-changed' && event.child.state === 'waiting');
      expect(waits).toMatchObject({
        provisional: true,
        child: { chainId: publisher.chainId, path: [root.chainId, publisher.chainId], call: '1.2', steps: 1 },
      });
      const begun = before.flatMap((event) => (event.type === 'sub-chain-started' ? [event.chain.agent] : []));
      expect(begun).toEqual(['researcher', 'publisher']);
      const ended = before.flatMap((event) => (event.type === 'sub-chain-ended' ? [event.end.outcome] : []));
      expect(ended).toEqual(['success', 'success']);
      // By default, followers receive no such events.
      const plain = await readAll(root.follow());
      expect(plain.map(({ type }) => type)).toEqual(
        before.flatMap(({ type }) => (type === 'sub-chain-changed' ? [] : [type])),
      );
    });
  });

  it('receives start and end of each sub-chain in order', async () => {
    const received = await readAll(getEndedFamily().root.watch(developer));
    const news = received.flatMap((event) =>
      event.type === 'sub-chain-changed' ? [`${event.child.agent} ${event.child.state}`] : [],
    );
    expect(news).toEqual(['researcher running', 'publisher running', 'researcher completed', 'publisher completed']);
    expect(received.at(-1)?.type).toBe('view-completed');
  });
});

async function readAll<T extends FollowEvent | WatchEvent>(events: AsyncGenerator<T, void>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('the result of a sub-chain', () => {
  it('is complete, although its workflow result is clipped', async () => {
    const { root, longhand: client } = getEndedFamily();
    const child = `${root.chainId}/1.1`;
    const closed: ChainResult = await client.client.workflow.getHandle(child).result();
    const { answer } = await client.getHandle(child).result();
    expect(closed.clippedFrom).toBe(Buffer.byteLength(String(answer)));
    expect(String(closed.answer).length).toBeLessThan(String(answer).length);
    expect(answer).toBe((await client.getHandle(child).read()).state.stop?.answer);
  });
});

describe("Temporal's Web UI", () => {
  it('links a chain and its sub-chains in both directions', async () => {
    await withFamily(async ({ root, publisher, longhand: { client } }) => {
      const page = (chainId: string) =>
        `[\`${chainId}\`](/namespaces/default/workflows/${encodeURIComponent(chainId)})`;
      const query = '__temporal_workflow_metadata';
      const { currentDetails } = await client.workflow.getHandle(root.chainId).query<{ currentDetails: string }>(query);
      expect(currentDetails).toContain(`- publisher · running · ${page(publisher.chainId)}\n- researcher · ✓ · `);
      expect(currentDetails).toContain(`⇢ ${page(publisher.chainId)}`);
      const below = await client.workflow.getHandle(publisher.chainId).describe();
      expect(await below.staticDetails?.()).toContain(`**sub-chain of** ${page(root.chainId)}`);
      expect(await below.staticSummary?.()).toBe('publisher · Publish what tea is');
    });
  });
});

describe('the commands on a tree of chains', () => {
  it('fold and open it in show, list its branches in cost and its roots in list', async () => {
    await withFamily(async ({ root, publisher, cli }) => {
      const { chainId } = root;
      const waiting = await cli('chain', 'show', chainId);
      expect(waiting).toContain(`publisher waits for a person (${publisher.chainId})`);
      expect(waiting).toMatch(/⇢ researcher {2}✓ success · 2 steps · \$\S+ with 1 sub-chain {2}\S+\/1\.1\n/);
      expect(waiting).toContain('Sub-chains are folded');
      expect(waiting).not.toContain('librarian');
      await publisher.approve('1.1');
      await root.result();

      // A prefix that all ids of a tree share resolves to the root.
      expect(await cli('chain', 'show', chainId.slice(0, -1))).toMatch(/^editor {2}Write/);
      const tree = await cli('chain', 'show', chainId, '--tree');
      expect(tree).toMatch(/⇢ librarian {2}✓ success · 1 step/);
      expect(tree).toContain('[ANSWER] The Book of Tea.');
      expect(tree).not.toContain('folded');
      expect(await cli('chain', 'show', chainId, '--depth', '1')).not.toContain('[ANSWER] The Book of Tea.');

      const cost = await cli('chain', 'cost', chainId);
      expect(cost).toMatch(new RegExp(`${chainId}/1\\.1/1\\.1 +librarian +success +\\$\\S+ +\\$\\S+\\n`));
      const costs = JSON.parse(await cli('chain', 'cost', chainId, '--json'));
      const { branches, total, left } = costs;
      const sum = branches.reduce((all: number, branch: { own: { tokens: number } }) => all + branch.own.tokens, 0);
      expect(branches).toHaveLength(3);
      expect(left.tokens).toBe(1_000_000 - total.tokens - sum);

      const tenant = `t-${chainId}`;
      const ids = async (...flags: readonly string[]) =>
        JSON.parse(await cli('chain', 'list', '--json', '--tenant', tenant, ...flags))
          .map((row: { chainId: string }) => row.chainId)
          .sort();
      await expect.poll(() => ids('--status', 'ended')).toEqual([chainId]);
      const all = [chainId, `${chainId}/1.1`, `${chainId}/1.1/1.1`, `${chainId}/1.2`];
      expect(await ids('--all')).toEqual(all);
      expect(await ids('--root', chainId)).toEqual(all);
    });
  });

  it('accept each sub-chain as a chain of its own', async () => {
    const { root, cli } = getEndedFamily();
    const { chainId } = root;
    const child = `${chainId}/1.1`;
    expect((await cli('chain', 'show', child)).replace(/\s+/g, ' ')).toContain(`sub-chain of ${chainId} `);
    expect(await cli('chain', 'verify', child)).toContain('✓');
    expect(await cli('chain', 'verify', chainId)).toContain('✓');
    expect(JSON.parse(await cli('chain', 'export', child)).chainId).toBe(child);
    expect(await cli('chain', 'replay', child)).toContain('✓');
    expect(await cli('chain', 'replay', chainId)).toContain('✓');
    expect(await cli('chain', 'explain', chainId)).toMatch(/sub-chains +3 /);
    expect(await cli('chain', 'diff', child, child)).not.toBe('');
    expect(await cli('chain', 'watch', chainId)).toMatch(/⇢ publisher {2}✓ success · 2 steps/);
  });

  it('show requests of sub-chains in the inbox, approve them by the root, and cancel all of them', async () => {
    await withFamily(async ({ root, publisher, cli }) => {
      const { chainId } = root;
      const readInbox = async () => JSON.parse(await cli('inbox', '--json', '--root', chainId)).chains;
      await expect
        .poll(readInbox)
        .toMatchObject([
          { chainId: publisher.chainId, path: [chainId, publisher.chainId], requests: [{ tool: 'publish' }] },
        ]);
      expect(await cli('inbox', '--root', chainId)).toContain(`publisher · below ${chainId} · 1 step`);
      expect(await cli('approve', chainId, '--json')).toContain(`"chainId":"${publisher.chainId}"`);
      expect((await root.result()).outcome).toBe('success');
    });
    await withFamily(async ({ root, publisher, cli }) => {
      const received = await cli('cancel', root.chainId, '--by', 'ann');
      expect(received).toContain('Cancelled, with 1 sub-chain and all below');
      expect((await root.result()).outcome).toBe('cancelled');
      expect((await publisher.result()).outcome).toBe('cancelled');
      expect(childrenIn(await root.view(developer))).toMatchObject([{ state: 'completed' }, { state: 'failed' }]);
    });
  });
});

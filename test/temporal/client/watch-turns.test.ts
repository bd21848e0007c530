/** L8: `watch` with `turns` emits plan and spending as the viewer may see them; a follow-up may begin a branch of its thread. */

import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { book, lookUp, traveller } from '../../support/chat-agents.js';
import { waitForRequests } from '../../support/people.js';

async function collect(events: AsyncIterable<WatchEvent>): Promise<readonly WatchEvent[]> {
  const all: WatchEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const isTurn = (event: WatchEvent) => event.type === 'turn-completed';

describe('watch with turns', () => {
  it('ends each turn with the spending so far, and reports when only people can continue the chain', async () => {
    await withWorker({ agents: [traveller], replies: [lookUp, book, { text: 'Done.' }] }, async ({ longhand }) => {
      const chain = await longhand.start(traveller, 'Book the train.');
      await waitForRequests(longhand, chain.chainId, '2.1');
      await chain.approve('2.1', { by: 'ana' });
      await chain.result();
      const viewer = createViewer('developer');
      const events = await collect(chain.watch(viewer, { turns: true }));
      const turns = events.filter(isTurn);
      expect(turns.filter(({ awaitsPeople }) => awaitsPeople)).toHaveLength(1);
      const waiting = events.findIndex((event) => isTurn(event) && event.awaitsPeople);
      expect(events.slice(0, waiting).some((event) => event.type === 'step-changed' && event.step.id === '2.1p1')).toBe(
        true,
      );
      const view = await chain.view(viewer);
      expect(turns.at(-1)).toMatchObject({ tokens: view.tokens, costUsd: view.costUsd, awaitsPeople: false });
      // Without the option, the other events and their positions are the same.
      expect(await collect(chain.watch(viewer))).toEqual(events.filter((event) => !isTurn(event)));
    });
  });

  it('has the plan at the level of thoughts, masked like the view', async () => {
    const planner = defineAgent({
      ...{ name: 'planner', model: 'claude-sonnet-5-5', tools: [] },
      strategy: { name: 'plan', planning: false, reflection: false },
    });
    await withWorker({ agents: [planner], replies: [{ text: 'Done.' }] }, async ({ longhand }) => {
      const chain = await longhand.start(planner, 'Write to ana.lopez@acme.com about the trip.');
      await chain.result();
      for (const role of ['developer', 'end_user']) {
        const viewer = createViewer(role);
        const last = (await collect(chain.watch(viewer, { turns: true }))).filter(isTurn).at(-1);
        expect(last?.plan).toEqual((await chain.view(viewer)).plan);
        expect(JSON.stringify(last)).not.toContain('ana.lopez');
      }
    });
  });
});

describe('a follow-up with a branch', () => {
  it('follows exactly its chain, also where the thread has later ones', async () => {
    const replies = ['One.', 'Two.', 'Other two.', 'Three.'].map((text) => ({ text }));
    await withWorker({ agents: [traveller], replies }, async ({ longhand, models }) => {
      const first = await longhand.start(traveller, 'First?');
      await first.result();
      const second = await first.followUp('Second?');
      await second.result();
      const other = await first.followUp('Other second?', { branch: true, chainId: `${first.chainId}-other` });
      await other.result();
      expect(JSON.stringify(models.requests[2]?.body.messages)).not.toContain('Two.');
      const next = await other.followUp('Third?', { branch: true, chainId: `${first.chainId}-third` });
      await next.result();
      const sent = JSON.stringify(models.requests[3]?.body.messages);
      expect(sent).toContain('Other two.');
      expect(sent).not.toContain('"Two.');
      const listPlaces = async () => {
        const listed = await longhand.listThread(first.chainId);
        return [second, other, next].map(({ chainId }) => listed.find((each) => each.chainId === chainId)?.number);
      };
      await expect.poll(listPlaces).toEqual([2, 2, 3]);
    });
  });
});

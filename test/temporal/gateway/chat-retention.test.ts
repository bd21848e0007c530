/** A chat whose first chain the server has deleted, without an archive: it continues. */

import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { computeFirstChainId } from '../../../src/gateway/chat/chat-ids.js';
import { withWorker } from '../../support/chain-test.js';
import { traveller } from '../../support/chat-agents.js';
import { startChatGateway } from '../../support/chat-gateway.js';
import { deleteRun } from '../../support/reset.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { getText, openUiChat } from '../../support/ui-chat.js';

it('keeps its later messages, and is continued by the next one', async () => {
  const replies = ['One.', 'Two.', 'Three.'].map((text) => ({ text }));
  await withWorker({ agents: [traveller], replies }, async ({ taskQueue, models }) => {
    // Its chains are not compared at the end: one of them is deleted.
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    const gateway = await startChatGateway(longhand);
    try {
      const id = `retention-${randomUUID()}`;
      const firstId = computeFirstChainId({ tenant: 'acme', user: 'ana', agent: 'traveller', chatId: id });
      const chat = openUiChat(gateway.url, id);
      for (const [text, reply] of [
        ['First question?', 'One.'],
        ['Second question?', 'Two.'],
      ] as const) {
        await chat.sendMessage({ text });
        expect([getText(chat), chat.status]).toEqual([reply, 'ready']);
      }
      const { runId } = await longhand.client.workflow.getHandle(firstId).describe();
      await deleteRun(longhand, firstId, runId);

      const load = async () => {
        const url = `${gateway.url}/v1/chat/traveller/${id}?as=developer`;
        const response = await fetch(url, { headers: { authorization: 'Bearer ana@acme' } });
        return ((await response.json()) as { readonly messages: readonly { readonly id: string }[] }).messages;
      };
      // The server's list lags.
      const ids = (numbers: readonly number[]) => numbers.flatMap((n) => [`${firstId}-${n}:user`, `${firstId}-${n}`]);
      await vi.waitFor(async () => expect((await load()).map((message) => message.id)).toEqual(ids([2])), 30_000);

      // A page that lost its messages.
      const again = openUiChat(gateway.url, id);
      await again.sendMessage({ text: 'Third question?' });
      expect(getText(again)).toBe('Three.');
      expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain('First question?');
      expect((await load()).map((message) => message.id)).toEqual(ids([2, 3]));
      expect(gateway.failures).toEqual([]);
    } finally {
      await gateway.kill();
      await longhand.close();
    }
  });
});

/** Files of a chat's messages: the model gets them, also when the message is answered again. */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UIMessage } from 'ai-7';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import type { Store } from '../../../src/entries/store.js';
import { openStore } from '../../../src/entries/store.js';
import { withWorker } from '../../support/chain-test.js';
import { traveller } from '../../support/chat-agents.js';
import { startChatGateway } from '../../support/chat-gateway.js';
import { createPng } from '../../support/pictures.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { getText, openUiChat } from '../../support/ui-chat.js';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhand-chat-'));
  store = await openStore(join(folder, 'store.db'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const picture = createPng(64, 64).toString('base64');

it('a message with a file has it again on a page that is reloaded, and is answered again with it by both pages', async () => {
  const replies = ['It is blue.', 'It is azure.', 'It is navy.'].map((text) => ({ text }));
  await withWorker({ agents: [traveller], replies, worker: { store } }, async ({ taskQueue, models }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue, store });
    const gateway = await startChatGateway(longhand);
    try {
      const id = `files-${randomUUID()}`;
      const load = async () => {
        const response = await fetch(`${gateway.url}/v1/chat/traveller/${id}?as=developer`);
        return ((await response.json()) as { readonly messages: UIMessage[] }).messages;
      };
      const chat = openUiChat(gateway.url, id);
      const url = `data:image/png;base64,${picture}`;
      await chat.sendMessage({
        text: 'Which colour is it?',
        files: [{ type: 'file', mediaType: 'image/png', filename: 'sky.png', url }],
      });
      expect(getText(chat)).toBe('It is blue.');
      await chat.regenerate();
      expect(getText(chat)).toBe('It is azure.');
      const messages = await load();
      const file = { name: 'sky.png', mediaType: 'image/png', bytes: Buffer.from(picture, 'base64').byteLength };
      expect(messages[0]?.parts).toEqual([
        { type: 'text', text: 'Which colour is it?' },
        { type: 'data-file', data: { chainId: messages[1]?.id, ...file } },
      ]);
      const reloaded = openUiChat(gateway.url, id, { messages });
      await reloaded.regenerate();
      expect([getText(reloaded), reloaded.error]).toEqual(['It is navy.', undefined]);
      const sent = models.requests.map(({ body }) => JSON.stringify(body.messages));
      expect(sent.map((text) => text.includes(picture))).toEqual([true, true, true]);
    } finally {
      await gateway.kill();
      await longhand.close();
    }
  });
});

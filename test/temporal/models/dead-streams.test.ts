/**
 * L6: a stream that dies is an attempt that failed, and is made again. It is charged what was reported before it died, over both
 * wires: the reported input, and of the output all that the provider may have written.
 */

import { expect, it } from 'vitest';
import { countTotalTokens } from '../../../src/core/model/usage.js';
import { anthropicProvider, openaiProvider } from '../../../src/entries/models.js';
import { defineAgent, type Json } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { startChatServer } from '../../support/chat-server.js';
import { startMessagesServer } from '../../support/messages-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

const maxTokens = 2_000;
const agent = defineAgent({ name: 'patient', model: 'claude-sonnet-5-5', strategy: 'tools', maxTokens });
const done = { text: 'All done.', usage: { input: 50, output: 7 } };
const text = 'Let me see what there is to see here. '.repeat(4);

function listReplies(start: Json): readonly ScriptedReply[] {
  const usageOnWire = { start };
  return [{ hang: true, afterEvents: 4, text, usageOnWire }, { cutAfter: 4, text, cleanly: true, usageOnWire }, done];
}

const wires = {
  Messages: {
    startServer: startMessagesServer,
    createProvider: anthropicProvider,
    reported: { input_tokens: 400, output_tokens: 1 },
  },
  'Chat Completions': {
    startServer: startChatServer,
    createProvider: openaiProvider,
    reported: { prompt_tokens: 400, completion_tokens: 1 },
  },
} as const;

it.each(Object.entries(wires))(
  'over %s, a stream that stalls between chunks and one that is cut are failed attempts, charged as reported',
  async (_, wire) => {
    const server = await wire.startServer(listReplies(wire.reported));
    const provider = wire.createProvider({ baseURL: server.url, apiKey: 'test', stallTimeout: 1_500 });
    try {
      await withWorker({ agents: [agent], worker: { providers: [provider] } }, async ({ longhand }) => {
        const chain = await longhand.start(agent, 'Go');
        const result = await chain.result();
        expect(result).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 1 });
        const { state, notices } = await chain.read();
        expect(notices).toMatchObject([
          { code: 'model_retry', text: expect.stringMatching(/Attempt 1 .*the provider sent nothing for too long/) },
          { code: 'model_retry', text: expect.stringMatching(/Attempt 2 .*the reply ended before it was complete/) },
        ]);
        expect(result.usage).toMatchObject({ input: 2 * 400 + 50, output: 2 * maxTokens + 7 });
        expect(state.charged.tokens).toBe(countTotalTokens(result.usage));
        expect(result.reservedCharges).toBeUndefined();
      });
      expect(server.aborted).toBe(1);
    } finally {
      await server.close();
    }
  },
);

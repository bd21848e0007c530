/** Structured answers on a real server, over both wires: repaired, asked again, and given up. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import { openaiProvider } from '../../../src/entries/models.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool, type JsonObject } from '../../../src/index.js';
import { getChatSchema, getMessagesSchema } from '../../models/contract/contract.js';
import { withWorker } from '../../support/chain-test.js';
import { startChatServer } from '../../support/chat-server.js';

const weather = defineTool({
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => ({ city, celsius: 12 }),
});

const outputSchema = z.object({ city: z.string(), celsius: z.number(), note: z.string().optional() });
const base = { model: 'claude-sonnet-5-5', tools: [weather], outputSchema } as const;
const agent = defineAgent({ ...base, name: 'structured' });
const finishing = defineAgent({ ...base, name: 'finishing', strategy: 'autonomous' });

const paris = { city: 'Paris', celsius: 12 };
const fenced = `\`\`\`json\n${JSON.stringify(paris)}\n\`\`\``;
const usage = { input: 100, output: 10 };
const invalid = [
  { text: 'It is 12 °C in Paris.', usage },
  { text: '{"city": "Paris", "celsius": "12"}', usage },
];
const look = { calls: [{ name: 'get_weather', input: { city: 'Paris' } }], usage };
/** Three chains: a fence, two invalid answers before a valid one, and no valid one. */
const replies = [look, { text: fenced, usage }, ...invalid, { text: JSON.stringify({ ...paris, note: null }), usage }];
const never = [...invalid, { text: 'Twelve.', usage }];

interface Played {
  readonly requests: readonly { readonly body: JsonObject }[];
  readonly rejected: readonly string[];
}

describe.each(['the Messages API', 'Chat Completions'])('an agent with an output schema over %s', (wire) => {
  it('answers with a value of the schema, which is repaired or asked for again, or fails', async () => {
    const chat = await startChatServer([...replies, ...never]);
    const isChat = wire === 'Chat Completions';
    const provider = openaiProvider({ baseURL: chat.url, apiKey: 'test', structuredOutput: 'with_tools' });
    const worker = isChat ? { worker: { providers: [provider] } } : { replies: [...replies, ...never] };
    await withWorker({ agents: [agent], ...worker }, async ({ longhand, models }) => {
      const server: Played = isChat ? chat : (models as unknown as Played);
      const start = () => longhand.start(agent, 'How warm is Paris?');
      const repaired = await start();
      expect(await repaired.result()).toMatchObject({ outcome: 'success', answer: paris, steps: 2 });
      expect((await repaired.read()).steps.at(-1)?.repairs).toEqual(['code_fence']);
      const report = formatMarkdownReport(await repaired.view(createViewer('developer')));
      expect(report).toContain('repaired: without its code fence');

      const corrected = await start();
      const result = await corrected.result();
      expect(result).toMatchObject({ outcome: 'success', answer: paris, steps: 3, usage: { input: 300, output: 30 } });
      const { steps } = await corrected.read();
      expect(steps.map(({ problem }) => problem?.split('\n')[1])).toEqual([
        'Expected one JSON object, found other text.',
        'celsius: Invalid input: expected number, received string',
        undefined,
      ]);

      const given = await start();
      expect(await given.result()).toMatchObject({
        outcome: 'failure',
        reasonCode: 'unreadable_replies',
        reason: '3 replies in a row could not be read; the last: the answer does not match its schema.',
        steps: 3,
        usage: { input: 300, output: 30 },
      });
      expect((await given.read()).steps.at(-1)?.content).toEqual([{ type: 'text', text: 'Twelve.' }]);

      const getSchema = isChat ? getChatSchema : getMessagesSchema;
      expect(server.rejected).toEqual([]);
      expect(server.requests).toHaveLength(8);
      for (const { body } of server.requests) {
        expect(getSchema(body)).toMatchObject({ required: ['city', 'celsius', 'note'], additionalProperties: false });
      }
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('celsius: Invalid input: expected number');
    });
    await chat.close();
  });
});

it('a finish tool is strict, and an invalid result is asked for again', async () => {
  const replies = [
    { calls: [{ name: 'finish', input: { result: { city: 'Paris', celsius: null }, success: null, reason: null } }] },
    { calls: [{ name: 'finish', input: { result: { ...paris, note: null }, success: true, reason: null } }] },
  ];
  await withWorker({ agents: [finishing], replies }, async ({ longhand, models }) => {
    const result = await (await longhand.start(finishing, 'How warm is Paris?')).result();
    expect(result).toMatchObject({ outcome: 'success', answer: paris, steps: 2 });
    expect(models.rejected).toEqual([]);
    expect(models.requests[0]?.body.tools).toMatchObject([{ name: 'get_weather' }, { name: 'finish', strict: true }]);
    expect(JSON.stringify(models.requests[1]?.body)).toContain(
      'celsius: Invalid input: expected number, received null',
    );
  });
});

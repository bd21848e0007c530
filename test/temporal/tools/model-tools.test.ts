/** An agent that asks models through its tools, over two wires: paid from its budget, approved, cached, and shown. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listCallReservations } from '../../../src/core/engine/state/call-payment.js';
import type { ChainHandle } from '../../../src/entries/client.js';
import { anthropicProvider, openaiProvider } from '../../../src/entries/models.js';
import { consensusTool, llmTool } from '../../../src/entries/tools.js';
import { type Call, defineAgent } from '../../../src/index.js';
import { openStore } from '../../../src/store/db/open.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { type ChatServer, startChatServer } from '../../support/chat-server.js';
import { longhandHere } from '../../support/command-here.js';
import { type RecordedRequest, startMessagesServer } from '../../support/messages-server.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const fast = 'claude-haiku-5-5';
const strong = 'claude-opus-5-5';
const overChat = `chat/${fast}`;

const analyst = defineAgent({
  name: 'analyst',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [
    llmTool({ models: [fast, overChat], maxTokens: 600, cacheTtl: '1h', retry: { backoff: 50 } }),
    consensusTool({ models: [fast, strong, overChat], rule: 'majority', maxTokens: 400, approval: true }),
  ],
  limits: { costUsd: 1 },
});

/** Asks side by side, with little time. */
const jury = defineAgent({
  ...analyst.definition,
  name: 'jury',
  tools: [consensusTool({ models: [fast, strong, overChat], rule: 'majority', maxTokens: 400, timeout: '4s' })],
});

const used = (input: number, output: number) => ({ input, output });
const asks = (name: string, input: { readonly [member: string]: string }): ScriptedReply => {
  return { text: 'I ask.', calls: [{ name, input }], usage: used(500, 50) };
};
const done: ScriptedReply = { text: 'It is due.', usage: used(600, 20) };

interface Scene extends ChainTest {
  readonly chat: ChatServer;
}

/** The agent's model answers by `steps`, the models that it asks by `answers`, and by `overChatAnswers` over Chat Completions. */
async function play(
  {
    steps,
    answers,
    chatAnswers = [],
  }: {
    readonly steps: readonly ScriptedReply[];
    readonly answers: { readonly [model: string]: readonly ScriptedReply[] };
    readonly chatAnswers?: readonly ScriptedReply[];
  },
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const left = new Map(
    [...Object.entries(answers), [analyst.definition.model ?? '', steps] as const].map(([model, all]) => [
      model,
      [...all],
    ]),
  );
  const replies = ({ body: { model } }: RecordedRequest) => left.get(model)?.shift() ?? done;
  const models = await startMessagesServer(replies);
  const chat = await startChatServer(chatAnswers);
  const store = await openStore(join(folder, 'store.db'));
  const providers = [
    anthropicProvider({ name: 'anthropic', baseURL: models.url, apiKey: 'test' }),
    openaiProvider({ name: 'chat', baseURL: chat.url, apiKey: 'test' }),
  ];
  try {
    await withWorker({ agents: [analyst, jury], worker: { store, providers } }, (test) =>
      body({ ...test, models, chat }),
    );
  } finally {
    await Promise.all([models.close(), chat.close(), store.close()]);
  }
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhand-model-tools-'));
});
afterEach(() => rm(folder, { recursive: true }));

const readCalls = async (chain: ChainHandle): Promise<readonly Call[]> => {
  return (await chain.read()).steps.flatMap(({ calls }) => calls);
};

describe('an agent with llm and consensus', () => {
  it('asks models over both wires, pays for them, and shows them', async () => {
    const steps = [
      asks('llm', { model: fast, prompt: 'What is due?' }),
      asks('llm', { model: overChat, prompt: 'What is due?' }),
      asks('llm', { model: fast, prompt: 'What is due?' }),
      asks('consensus', { prompt: 'Is it due?' }),
      done,
    ];
    const answers = {
      [fast]: [
        { text: 'The rent.', usage: used(40, 5) },
        { text: 'Yes', usage: used(30, 4) },
      ],
      [strong]: [{ text: 'yes.', usage: used(30, 6) }],
    };
    const chatAnswers = [
      { text: 'The rent!', usage: used(40, 5) },
      { text: 'No', usage: used(30, 4) },
    ];
    await play({ steps, answers, chatAnswers }, async ({ longhand, models, chat }) => {
      const chain = await longhand.start(analyst, 'Is the rent due?');
      await expect
        .poll(async () => [(await chain.describe()).doing, (await readCalls(chain)).at(-1)])
        .toMatchObject([expect.stringContaining("a person's approval of call 4.1"), { tool: 'consensus' }]);
      const [request] = (await readCalls(chain)).at(-1)?.requests ?? [];
      expect(request?.rules.reason).toMatch(/It may cost up to \$0\.0\d+\.$/);
      expect(models.requests.filter(({ body }) => body.model === strong)).toEqual([]);
      await chain.approve('4.1', { by: 'ann' });

      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'success', steps: 5 });
      const calls = await readCalls(chain);
      expect(calls.map(({ observation }) => observation)).toMatchObject([
        'The rent.',
        'The rent!',
        'The rent.',
        { answer: 'Yes', why: '2 of 3 models agree.', answers: [{ models: [fast, strong] }, { models: [overChat] }] },
      ]);
      expect(
        calls.map(({ charges }) => charges?.map(({ name, provider, costUsd }) => [name, provider, costUsd])),
      ).toEqual([
        [[fast, 'anthropic', 0.0000065]],
        [[overChat, 'chat', 0.0000065]],
        undefined,
        [
          [fast, 'anthropic', 0.000005],
          [strong, 'anthropic', 0.00024],
          [overChat, 'chat', 0.000005],
        ],
      ]);
      expect(calls[2]).toMatchObject({ cached: { ageMs: expect.any(Number) } });
      // Five replies of the agent's own model, and 263 millionths for the others.
      expect(result.costUsd).toBeCloseTo(4 * (0.001 + 0.0005) + 0.0012 + 0.0002 + 0.000263, 9);
      expect(result.usage).toMatchObject({ input: 4 * 500 + 600 + 2 * 40 + 3 * 30 });
      expect(models.requests.find(({ body }) => body.model === fast)?.body.max_tokens).toBe(600);
      expect(chat.requests).toHaveLength(2);
      expect(listCallReservations((await chain.read()).state)).toEqual([]);

      const { stdout } = await longhandHere(['chain', 'show', chain.chainId, '--step', '1'], {
        TEMPORAL_ADDRESS: getTemporalAddress(),
      });
      expect(stdout).toContain(`llm/${fast}`);
      expect(stdout).toMatch(/40 tokens in, 5 out, \$0\.0000065/);
    });
  });

  it('reserves again for each attempt, and pays for none that was not answered', async () => {
    const overloaded: ScriptedReply = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } };
    const steps = [asks('llm', { model: fast, prompt: 'What is due?' }), done];
    const cut: ScriptedReply = { cutAfter: 3, text: 'The re' };
    const answers = { [fast]: [overloaded, cut, { text: 'The rent.', usage: used(40, 5) }] };
    await play({ steps, answers }, async ({ longhand, models }) => {
      const chain = await longhand.start(analyst, 'Is the rent due?');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'success' });
      const [call] = await readCalls(chain);
      expect(call?.charges).toMatchObject([
        { failure: 'overloaded', costUsd: 0 },
        // Its input had been reported; of the output, all that may have been written is charged.
        { failure: 'cut', usage: { output: 600 } },
        { model: fast, costUsd: 0.0000065 },
      ]);
      expect(models.requests.filter(({ body }) => body.model === fast)).toHaveLength(3);
    });
  });

  it('reports the answers of the others where a model takes too long, and charges the usage of each', async () => {
    const answers = {
      [fast]: [{ text: 'Yes', usage: used(30, 4) }],
      [strong]: [{ hang: true, afterEvents: 3 } as const],
    };
    const chatAnswers = [{ text: 'yes.', usage: used(30, 4) }];
    await play({ steps: [asks('consensus', { prompt: 'Is it due?' }), done], answers, chatAnswers }, async (scene) => {
      const chain = await scene.longhand.start(jury, 'Is the rent due?');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'success', steps: 2 });
      expect(result.reservedCharges).toBeUndefined();
      const [call] = await readCalls(chain);
      expect(call).toMatchObject({
        status: 'ok',
        observation: {
          answer: 'Yes',
          why: '2 of 3 models agree.',
          failed: [{ model: strong, problem: 'timeout: the reply was not complete in time' }],
        },
      });
      // Of the output of the slow one, all that may have been written is charged.
      expect(call?.charges).toMatchObject([
        { name: fast, usage: { input: 30, output: 4 } },
        { name: strong, failure: 'timeout', usage: { output: 400 } },
        { name: overChat, usage: { input: 30, output: 4 } },
      ]);
      expect(call?.charges?.map(({ charged }) => charged)).toEqual([undefined, undefined, undefined]);
    });
  });

  it('sends marked data only to models that may see it', async () => {
    const guarded = defineAgent({ ...analyst.definition, name: 'guarded', model: 'private' });
    const server = await startMessagesServer(({ body: { model } }) =>
      model === fast ? done : (replies.shift() ?? done),
    );
    const replies = [asks('llm', { model: fast, prompt: 'What is due?' })];
    const provider = anthropicProvider({ name: 'anthropic', baseURL: server.url, apiKey: 'test' });
    const chat = openaiProvider({ name: 'chat', baseURL: server.url, apiKey: 'test' });
    const models = { private: { provider: 'anthropic', id: 'claude-sonnet-5-5', dataClasses: ['confidential'] } };
    const worker = { providers: [provider, chat], models };
    try {
      await withWorker({ agents: [guarded], worker }, async ({ longhand }) => {
        const chain = await longhand.start(guarded, 'Is the rent due?', { dataClass: 'confidential' });
        expect(await chain.result()).toMatchObject({ outcome: 'success' });
        const [call] = await readCalls(chain);
        expect(call).toMatchObject({ status: 'error', charges: [{ name: fast, failure: 'data_class', costUsd: 0 }] });
        expect(server.requests.map(({ body }) => body.model)).toEqual(['claude-sonnet-5-5', 'claude-sonnet-5-5']);
      });
    } finally {
      await server.close();
    }
  });

  it('is cancelled with its chain, and charged the usage so far', async () => {
    const steps = [asks('llm', { model: fast, prompt: 'What is due?' })];
    await play({ steps, answers: { [fast]: [{ hang: true, afterEvents: 3 }] } }, async ({ longhand, models }) => {
      const chain = await longhand.start(analyst, 'Is the rent due?');
      await expect.poll(() => models.requests.length).toBe(2);
      await chain.cancel({ by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
      const [call] = await readCalls(chain);
      expect(call).toMatchObject({ status: 'cancelled', charges: [{ name: fast, failure: 'cancelled' }] });
      expect(call?.charges?.[0]?.costUsd).toBeGreaterThan(0);
      expect(listCallReservations((await chain.read()).state)).toEqual([]);
    });
  });
});

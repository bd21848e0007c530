/**
 * A chain whose provider dies at any byte of its streams ends as if it had not: with the same answer and the same steps,
 * and each attempt charged once. The bytes are random, and the same in each run.
 */

import { expect, it } from 'vitest';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import { isObject } from '../../../src/core/lib/json.js';
import { computeCost, countTotalTokens, type Reservation } from '../../../src/core/model/usage.js';
import type { ChainHandle, Longhand } from '../../../src/entries/client.js';
import { aiSdkProvider, anthropicProvider, type ModelProvider, openaiProvider } from '../../../src/entries/models.js';
import { defineAgent, type Json, type JsonObject } from '../../../src/index.js';
import { versions } from '../../models/ai-sdk/call.js';
import { budget, isLong } from '../../support/budget.js';
import { withWorker } from '../../support/chain-test.js';
import { chatAnswers, startChatServer } from '../../support/chat-server.js';
import { messagesAnswers, startMessagesServer } from '../../support/messages-server.js';
import type { AnswerWire } from '../../support/model-answer.js';
import type { ModelServer } from '../../support/model-server.js';
import { look } from '../../support/plan-scene.js';
import { type Random, randomFrom } from '../../support/random.js';
import { type CompleteReply, type ScriptedReply, toWireReply } from '../../support/scripted-reply.js';
import { readSteps } from '../../support/ten-chains.js';

const model = 'claude-sonnet-5-5';
const stallTimeout = 1_000;
const patient = { model, tools: [look], maxTokens: 1_024, modelRetry: { maxInterval: 20 } };
const agents = [
  defineAgent({ ...patient, name: 'calling', strategy: 'tools' }),
  defineAgent({ ...patient, name: 'finishing', strategy: 'autonomous' }),
];

type AnyScript = (request: Asked) => ScriptedReply;

interface Asked {
  readonly body: JsonObject;
  readonly bytes: number;
}

interface CutWire {
  readonly name: string;
  readonly startServer: (script: AnyScript) => Promise<Pick<ModelServer, 'url' | 'close'>>;
  readonly answers: AnswerWire;
  readonly createProvider: (url: string) => ModelProvider;
}

const [, createModel] = versions[versions.length - 1]!;
const wires: readonly CutWire[] = [
  {
    name: 'the Messages API',
    startServer: (script) => startMessagesServer(({ body, bytes }) => script({ body: { ...body }, bytes })),
    answers: messagesAnswers,
    createProvider: (baseURL) => anthropicProvider({ baseURL, apiKey: 'test', stallTimeout }),
  },
  {
    name: 'Chat Completions',
    startServer: (script) => startChatServer(script),
    answers: chatAnswers,
    createProvider: (baseURL) => openaiProvider({ baseURL, apiKey: 'test', stallTimeout }),
  },
  {
    name: 'a model of the AI SDK',
    startServer: (script) => startMessagesServer(({ body, bytes }) => script({ body: { ...body }, bytes })),
    answers: messagesAnswers,
    createProvider: (url) => aiSdkProvider({ [model]: createModel(url) }, { stallTimeout, onWarning: () => {} }),
  },
];

/** The replies of each chain, with ids of calls of one length, so that all chains have requests of the same sizes. */
function listReplies(sample: string): readonly CompleteReply[] {
  const call = (number: number, name: string, input: Json) => ({ id: `c${sample}_${number}`, name, input });
  return [
    {
      thinking: 'I häve to 考える 🌦 first.',
      text: 'I look — in two places.',
      calls: [call(1, 'look', { place: 'São Paulo 🌦' }), call(2, 'look', { place: 'cellar' })],
    },
    { text: 'And there?', calls: [call(3, 'look', { place: 'nowhere' })] },
    { text: 'It räins in São Paulo. 🌦', calls: [call(4, 'finish', { result: 'Räin 🌦.' })] },
  ];
}

/** A script for all chains. The first attempt at each reply is cut at a random byte; the control, sample 0, is not. */
class CutScript {
  readonly attempts = new Map<string, number>();
  readonly random: Random;

  constructor(
    readonly wire: CutWire,
    seed: number,
  ) {
    this.random = randomFrom(seed);
  }

  next({ body, bytes }: Asked): ScriptedReply {
    const sample = /Sample (\d+)/.exec(JSON.stringify(body))?.[1] ?? '';
    const messages = Array.isArray(body.messages) ? body.messages : [];
    const step = messages.filter((message) => isObject(message) && message.role === 'assistant').length;
    const { calls = [], ...rest } = listReplies(sample)[step] ?? {};
    // The strategy `tools` answers with a text.
    const isAnswer = calls.some(({ name }) => name === 'finish') && !JSON.stringify(body.tools).includes('"finish"');
    const reply: CompleteReply = isAnswer ? rest : { ...rest, calls };
    const key = `${sample}/${step}`;
    const attempt = (this.attempts.get(key) ?? 0) + 1;
    this.attempts.set(key, attempt);
    return attempt > 1 || Number(sample) === 0 ? reply : this.#cut(reply, bytes);
  }

  #cut(reply: CompleteReply, bytes: number): ScriptedReply {
    const facts = { model, bytes, stopSequences: [], callId: () => '' };
    const size = Buffer.byteLength(this.wire.answers.toEvents(toWireReply(reply, facts)).join(''));
    const [way, place] = [this.random(), this.random()];
    if (way < 0.1) return { reply, cutAtByte: null };
    const cutAtByte = Math.floor(place * (size + 1));
    return { reply, cutAtByte, cleanly: way < 0.5, stalls: way > 0.9 };
  }

  countAttempts(sample: string): number {
    return [...this.attempts].reduce((sum, [key, times]) => (key.startsWith(`${sample}/`) ? sum + times : sum), 0);
  }
}

/** One in the short form: test/models/contract/streams.ts cuts the streams of every wire. */
const played = isLong ? wires : wires.slice(0, 1);

it.each(played)('chains whose streams of $name are cut at any byte end as without cuts', async (wire) => {
  const script = new CutScript(wire, 1);
  const server = await wire.startServer((request) => script.next(request));
  const samples = Array.from({ length: budget(4, 16) }, (_, number) => String(number + 1).padStart(2, '0'));
  let failed = 0;
  try {
    await withWorker({ agents, worker: { providers: [wire.createProvider(server.url)] } }, async ({ longhand }) => {
      for (const agent of agents) {
        const run = async (sample: string) => {
          const chain = await longhand.start(agent, `Sample ${sample}: what is there?`);
          const { outcome, answer, steps } = await chain.result();
          return { chain, ended: { outcome, answer, steps, made: await readMade(chain) } };
        };
        const control = await run('00');
        expect(control.ended).toMatchObject({ outcome: 'success', answer: expect.stringContaining('🌦'), steps: 3 });
        // Each sample has one of the agents.
        const own = samples.filter((_, index) => agents[index % agents.length] === agent);
        const cut = await Promise.all(own.map(async (sample) => ({ sample, ...(await run(sample)) })));
        for (const { sample, chain, ended } of cut) {
          expect({ sample, ...ended }).toEqual({ sample, ...control.ended });
          const paid = await expectChargedOnce(longhand, chain);
          failed += paid.failed;
          // No attempt repeats its request by itself.
          expect(script.countAttempts(sample)).toBeLessThanOrEqual(paid.attempts);
        }
      }
    });
  } finally {
    await server.close();
  }
  expect(failed).toBeGreaterThan(samples.length);
});

/** The steps of a chain without the names of their activities, which count the attempts. */
async function readMade(chain: ChainHandle): Promise<Json> {
  const { steps } = (await readSteps(chain)) as { readonly steps: readonly JsonObject[] };
  return steps.map(({ modelCall: _, ...step }) => step);
}

/** Expects the sum of the history's attempts to be what the chain paid, and never above the limits. */
async function expectChargedOnce(
  { client }: Longhand,
  { chainId }: ChainHandle,
): Promise<{ readonly attempts: number; readonly failed: number }> {
  const { turns, chain } = await readRecordedChain(await resolveChainSource(client, chainId));
  const { agent, charged, reservedCharges, unreportedUsage } = chain.state;
  const { limits, model: used } = agent!;
  const open = new Map<string, Reservation>();
  const sum = { tokens: 0, usd: 0, attempts: 0, failed: 0, inFull: 0, unreported: 0 };
  for (const { facts, state } of turns) {
    for (const fact of facts) {
      if (fact.type !== 'modelReplied' && fact.type !== 'modelFailed') continue;
      const reserved = open.get(fact.call)!;
      expect(open.delete(fact.call)).toBe(true);
      sum.attempts += 1;
      if (fact.type === 'modelFailed') {
        sum.failed += 1;
        if (fact.failure.settle === 'nothing') continue;
      }
      const usage = fact.type === 'modelReplied' ? fact.reply.usage : fact.failure.usage;
      sum.inFull += usage === null ? 1 : 0;
      sum.unreported += usage === null && fact.type === 'modelReplied' ? 1 : 0;
      sum.tokens += usage === null ? reserved.inputTokens + reserved.outputTokens : countTotalTokens(usage);
      sum.usd += usage === null ? (reserved.usd ?? 0) : computeCost(usage, used.price!);
    }
    const { flight } = state;
    const reservation = flight.kind === 'model' ? flight.reservation : null;
    if (flight.kind === 'model') open.set(flight.call, flight.reservation);
    const { inputTokens = 0, outputTokens = 0, usd } = reservation ?? {};
    expect(state.charged.tokens + inputTokens + outputTokens).toBeLessThanOrEqual(limits.tokens);
    expect((state.charged.usd ?? 0) + (usd ?? 0)).toBeLessThanOrEqual((limits.costUsd ?? 0) + 1e-9);
  }
  expect(open.size).toBe(0);
  expect([charged.tokens, reservedCharges.calls]).toEqual([sum.tokens, sum.inFull]);
  expect(charged.usd).toBeCloseTo(sum.usd, 8);
  expect(unreportedUsage === null).toBe(sum.unreported === 0);
  return sum;
}

/** An own strategy on a real server: the worker's parser reads each reply once, and readers need no parser. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { exportChain } from '../../../src/cli/chain/export.js';
import { printReplay } from '../../../src/cli/chain/replay.js';
import { showPrompt } from '../../../src/cli/chain/show-prompt.js';
import { verifyChain } from '../../../src/cli/chain/verify.js';
import { defineAgent, defineStrategy, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import { tags } from '../../support/own-strategy.js';
import { printed } from '../../support/printed.js';
import { getTemporalAddress } from '../../support/temporal.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-own-'));
  process.env.TEMPORAL_ADDRESS = getTemporalAddress();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const weather = defineTool({
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => ({ city, celsius: 12 }),
});

const read: string[] = [];
const strategy = defineStrategy({
  ...{ name: 'tags', prompt: tags.snapshot.prompt, stopSequences: tags.snapshot.stopSequences },
  parse: (text) => {
    read.push(text);
    return tags.parse(text);
  },
});
const agent = defineAgent({ name: 'tagging', model: 'claude-sonnet-5-5', strategy, tools: [weather] });

const call = '<think>I need the weather.</think><call tool="get_weather">{"city": "Paris"}</call>';
const answer = '<answer>It is 12 °C in Paris.</answer>';

/** Knows only its request. It also invents an observation, which its stop sequence cuts off. */
const replies = ({ body: { system, messages } }: RecordedRequest) => {
  if (!JSON.stringify(system).includes('answer as <answer>…</answer>')) return { text: 'In which form?' };
  const seen = JSON.stringify(messages.at(-1)).includes('Observation: {\\"city\\":\\"Paris\\",\\"celsius\\":12}');
  return { text: seen ? answer : `${call}\nObservation: {"celsius": 40}` };
};

it('an agent with an own strategy calls its tool and answers, and its chain verifies and replays without the parser', async () => {
  await withWorker({ agents: [agent], replies, temporal: { maxCachedWorkflows: 0 } }, async ({ longhand }) => {
    read.length = 0;
    const chain = await longhand.start(agent, 'How warm is Paris?');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'It is 12 °C in Paris.', steps: 2 });
    expect(read).toEqual([call, answer]);
    const { steps, state } = await chain.read();
    expect(state.agent?.strategy).toEqual(strategy.snapshot);
    expect(steps[0]).toMatchObject({ thought: 'I need the weather.', calls: [{ tool: 'get_weather', status: 'ok' }] });

    const file = join(folder, 'chain.json');
    await printed((terminal) => exportChain(terminal, chain.chainId, { format: 'json', out: file }));
    const verified = await printed((terminal) => verifyChain(terminal, file, { json: true }));
    expect(JSON.parse(verified.out)).toMatchObject({ calls: 2, divergence: null });
    const replayed = await printed((terminal) => printReplay(terminal, file, { withTool: [] }));
    expect(replayed.out).toContain('; the readings of its own strategy are the recorded ones');
    expect(replayed.code).toBe(0);
    const prompt = await printed((terminal) => showPrompt(terminal, file, { prompt: 'model-2' }));
    expect(prompt.out).toContain('answer as <answer>…</answer>');
    expect(read).toEqual([call, answer]);
  });
});

it('a fork continues with the steps of its origin, and its worker reads only the new reply', async () => {
  await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
    const origin = await longhand.start(agent, 'How warm is Paris?');
    await origin.result();
    read.length = 0;
    const fork = await longhand.fork(origin.chainId, { atStep: 1 });
    expect(await fork.result()).toMatchObject({ outcome: 'success', answer: 'It is 12 °C in Paris.', steps: 2 });
    expect(read).toEqual([answer]);
    expect(models.requests).toHaveLength(3);
  });
});

it('a chain waits for a worker that has its strategy: another strategy of its agent reads no reply', async () => {
  const other = defineStrategy({ name: 'lines', prompt: '{tools}', parse: (text) => ({ answer: text }) });
  const changed = defineAgent({ ...agent.definition, name: 'tagging', strategy: other });
  let leave = () => {};
  const answering: typeof replies = (request) => {
    leave();
    return replies(request);
  };
  await withWorker({ agents: [agent], replies: answering }, async ({ longhand, models, worker, startWorker }) => {
    leave = () => worker.shutdown();
    const chain = await longhand.start(agent, 'How warm is Paris?');
    await worker.run();
    leave = () => {};
    const without = await startWorker({ agents: [changed] });
    const listNotices = async () => (await chain.read()).notices.map(({ text }) => text);
    await expect
      .poll(listNotices)
      .toContainEqual(
        'The worker does not have the strategy tags of the agent tagging: its operation went back to the task queue, for another worker.',
      );
    expect(models.requests).toHaveLength(1);
    await startWorker();
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'It is 12 °C in Paris.', steps: 2 });
    expect(models.requests).toHaveLength(2);
    await without.stop();
  });
});

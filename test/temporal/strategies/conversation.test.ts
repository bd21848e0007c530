/**
 * L2: a model call receives a reference, and reads the conversation from the history of its own workflow: one page while its
 * worker has the chain in its cache, otherwise the run from its start, and always the state that the workflow has.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Longhand } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import type { HistoryEvent } from '../../../src/history/event.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { echo } from '../../support/tools.js';

const agent = defineAgent({
  name: 'echoer',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [echo],
  limits: { steps: 30 },
});

function replyWithSteps(count: number): ScriptedReply[] {
  const calls = Array.from({ length: count }, (_, i) => ({
    text: `Step ${i + 1}`,
    calls: [{ name: 'echo', input: { text: `number ${i + 1}` } }],
  }));
  return [...calls, { text: 'done' }];
}

type Page = 'forward' | 'backward';

/** The pages and the events of one run are counted. */
const oneRun = { continueAfter: {} };

describe('a model call (L2)', () => {
  it('reads no history while its worker takes all turns, except one page after 256 events', async () => {
    const pages: Page[] = [];
    const worker = { ...oneRun, onPage: (page: Page) => pages.push(page) };
    await withWorker({ agents: [agent], replies: replyWithSteps(24), worker }, async ({ longhand }) => {
      const result = await (await longhand.start(agent, 'count')).result();
      expect(result).toMatchObject({ outcome: 'success', answer: 'done', steps: 25 });
    });
    expect(pages).toEqual(['forward', 'backward']);
  });

  it('reads at most one page of history with two workers, each of which reads the run once', async () => {
    const pages: { worker: number; page: Page }[] = [];
    // Without a cache of workflows, no task sticks to a worker: chance decides which one is next.
    const worker = (number: number) => ({
      ...oneRun,
      onPage: (page: Page) => pages.push({ worker: number, page }),
      temporal: { maxCachedWorkflows: 0 },
    });
    await withWorker(
      { agents: [agent], replies: replyWithSteps(19), worker: worker(1) },
      async ({ longhand, startWorker }) => {
        await startWorker(worker(2));
        expect((await (await longhand.start(agent, 'count')).result()).answer).toBe('done');
      },
    );
    expect(pages.length).toBeLessThanOrEqual(20);
    for (const number of [1, 2]) {
      // Chance may also give every call to one worker: then the other reads nothing.
      const [first, ...later] = pages.filter((each) => each.worker === number).map((each) => each.page);
      expect([undefined, 'forward']).toContain(first);
      expect(new Set(later)).toEqual(new Set(later.length > 0 ? ['backward'] : []));
    }
  });

  it('has the whole conversation after the worker lost its cache', async () => {
    const pages: Page[] = [];
    let forget = () => {};
    const forgetful = defineTool({
      name: 'echo',
      description: 'Returns its text, and clears the cache of its worker',
      inputSchema: z.object({ text: z.string() }),
      effects: 'read',
      execute: ({ text }) => {
        forget();
        return text;
      },
    });
    const forgetting = defineAgent({ ...agent.definition, tools: [forgetful] });
    const worker = { ...oneRun, onPage: (page: Page) => pages.push(page) };
    await withWorker(
      { agents: [forgetting], replies: replyWithSteps(4), worker },
      async ({ longhand, models, worker: made }) => {
        forget = made.forgetChains;
        expect((await (await longhand.start(forgetting, 'count')).result()).answer).toBe('done');
        const stored = JSON.stringify(models.requests.at(-1)?.body);
        for (const number of [1, 2, 3, 4]) expect(stored).toContain(`number ${number}`);
      },
    );
    expect(pages).toEqual(Array(5).fill('forward'));
  });

  it('has a summary of the oldest steps once they fill the context window of the price map', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longhand-prices-'));
    const prices = join(folder, 'prices.json');
    writeFileSync(prices, JSON.stringify({ 'claude-sonnet-5-5': { max_input_tokens: 6_000 } }));
    const compact = defineAgent({ ...agent.definition, maxTokens: 1_024, limits: { steps: 30, stallThreshold: 30 } });
    const replies = Array.from({ length: 12 }, (_, i) => ({
      text: `Step ${i + 1}`,
      calls: [{ name: 'echo', input: { text: `number ${i + 1} ${'and so on '.repeat(60)}the end ${i + 1}.` } }],
    }));
    await withWorker(
      { agents: [compact], replies: [...replies, { text: 'done' }], worker: { prices } },
      async ({ longhand, models }) => {
        const chain = await longhand.start(compact, 'count');
        expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'done' });
        const { steps } = await chain.view(createViewer('developer'));
        const notices = steps.flatMap((step) => (step.level === 'full' && step.kind === 'notice' ? [step.text] : []));
        expect(notices[0]).toMatch(/^Steps? 1 .*summarized in requests from here on\.$/);
        const sent = JSON.stringify(models.requests.at(-1)?.body);
        expect(sent).toContain('Summary of steps 1 to ');
        expect(sent).toMatch(/\d+\. Step \d+ echo\(/);
        expect(sent).not.toContain('the end 1.');
        expect(sent).toContain('the end 12.');
      },
    );
    rmSync(folder, { recursive: true });
  });

  it('has an activity input of constant size', async () => {
    await withWorker({ agents: [agent], replies: replyWithSteps(9), worker: oneRun }, async ({ longhand }) => {
      const scheduled = (await readEvents(longhand, await playChain(longhand)))
        .map((event) => event.activityTaskScheduledEventAttributes)
        .filter((attributes) => attributes?.activityType?.name === 'longhand.callModel');
      const inputs = scheduled.map((attributes) => attributes?.input?.payloads?.[0]?.data?.length ?? 0);
      expect(inputs).toHaveLength(10);
      // Numbers get longer by a digit or two; nothing else does.
      expect(Math.max(...inputs) - Math.min(...inputs)).toBeLessThan(16);
    });
  });

  it('adds 12 events per step and stores the reply once', async () => {
    const thought = 'What is sent at length is stored once. '.repeat(60);
    const inputAt = (i: number) => ({ text: `${'So is what is asked for, but for the tool. '.repeat(20)}${i}` });
    const replies = Array.from({ length: 9 }, (_, i) => ({
      text: `${thought}${i}`,
      calls: [{ name: 'echo', input: inputAt(i) }],
    }));
    await withWorker(
      { agents: [agent], replies: [...replies, { text: 'done' }], worker: oneRun },
      async ({ longhand }) => {
        const events = await readEvents(longhand, await playChain(longhand));
        // The tasks that decided on a model call, after the one that also started the timer of the chain.
        const decided = events
          .filter((event) => event.workflowTaskStartedEventAttributes)
          .filter((_, at) => at % 2 === 0 && at > 0);
        const sizes = decided.map((event) => Number(event.workflowTaskStartedEventAttributes?.historySizeBytes));
        const added = sizes.slice(1).map((size, at) => size - (sizes[at] ?? 0));
        const inputBytes = Buffer.byteLength(JSON.stringify(inputAt(1)));
        // In the reply, in the call of the tool, and in its result.
        const stored = Buffer.byteLength(thought) + 3 * inputBytes;
        expect(added).toHaveLength(8);
        expect(Math.max(...added) - Math.min(...added)).toBeLessThan(100);
        // The bound of the benchmark, and the longer line that the Web UI shows of a longer text.
        expect(Math.max(...added) - stored).toBeLessThan(2_800 + 250);
        const ids = decided.map((event) => Number(event.eventId));
        expect(new Set(ids.slice(1).map((id, at) => id - (ids[at] ?? 0)))).toEqual(new Set([12]));
      },
    );
  });
});

async function playChain(longhand: Longhand): Promise<string> {
  const chain = await longhand.start(agent, 'count', { limits: { stallThreshold: 100 } });
  expect((await chain.result()).answer).toBe('done');
  return chain.chainId;
}

async function readEvents(longhand: Longhand, chainId: string): Promise<readonly HistoryEvent[]> {
  const { events } = await longhand.client.workflow.getHandle(chainId).fetchHistory();
  return events ?? [];
}

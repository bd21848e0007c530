/**
 * A cancel at any moment ends the chain as cancelled, with its sender, its reason and the partial result. L5: an unsafe call
 * that is interrupted is named, because it may have happened.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle } from '../../../src/entries/client.js';
import { defineAgent, defineTool, type Effects, type ToolContext } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { note } from '../../support/tools.js';

/** An agent with the tool `wait`, and the state of the tool's call. */
interface Waiting {
  readonly started: Promise<void>;
  readonly signal: () => AbortSignal | undefined;
  /** Ends a tool that ignores its signal, because its worker waits for it. */
  readonly release: () => void;
  readonly agent: ReturnType<typeof defineAgent>;
}

/** An agent with a quick tool `note`, and `wait`, which runs until its signal is aborted, or longer. */
function createWaitingAgent(effects: Effects, manner: 'stops' | 'ignores' = 'stops'): Waiting {
  let begin = () => {};
  let given: ToolContext | undefined;
  let release = () => {};
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    inputSchema: z.object({}),
    effects,
    approval: false,
    heartbeatTimeout: 2_000,
    execute: (_, context) => {
      given = context;
      begin();
      return new Promise<void>((resolve, reject) => {
        release = resolve;
        if (manner === 'stops') context.signal.addEventListener('abort', () => reject(context.signal.reason));
      });
    },
  });
  const agent = defineAgent({ name: 'waiter', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [note, wait] });
  return { started, signal: () => given?.signal, release: () => release(), agent };
}

const noting: ScriptedReply = { text: 'First a note.', calls: [{ name: 'note', input: { text: 'rain' } }] };
const waiting: ScriptedReply = { text: 'Now I wait.', calls: [{ name: 'wait', input: {} }] };
const byAda = { by: 'Ada', reason: 'wrong city' } as const;

async function readStatus({ longhand }: ChainTest, { chainId }: ChainHandle): Promise<string> {
  return (await longhand.client.workflow.getHandle(chainId).describe()).status.name;
}

/** Starts a chain with `replies` and passes it to `body`. */
async function withChain(
  { agent }: Waiting,
  replies: readonly ScriptedReply[],
  body: (chain: ChainHandle, test: ChainTest) => Promise<void>,
): Promise<void> {
  await withWorker({ agents: [agent], replies }, async (test) => {
    await body(await test.longhand.start(agent, 'Wait for me'), test);
  });
}

describe('a cancel', () => {
  it('during a model call aborts its request at once and records name and reason', async () => {
    const replies = [noting, { hang: true, afterEvents: 4 } as const];
    await withChain(createWaitingAgent('read'), replies, async (chain, test) => {
      await expect.poll(() => test.models.requests.length).toBe(2);
      const at = Date.now();
      await chain.cancel(byAda);
      await expect.poll(() => test.models.aborted, { interval: 10 }).toBe(1);
      // Half a second on an idle machine; with the default throttling of heartbeats it would be 24 seconds.
      expect(Date.now() - at).toBeLessThan(10_000);
      expect(await chain.result()).toMatchObject({
        outcome: 'cancelled',
        success: false,
        answer: null,
        reason: 'Cancelled by Ada: wrong city.',
        partial: 'First a note.\n\nnote: noted: rain',
        steps: 1,
      });
      expect(await readStatus(test, chain)).toBe('CANCELLED');
      // The tokens so far are charged.
      const { state } = await chain.read();
      expect(state.usage.input).toBeGreaterThan(0);
      expect(state.flight.kind).toBe('idle');
    });
  });

  it('during a read tool aborts its signal and records the call as cancelled', async () => {
    const waiter = createWaitingAgent('read');
    await withChain(waiter, [waiting], async (chain, test) => {
      await waiter.started;
      await chain.cancel(byAda);
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
      expect(waiter.signal()?.aborted).toBe(true);
      const [step] = (await chain.read()).steps;
      expect(step?.calls).toMatchObject([{ tool: 'wait', status: 'cancelled' }]);
      expect(await readStatus(test, chain)).toBe('CANCELLED');
    });
  });

  it('during an unsafe tool names the call with its unknown outcome (L5)', async () => {
    const waiter = createWaitingAgent('unsafe');
    await withChain(waiter, [waiting], async (chain, test) => {
      await waiter.started;
      await chain.cancel(byAda);
      const { outcome, reason } = await chain.result();
      expect(outcome).toBe('cancelled');
      expect(reason).toMatch(
        /^Cancelled by Ada: wrong city\. The outcome of call 1\.1, wait\(\{\}\), is unknown: .+\. It may have happened; check before it is done again\.$/,
      );
      const [step] = (await chain.read()).steps;
      expect(step?.calls).toMatchObject([{ tool: 'wait', status: 'unknown' }]);
      expect(await readStatus(test, chain)).toBe('CANCELLED');
    });
  });

  it('during the wait before the next attempt ends the wait', async () => {
    const replies = [{ status: 429, headers: { 'retry-after': '300' } }];
    await withChain(createWaitingAgent('read'), replies, async (chain, test) => {
      await expect.poll(async () => (await chain.describe()).doing).toContain('the wait before the next attempt');
      await chain.cancel(byAda);
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
      expect(test.models.requests).toHaveLength(1);
    });
  });

  it('that is sent twice keeps the first name and reason', async () => {
    const waiter = createWaitingAgent('read');
    await withChain(waiter, [waiting], async (chain) => {
      await waiter.started;
      await Promise.all([chain.cancel(byAda), chain.cancel({ by: 'Bob' })]);
      const { outcome, reason } = await chain.result();
      expect(outcome).toBe('cancelled');
      expect(reason).toMatch(/^Cancelled by (Ada: wrong city|Bob)\.$/);
      // A cancel of an ended chain changes nothing.
      await chain.cancel({ by: 'Eve' });
      expect((await chain.result()).reason).toBe(reason);
    });
  });

  it('through Temporal has no name', async () => {
    const waiter = createWaitingAgent('read');
    await withChain(waiter, [waiting], async (chain, test) => {
      await waiter.started;
      await test.longhand.client.workflow.getHandle(chain.chainId).cancel();
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled', reason: 'Cancelled.' });
      expect(waiter.signal()?.aborted).toBe(true);
      expect(await readStatus(test, chain)).toBe('CANCELLED');
    });
  });

  it('before any worker has started is applied by the first one', async () => {
    const { agent } = createWaitingAgent('read');
    await withWorker({ agents: [agent] }, async (test) => {
      await test.worker.stop();
      const chain = await test.longhand.start(agent, 'Wait for me');
      await chain.cancel(byAda);
      await test.startWorker();
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
      expect(test.models.requests).toEqual([]);
      expect(await readStatus(test, chain)).toBe('CANCELLED');
    });
  });

  it('abandons a tool that ignores its signal after the grace period', async () => {
    const waiter = createWaitingAgent('read', 'ignores');
    await withChain(waiter, [waiting], async (chain) => {
      await waiter.started;
      await chain.cancel(byAda);
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
      const [step] = (await chain.read()).steps;
      expect(step?.calls).toMatchObject([{ tool: 'wait', status: 'abandoned' }]);
      waiter.release();
    });
  });
});

describe('a cancel at any moment', () => {
  it('ends the chain as cancelled, with two workers without a cache', async () => {
    const { agent } = createWaitingAgent('read');
    const callNote = (text: string) => ({ name: 'note', input: { text } });
    const replies = Array.from({ length: 300 }, (_, at) => ({ calls: [callNote(`${at} a`), callNote(`${at} b`)] }));
    await withWorker({ agents: [agent], replies, temporal: { maxCachedWorkflows: 0 } }, async (test) => {
      await test.startWorker();
      const cancelled = async (number: number) => {
        const chain = await test.longhand.start(agent, 'Note on', { limits: { steps: 100 } });
        const workflow = test.longhand.client.workflow.getHandle(chain.chainId);
        // At a moment between the requests of the other chains.
        await expect.poll(() => test.models.requests.length).toBeGreaterThan(4 * number);
        if (number % 3 === 0) await Promise.all([chain.cancel(byAda), chain.cancel(byAda)]);
        else if (number % 3 === 1) await workflow.cancel();
        else await Promise.all([workflow.signal('longhand.cancel', { id: 'one', ...byAda }), workflow.cancel()]);
        return chain.result();
      };
      const results = await Promise.all(Array.from({ length: 6 }, (_, number) => cancelled(number)));
      for (const { outcome, reason } of results) {
        expect(outcome).toBe('cancelled');
        expect(reason).toMatch(/^Cancelled( by Ada: wrong city)?\.$/);
      }
    });
  });
});

describe('a terminated chain', () => {
  it('has the outcome terminated and names its last operation', async () => {
    const waiter = createWaitingAgent('read');
    await withChain(waiter, [waiting], async (chain, test) => {
      await waiter.started;
      await test.longhand.client.workflow.getHandle(chain.chainId).terminate('out of patience');
      expect(await chain.result()).toMatchObject({
        outcome: 'terminated',
        success: false,
        answer: null,
        reason: 'It was terminated in Temporal during call 1.1 (wait).',
        steps: 1,
      });
      expect(await chain.describe()).toMatchObject({ status: 'ended', outcome: 'terminated', doing: null });
    });
  });
});

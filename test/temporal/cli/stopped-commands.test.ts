/** A command stops on a signal and when the reader of its output goes away. Built commands, with real signals. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Longhand } from '../../../src/entries/client.js';
import { defaults } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { longhand, type Running } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { type MessagesServer, type ScriptedReply, startMessagesServer } from '../../support/messages-server.js';
import { getTemporalAddress } from '../../support/temporal.js';

const weather = ['meteorologist', 'Compare the weather', '--module', 'examples/weather.ts'];
const hangs: ScriptedReply = { hang: true, afterEvents: 3, text: 'Thought: let me' };

let client: Longhand;
beforeAll(async () => {
  client = await connect({ address: getTemporalAddress() });
});
afterAll(() => client.close());

/** Runs a command, and kills it at the end of the test. */
async function withCommand(
  args: readonly string[],
  replies: readonly ScriptedReply[],
  use: (running: Running, models: MessagesServer) => Promise<void>,
): Promise<void> {
  const models = await startMessagesServer(replies);
  const running = longhand(args, { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_MODEL_URL: models.url });
  try {
    await use(running, models);
  } finally {
    running.process.kill('SIGKILL');
    await models.close();
  }
}

const waitForModelCall = (models: MessagesServer) => expect.poll(() => models.requests.length).toBe(1);
const createQueueFlag = () => ['--task-queue', `test-${randomUUID()}`];

describe('a command that follows a chain of another worker', () => {
  const file = 'test/histories/releases/next/exports/parallel-tools.chain.json';
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['chain fork', ['chain', 'fork', file, '--at-step', '1', '--steer', 'Continue', '--wait']],
    ['start', ['start', 'meteorologist', 'Compare', '--wait']],
  ];
  // In the short form, unpolled-queue.test.ts stops `start`.
  it.each(commands.slice(0, budget(1, 2)))(
    'ends at Ctrl-C and leaves the chain running: %s --wait',
    async (_name, args) => {
      const id = `chain-${randomUUID()}`;
      await withCommand([...args, '--id', id, ...createQueueFlag()], [], async ({ process, readStderr, end }) => {
        await expect.poll(readStderr).toContain(`Following ${id}. Ctrl-C leaves it running.`);
        const exit = once(process, 'exit');
        process.kill('SIGINT');
        expect(await exit).toEqual([null, 'SIGINT']);
        await end;
        expect(await client.getHandle(id).describe()).toMatchObject({ status: 'running' });
        await client.client.workflow.getHandle(id).terminate();
      });
    },
  );
});

describe('longhand run', () => {
  // SIGINT in the short form: command.test.ts.
  const stops = [
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'Ctrl-C'],
    ['SIGHUP', 'SIGHUP'],
  ] as const;
  it.each(stops.slice(0, budget(1, 3)))('cancels its chain at %s with the signal as reason', async (signal, named) => {
    await withCommand(['run', ...weather, '--json'], [hangs], async ({ process, end }, models) => {
      await waitForModelCall(models);
      process.kill(signal);
      const { code, stdout, stderr } = await end;
      expect(code).toBe(130);
      expect(JSON.parse(stdout)).toMatchObject({
        outcome: 'cancelled',
        reason: expect.stringContaining(`: ${named}.`),
      });
      expect(stderr).toContain('Cancelling');
    });
  });

  it('cancels its chain without an error message when its output is closed', async () => {
    const id = `chain-${randomUUID()}`;
    const args = ['run', ...weather, '--id', id, '--tokens'];
    const longReply = { text: `Thought: ${'and '.repeat(2_000)}`, chunkDelayMs: 20 };
    await withCommand(args, [longReply], async ({ process, end }, models) => {
      await waitForModelCall(models);
      process.stdout.destroy();
      const { code, stderr } = await end;
      expect(code).toBe(130);
      expect(stderr).not.toContain('    at ');
      const { outcome, reason } = await client.getHandle(id).result();
      expect(outcome).toBe('cancelled');
      expect(reason).toContain('the output was closed');
    });
  });

  /** Runs a command in this process until its model is called, and returns the timeout of its chain in seconds. */
  async function readTimeout(id: string, flags: readonly string[]): Promise<number> {
    const models = await startMessagesServer([hangs]);
    const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_MODEL_URL: models.url };
    const running = longhandHere(['run', ...weather, '--id', id, ...flags], env);
    await waitForModelCall(models);
    const { raw } = await client.client.workflow.getHandle(id).describe();
    await client.getHandle(id).cancel();
    expect((await running).code).toBe(130);
    await models.close();
    return Number(raw.executionConfig?.workflowExecutionTimeout?.seconds ?? 0);
  }

  it('sets an execution timeout if its task queue has no other worker', async () => {
    const seconds = await readTimeout(`chain-${randomUUID()}`, ['--limit', 'time=2m']);
    // The limit of the chain, and the hour in which a failed model call is repeated.
    expect(seconds).toBeGreaterThan(120 + 3_600 + (defaults.closingMs + defaults.graceMs) / 1_000);
    expect(seconds).toBeLessThan(300 + 3_600);
  });

  it('sets no execution timeout on a named task queue', async () => {
    expect(await readTimeout(`chain-${randomUUID()}`, createQueueFlag())).toBe(0);
  });
});

describe('longhand worker', () => {
  it('ends at SIGTERM although a tool ignores its signal', async () => {
    const queue = createQueueFlag();
    const args = ['worker', '--module', 'test/support/stubborn-agents.ts', ...queue];
    const calls = { calls: [{ name: 'hold_on', input: {} }] };
    await withCommand(args, [calls], async ({ process, end }, models) => {
      const own = await connect({ address: getTemporalAddress(), taskQueue: queue[1] });
      const chain = await own.start('stubborn', 'Hold on');
      await waitForModelCall(models);
      await expect.poll(async () => (await chain.describe()).doing).toContain('hold_on');
      const began = performance.now();
      // The tool runs until its timeout of five minutes.
      process.kill('SIGTERM');
      const { code, stderr } = await end;
      expect(performance.now() - began).toBeLessThan(120_000);
      expect(code).toBe(1);
      expect(stderr).toContain('A tool must end when its `signal` is aborted');
      await own.client.workflow.getHandle(chain.chainId).terminate();
      await own.close();
    });
  });
});

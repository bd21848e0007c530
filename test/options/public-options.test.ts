/** Each option that is a duration takes a text or milliseconds, and rejects anything else before it has an effect. */

import type { Client } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { describe, expect, it } from 'vitest';
import { createChainCommands } from '../../src/client/commands/chain-commands.js';
import type { CommandTarget } from '../../src/client/commands/send-command.js';
import { startWorkflow } from '../../src/client/start/start.js';
import type { StartInput } from '../../src/client/start/start-options.js';
import type { StartOptions } from '../../src/entries/client.js';
import { anthropicProvider, openaiProvider } from '../../src/entries/models.js';
import { coder } from '../../src/entries/tools.js';
import { createWorker } from '../../src/entries/worker.js';
import { type Duration, defineAgent, delegate, explore, type LimitOptions, mapAgent } from '../../src/index.js';

const tenMinutes: readonly Duration[] = ['10m', '10 minutes', 600_000];
const invalid = ['soon', -1, 0, Number.POSITIVE_INFINITY] as Duration[];
const expected = "milliseconds (at least 1) or a text such as '90s'";

const aide = defineAgent({ name: 'aide', model: 'some-model' });

interface Sent {
  readonly args: readonly [{ readonly limits: object }];
  readonly staticDetails: string;
  readonly workflowExecutionTimeout?: number;
}

/** Starts with a client that only records what it receives. */
async function startedWith(options: StartOptions): Promise<Sent | undefined> {
  const sent: Sent[] = [];
  const client = {
    options: { loadedDataConverter: loadDataConverter() },
    workflow: { start: async (_type: string, given: Sent) => void sent.push(given) },
  };
  const input: StartInput = { agent: aide, task: 'Find it', chainId: 'c', taskQueue: 'q' };
  await startWorkflow(client as unknown as Client, input, options);
  return sent[0];
}

/** Commands to a chain whose server records what it receives. */
function commandsTo(sent: object[]) {
  const handle = {
    workflowId: 'c',
    startUpdate: async (_name: string, { args: [message] }: { readonly args: readonly [object] }) => {
      sent.push(message);
      return { result: async () => undefined };
    },
  };
  const client = { withDeadline: (_deadline: number, run: () => Promise<void>) => run() };
  return createChainCommands({ client, handle } as unknown as CommandTarget, async () => []);
}

const invalidLimits: readonly [LimitOptions, string][] = [
  ...invalid.map((time): [LimitOptions, string] => [{ time }, `limits.time must be ${expected}.`]),
  [{ time: '31 days' }, 'limits.time must be 30 days at most.'],
  [{ timeMs: 1_000 } as LimitOptions, 'limits.timeMs is unknown; you may mean time.'],
];

describe('the time limit', () => {
  it.each(tenMinutes)('%j is stored as milliseconds', async (time) => {
    const limits = { steps: 5, time };
    const stored = { steps: 5, timeMs: 600_000 };
    expect(defineAgent({ name: 'aide', model: 'some-model', limits }).limits).toEqual(stored);
    for (const tool of [delegate(aide, { limits }), mapAgent(aide, { limits }), explore({ limits })])
      expect(tool.snapshot.delegates?.limits).toEqual(stored);
    expect(delegate(aide, { timeout: time }).snapshot.delegates?.limits).toEqual({ timeMs: 600_000 });
    expect(coder({ root: '.', limits }).limits).toMatchObject(stored);

    const started = await startedWith({ limits });
    expect(started?.args[0].limits).toEqual(stored);
    expect(started?.staticDetails).toContain('**Limits** 5 steps, 1,000,000 tokens, 10 min');

    const sent: object[] = [];
    await commandsTo(sent).raiseLimits(limits, { by: 'ann' });
    expect(sent).toMatchObject([{ limits: stored, by: 'ann' }]);
    expect(sent[0]).not.toHaveProperty('limits.time');
  });

  it('of the agent for code is an hour, unless it is set', () => {
    expect(coder({ root: '.' }).limits).toMatchObject({ steps: 80, timeMs: 3_600_000 });
    expect(coder({ root: '.', limits: { steps: 5 } }).limits).toMatchObject({ steps: 5, timeMs: 3_600_000 });
  });

  it.each(invalidLimits)('%j is rejected', async (limits, message) => {
    const invalidTool = expect.objectContaining({ code: 'invalid_tool', message: expect.stringContaining(message) });
    expect(() => delegate(aide, { limits })).toThrow(invalidTool);
    expect(() => mapAgent(aide, { limits })).toThrow(invalidTool);
    expect(() => explore({ limits })).toThrow(invalidTool);

    const invalidAgent = expect.objectContaining({ code: 'invalid_agent', message: expect.stringContaining(message) });
    expect(() => defineAgent({ name: 'aide', model: 'some-model', limits })).toThrow(invalidAgent);
    expect(() => coder({ root: '.', limits })).toThrow(invalidAgent);

    await expect(startedWith({ limits })).rejects.toMatchObject({ code: 'invalid_options', message });

    const sent: object[] = [];
    const rejection = { code: 'command_rejected', rejection: 'limit_invalid', message };
    await expect(commandsTo(sent).raiseLimits(limits)).rejects.toMatchObject(rejection);
    expect(sent).toEqual([]);
  });
});

describe('endAfter', () => {
  it.each(tenMinutes)('%j is the timeout of the workflow', async (endAfter) => {
    expect((await startedWith({ endAfter }))?.workflowExecutionTimeout).toBe(600_000);
  });

  it('is absent by default', async () => {
    expect(await startedWith({})).not.toHaveProperty('workflowExecutionTimeout');
  });
});

describe('an invalid duration is rejected with its value', () => {
  it.each(invalid)('%j', async (duration) => {
    const given = typeof duration === 'string' ? `'${duration}'` : String(duration);
    const rejection = (option: string) => ({
      code: 'invalid_options',
      message: `Invalid option \`${option}\` ${given}: expected ${expected}.`,
    });
    await expect(startedWith({ endAfter: duration })).rejects.toMatchObject(rejection('endAfter'));
    expect(() => anthropicProvider({ apiKey: 'k', stallTimeout: duration })).toThrow(
      expect.objectContaining(rejection('stallTimeout')),
    );
    expect(() => openaiProvider({ apiKey: 'k', stallTimeout: duration })).toThrow(
      expect.objectContaining(rejection('stallTimeout')),
    );
    const worker = createWorker({ agents: [aide], sweepInterval: duration, address: '127.0.0.1:1' });
    await expect(worker).rejects.toMatchObject(rejection('sweepInterval'));
  });
});

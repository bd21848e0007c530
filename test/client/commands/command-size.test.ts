/** Commands that are too large or too many are rejected before they are sent, and as such where the server rejects them. */

import { type Client, ServiceError, type WorkflowHandle } from '@temporalio/client';
import { expect, it } from 'vitest';
import { createChainCommands } from '../../../src/client/commands/chain-commands.js';
import { defaults } from '../../../src/core/model/defaults.js';
import type { HistoryEvent } from '../../../src/history/event.js';

/** A server without a worker: an update stays unanswered, and `signal` stores or rejects the command. */
function useServer(signal: () => Promise<void> = async () => {}, events: readonly HistoryEvent[] = []) {
  const sent: string[] = [];
  const send = (name: string) => {
    sent.push(name);
  };
  const handle: Pick<WorkflowHandle, 'workflowId'> & { readonly [method: string]: unknown } = {
    workflowId: 'chain-1',
    startUpdate: async (name: string) => {
      send(`update ${name}`);
      throw new Error('no worker');
    },
    signal: async (name: string) => {
      send(`signal ${name}`);
      await signal();
    },
    cancel: async () => send('cancel'),
  };
  const client = {
    withDeadline: (_: number, work: () => unknown) => work(),
    options: { namespace: 'default' },
    workflowService: {
      describeWorkflowExecution: async () => ({ workflowExecutionInfo: { historyLength: events.length } }),
      getWorkflowExecutionHistoryReverse: async () => ({ history: { events: events.toReversed() } }),
    },
  };
  const target = { client: client as unknown as Client, handle: handle as unknown as WorkflowHandle };
  return { sent, commands: createChainCommands(target, async () => []) };
}

const textOf = (bytes: number) => 'x'.repeat(bytes - 2);

it('a signal has at most the bytes that a chain takes', async () => {
  const { sent, commands } = useServer();
  await commands.signal('build-done', textOf(defaults.signalBytes));
  expect(sent).toHaveLength(2);
  for (const data of [textOf(defaults.signalBytes + 1), textOf(3_000_000), { log: Array(20_000).fill(1) }])
    await expect(commands.signal('build-done', data)).rejects.toMatchObject({
      ...{ name: 'CommandRejectedError', code: 'command_rejected', rejection: 'too_long', chainId: 'chain-1' },
      message:
        'The data of signal build-done are over 16,384 bytes, which is the limit. Store long content where a tool can read it.',
    });
  expect(sent).toHaveLength(2);
});

it('any command has at most the bytes of a payload', async () => {
  const { sent, commands } = useServer();
  const long = textOf(3_000_000);
  const attempts = [
    () => commands.steer(long),
    () => commands.approve('1.1', { input: { file: long } }),
    () => commands.answer('1.1', long),
    () => commands.resolveOutcome('1.1', 'happened', { observation: long }),
    () => commands.deny('1.1', { reason: long }),
    () => commands.cancel({ reason: long }),
  ];
  for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ rejection: 'too_long' });
  expect(sent).toEqual([]);
});

it('a signal is rejected where as many as a client may send wait for a worker, and a cancel is not', async () => {
  const signal = { workflowExecutionSignaledEventAttributes: {} };
  const waiting = [...Array<typeof signal>(defaults.queuedCommands)].fill(signal);
  const taken = [...waiting, { workflowTaskCompletedEventAttributes: {} }];
  const { commands } = useServer(undefined, waiting);
  await expect(commands.steer('Stop.')).rejects.toMatchObject({ code: 'command_rejected', rejection: 'queue_full' });
  expect(await commands.cancel()).toMatchObject({ status: 'sent' });
  expect(await useServer(undefined, taken).commands.steer('Stop.')).toMatchObject({ status: 'sent' });
});

it.each([
  '3 INVALID_ARGUMENT: Blob data size exceeds limit.',
  '8 RESOURCE_EXHAUSTED: grpc: received message larger than max (5 vs. 4)',
])('a rejection of the server (%s) is one of the command', async (message) => {
  const { commands } = useServer(async () => {
    throw new ServiceError('Failed to signal Workflow', { cause: new Error(message) });
  });
  await expect(commands.steer('Stop.')).rejects.toMatchObject({ code: 'command_rejected', rejection: 'too_long' });
});

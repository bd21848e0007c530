/** `runAgent` outside of Temporal: what it checks before the start, and what it returns or throws for each end of the child. */

import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
} from '@temporalio/common';
import { beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent, type Json } from '../../src/index.js';
import { type AgentResult, type RunAgentOptions, runAgent } from '../../src/workflows/run-agent.js';

const temporal = vi.hoisted(() => ({
  executeChild: vi.fn(),
  scheduleActivity: vi.fn(),
  scope: { consideredCancelled: false },
}));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  executeChild: temporal.executeChild,
  scheduleActivity: temporal.scheduleActivity,
  CancellationScope: { current: () => temporal.scope },
  workflowInfo: () => ({ taskQueue: 'q' }),
  uuid4: () => 'random',
}));

beforeEach(() => {
  temporal.executeChild.mockReset().mockResolvedValue({ outcome: 'success' });
  temporal.scheduleActivity.mockReset();
  temporal.scope.consideredCancelled = false;
});

const execution = { workflowId: 'c', runId: 'r' };
const toChildFailure = (cause: Error) =>
  new ChildWorkflowFailure('default', execution, 'agent', 'NON_RETRYABLE_FAILURE', cause);
const failure = { chainId: 'c', outcome: 'failure', reason: 'The model refused.' };
const chainFailed = ApplicationFailure.create({ type: 'longhand.ChainFailed', details: [failure] });
const run = (options: object = {}) => runAgent('clerk', 'Sum up.', { chainId: 'c', ...options });

describe('a cancel of the workflow', () => {
  it('does not lose the result of a chain that had already ended by itself', async () => {
    temporal.scope.consideredCancelled = true;
    temporal.executeChild.mockRejectedValue(toChildFailure(chainFailed));
    expect(await run()).toEqual(failure);
  });

  it('is thrown, also where the chain was terminated meanwhile, so that the workflow closes as cancelled', async () => {
    temporal.scope.consideredCancelled = true;
    const cancelled = toChildFailure(new CancelledFailure('cancelled'));
    temporal.executeChild.mockRejectedValue(cancelled);
    await expect(run()).rejects.toBe(cancelled);
    temporal.executeChild.mockRejectedValue(toChildFailure(new TerminatedFailure('terminated')));
    await expect(run()).rejects.toBeInstanceOf(CancelledFailure);
    expect(temporal.scheduleActivity).not.toHaveBeenCalled();
  });
});

it('a terminated chain whose history cannot be read has a result after a bounded number of attempts', async () => {
  temporal.executeChild.mockRejectedValue(toChildFailure(new TerminatedFailure('terminated')));
  const gone = new ActivityFailure('gone', 'longhand.readResult', 'id', 'MAXIMUM_ATTEMPTS_REACHED', 'worker');
  temporal.scheduleActivity.mockRejectedValue(gone);
  expect(await run()).toMatchObject({
    ...{ chainId: 'c', outcome: 'terminated', success: false, answer: null, steps: 0, costUsd: null },
    reason: 'It was terminated in Temporal. Its history cannot be read, so its steps and cost are unknown.',
  });
  expect(temporal.scheduleActivity.mock.calls[0]?.[2]).toMatchObject({ retry: { maximumAttempts: 5 } });
});

describe('an invalid start', () => {
  it.each<[string, readonly [agent: string, task: string, options?: object]]>([
    ['The name of the agent is empty', [undefined as unknown as string, 'Sum up.']],
    ['The task is missing', ['clerk', undefined as unknown as string]],
    ['The task has 1950', ['clerk', 'x'.repeat(1_950_000)]],
    ["The chain's id is empty", ['clerk', 'Sum up.', { chainId: '' }]],
    ['the limit is 200', ['clerk', 'Sum up.', { chainId: 'ä'.repeat(101) }]],
    ['The chain has 33 roles', ['clerk', 'Sum up.', { roles: Array(33).fill('ops') }]],
    ['Invalid message 1', ['clerk', 'Sum up.', { messages: [{ role: 'system', text: 'Hi' }] }]],
    ['The context note is empty', ['clerk', 'Sum up.', { context: { note: '' } }]],
    ['a workflow passes texts', ['clerk', 'Sum up.', { context: { 'a.png': new Uint8Array(4) } }]],
    ['Invalid data class "for us"', ['clerk', 'Sum up.', { dataClass: 'for us' }]],
    ['Invalid data class 7', ['clerk', 'Sum up.', { dataClass: 7 }]],
    ['endAfter must be', ['clerk', 'Sum up.', { endAfter: 'soon' }]],
    ['Invalid `parentClosePolicy` "KEEP"', ['clerk', 'Sum up.', { parentClosePolicy: 'KEEP' }]],
  ])('fails the workflow: %s', async (message, args) => {
    const error: unknown = await runAgent(...args).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      ...{ type: 'longhand.InvalidStart', nonRetryable: true },
      message: expect.stringContaining(message),
    });
    expect(temporal.executeChild).not.toHaveBeenCalled();
  });
});

it('the options of a start reach the chain and Temporal', async () => {
  const options: RunAgentOptions = {
    context: { note: 'From May.' },
    messages: [{ role: 'user', text: 'Hello.' }],
    dataClass: ['personal', 'health', 'personal'],
    endAfter: '2h',
    parentClosePolicy: 'ABANDON',
  };
  await run(options);
  const [type, given] = temporal.executeChild.mock.calls[0] ?? [];
  expect([type, given]).toMatchObject([
    'agent',
    { workflowId: 'c', taskQueue: 'q', workflowExecutionTimeout: 7_200_000, parentClosePolicy: 'ABANDON' },
  ]);
  expect(given.args[0]).toMatchObject({
    task: 'Sum up.\n\nnote: From May.',
    earlier: { omitted: 0, messages: [{ role: 'user', text: 'Hello.' }] },
    dataClasses: ['health', 'personal'],
  });
});

it('a task may be messages with parts, but not with files', async () => {
  const parts = [{ text: 'Sum up.' }, { data: 7 }];
  const messages = [
    { role: 'agent', parts: [{ text: 'Hello.' }] },
    { role: 'user', parts },
  ] as const;
  await runAgent('clerk', { messages }, { metadata: { ticket: 'A-17' } });
  const [, given] = temporal.executeChild.mock.calls[0] ?? [];
  expect(given.args[0]).toMatchObject({
    task: 'Sum up.\n\nData: 7',
    earlier: { messages: [{ role: 'assistant', text: 'Hello.' }] },
    metadata: { ticket: 'A-17' },
  });
  const file = { messages: [{ role: 'user', parts: [...parts, { raw: new Uint8Array(4) }] }] } as const;
  await expect(runAgent('clerk', file)).rejects.toThrow('a workflow passes texts');
});

it('the outcome of a result determines the type of its answer', () => {
  const outputSchema = z.object({ total: z.number() });
  const clerk = defineAgent({ name: 'clerk', outputSchema });
  const talker = defineAgent({ name: 'talker', outputSchema, successPhrases: ['DONE'] });
  type Ended = { readonly outcome: string; readonly answer: unknown };
  type Answer<R extends Ended, O> = R extends Ended ? (O extends R['outcome'] ? R['answer'] : never) : never;
  expectTypeOf<Answer<AgentResult<typeof clerk>, 'success'>>().toEqualTypeOf<{ total: number }>();
  expectTypeOf<Answer<AgentResult<typeof talker>, 'success'>>().toEqualTypeOf<{ total: number } | string>();
  expectTypeOf<Answer<AgentResult<typeof clerk>, 'custom'>>().toEqualTypeOf<Json>();
  expectTypeOf<Answer<AgentResult<typeof clerk>, 'failure'>>().toEqualTypeOf<null>();
  expectTypeOf<Answer<AgentResult<{ name: string }>, 'success'>>().toEqualTypeOf<Json>();
  expect([clerk.name, talker.name]).toEqual(['clerk', 'talker']);
});

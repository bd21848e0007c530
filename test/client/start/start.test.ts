/** What a chain is started with is looked at before anything is sent, and shown as it will hold. */

import type { Client } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { describe, expect, it } from 'vitest';
import { ForkError } from '../../../src/client/errors/errors.js';
import { type StartInput, type StartOptions, startWorkflow } from '../../../src/client/start/start.js';
import type { Origin } from '../../../src/core/model/origin.js';

interface Sent {
  readonly staticDetails: string;
  readonly args: readonly object[];
}

/** Starts with a client that only takes down what it is given. */
async function sent(
  start: Partial<Record<keyof StartInput, unknown>>,
  options: StartOptions = {},
): Promise<readonly Sent[]> {
  const taken: Sent[] = [];
  const settings = { loadedDataConverter: loadDataConverter() };
  const client = {
    options: settings,
    workflow: { start: async (_type: string, given: Sent) => void taken.push(given) },
  };
  const whole = { agent: { name: 'clerk' }, task: 'Find it', chainId: 'c', taskQueue: 'q', ...start } as StartInput;
  await startWorkflow(client as unknown as Client, whole, options);
  return taken;
}

describe('a task', () => {
  it.each([undefined, null, 5, { task: 'Find it' }])('is a text, not %j', async (task) => {
    const started = sent({ task });
    await expect(started).rejects.toThrow(TypeError);
    await expect(started).rejects.toThrow(/^The task is .*: say in a text what the agent is to do\.$/);
  });

  it.each(['', ' \n\t'])('says something, unlike %j', async (task) => {
    const started = sent({ task });
    await expect(started).rejects.toThrow(RangeError);
    await expect(started).rejects.toThrow('The task is empty: say what the agent is to do.');
  });
});

it('a fork goes on with something, if anything', async () => {
  const origin: Origin = { chainId: 'o', runId: 'r', steps: 1, digest: '', turns: '', message: null };
  await expect(sent({ origin: { ...origin, message: ' ' } })).rejects.toThrow('The message of the fork is empty');
  await expect(sent({ origin: { ...origin, message: '' } })).rejects.toThrow(ForkError);
  expect(await sent({ origin })).toHaveLength(1);
});

it('a limit that there is not is refused, naming the one that was meant', async () => {
  const limits = { stepz: 5 } as StartOptions['limits'];
  await expect(sent({}, { limits })).rejects.toThrow('limits.stepz means nothing; you may mean steps.');
});

describe('a plan', () => {
  const tasks = [{ id: 'a', description: 'Do it', dependsOn: [], tools: [], confirm: [] }];
  const plan = { name: 'p', tasks };

  it('goes into what the chain is started with', async () => {
    const [{ args }] = (await sent({ agent: { name: 'clerk', strategy: { name: 'plan' } } }, { plan })) as [Sent];
    expect(args).toMatchObject([{ plan }]);
    expect((await sent({ agent: { name: 'clerk' } }))[0]?.args[0]).not.toHaveProperty('plan');
  });

  it('with a tool to confirm that is misspelt is refused; one that the agent has not is nothing to confirm', async () => {
    const agent = { name: 'clerk', strategy: { name: 'plan' }, tools: [{ name: 'git_commit' }] };
    const confirming = (tool: string) => ({ name: 'p', tasks: [{ ...tasks[0]!, confirm: [tool] }] });
    await expect(sent({ agent }, { plan: confirming('git_comit') })).rejects.toThrow('you may mean git_commit');
    expect(await sent({ agent }, { plan: confirming('git_commit') })).toHaveLength(1);
    expect(await sent({ agent }, { plan: confirming('deploy') })).toHaveLength(1);
  });

  it('that cannot be worked by is refused, as is one for an agent that plans nothing', async () => {
    const circle = { name: 'p', tasks: [{ ...tasks[0]!, dependsOn: ['a'] }] };
    await expect(sent({}, { plan: circle })).rejects.toThrow(
      'The plan cannot be worked by: a waits for a: nothing of it could begin.',
    );
    await expect(sent({}, { plan: circle })).rejects.toThrow(RangeError);
    const reacts = sent({ agent: { name: 'clerk', strategy: { name: 'react' } } }, { plan });
    await expect(reacts).rejects.toThrow(
      "clerk does not work by a plan: its strategy is 'react'. Give it `strategy: 'plan'`",
    );
  });
});

describe('the details name', () => {
  const agent = { name: 'clerk', definition: { model: 'some-model' } };

  it('no cost limit that nobody set: whether the model has a price is not known here', async () => {
    const [{ staticDetails }] = (await sent({ agent })) as [Sent];
    expect(staticDetails).toContain('**Limits** 10 steps, 1,000,000 tokens, 10 min');
  });

  it('one that was set, by the agent or for the chain', async () => {
    const [byAgent] = (await sent({ agent: { ...agent, limits: { costUsd: 0.5 } } })) as [Sent];
    expect(byAgent.staticDetails).toContain('1,000,000 tokens, $0.50, 10 min');
    const [byChain] = (await sent({ agent }, { limits: { costUsd: 0.015 } })) as [Sent];
    expect(byChain.staticDetails).toContain('1,000,000 tokens, $0.015, 10 min');
  });
});

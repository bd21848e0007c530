/** A conversation of several chains: each has its own history and cost, and readers see one thread. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { connect, type Longhand } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { readRuns } from '../../../src/store/archive/archived-runs.js';
import { eraseChains } from '../../../src/store/archive/erase.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { matchError } from '../../support/match-error.js';
import { deleteRun } from '../../support/reset.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';
import { look, replyWithLook } from '../../support/tools.js';

useOwnServer();

const file = useFileStore();
const agent = defineAgent({ name: 'guide', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });

/** Waits until the chain is archived, and deletes it as the server does after its retention. */
async function forget(longhand: Longhand, chainId: string): Promise<void> {
  const listRuns = async () => (await readRuns(file.store, { namespace: 'default', chainId }).catch(() => null)) ?? [];
  await expect.poll(async () => (await listRuns()).length).toBe(1);
  for (const { runId } of await listRuns()) await deleteRun(longhand, chainId, runId);
}

const listMessages = (messages: readonly { readonly role: string; readonly content: unknown }[] = []) =>
  messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);

it('a conversation of three turns continues after the server has forgotten its first chain', async () => {
  const replies = [
    replyWithLook('door'),
    { text: 'It is open.' },
    { text: 'At six.' },
    { text: 'Yes, at noon.' },
    { text: 'All day.' },
  ];
  await withWorker({ agents: [agent], replies, worker: { store: file.store } }, async ({ models, taskQueue }) => {
    const options = { address: getTemporalAddress(), taskQueue, store: file.store };
    // Not the client of the test, which reads each chain that it started from the server at the end.
    const longhand = await connect(options);
    const first = await longhand.start(agent, 'Is the door open?', { tenant: 'acme', user: 'ada', chainId: 'visit' });
    expect(await first.result()).toMatchObject({ answer: 'It is open.' });
    await forget(longhand, 'visit');

    const second = await first.followUp('When does it close?');
    const result = await second.result();
    expect(result).toMatchObject({
      chainId: 'visit~2',
      answer: 'At six.',
      steps: 1,
      thread: { id: 'visit', number: 2 },
    });
    const [question, answer, task] = listMessages(models.requests.at(-1)?.body.messages);
    expect(question).toContain('Is the door open?');
    expect(answer).toContain('It is open.');
    expect(task).toContain('When does it close?');
    expect(JSON.stringify(models.requests.at(-1)?.body.messages)).not.toContain('tool_use');

    // From the first chain again: the thread continues after its last one.
    const third = await longhand.getHandle('visit').followUp('Also on Sunday?');
    expect(await third.result()).toMatchObject({ chainId: 'visit~3', answer: 'Yes, at noon.' });
    expect(listMessages(models.requests.at(-1)?.body.messages)).toHaveLength(5);
    const view = await third.view(createViewer('end_user', { tenant: 'acme' }));
    expect(view).toMatchObject({ tenant: 'acme', user: 'ada', thread: { id: 'visit', number: 3, follows: 'visit~2' } });
    expect(view.earlier?.messages.map(({ text }) => text)).toEqual([
      ...['Is the door open?', 'It is open.', 'When does it close?', 'At six.'],
    ]);
    const three = ['visit', 'visit~2', 'visit~3'].map((chainId, at) => ({ chainId, number: at + 1 }));
    expect(await longhand.listThread('visit~2', { tenant: 'acme' })).toEqual(three);
    await expect(longhand.listThread('visit', { tenant: 'globex' })).rejects.toThrow(
      matchError('invalid_options', 'is no chain of tenant globex'),
    );

    const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: file.where };
    const shown = await longhandHere(['chain', 'show', 'visit', '--thread'], env);
    expect(shown.stdout).toContain('Thread visit: 3 chains, 4 steps');
    expect(shown.stdout.indexOf('It is open.')).toBeLessThan(shown.stdout.indexOf('Yes, at noon.'));
    await expect
      .poll(async () => {
        const listed = await longhandHere(['chain', 'list', '--thread', 'visit', '--json'], env);
        return (JSON.parse(listed.stdout) as { chainId: string }[]).map(({ chainId }) => chainId).sort();
      })
      .toEqual(['visit', 'visit~2', 'visit~3']);

    // The server still has the second chain when it is erased, and the first one is gone altogether.
    for (const chainId of ['visit', 'visit~2'])
      await eraseChains(file.store, { chainId }, { namespace: 'default', by: 'dpo', now: Date.now() });
    expect(await longhand.listThread('visit')).toEqual(three.slice(2));
    const rest = await longhandHere(['chain', 'show', 'visit', '--thread'], env);
    expect(rest.stdout).toContain('; chain 3; the earlier ones are gone');
    const fourth = await longhandHere(['reply', 'visit', 'And at Easter?', '--tenant', 'acme'], env);
    expect(fourth).toMatchObject({ stdout: 'visit~4\n' });
    expect(await longhand.getHandle('visit~4').result()).toMatchObject({ answer: 'All day.' });
    await longhand.close();
  });
});

it('a reply to a chain that runs is rejected with the fix, and of two at once one starts', async () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const wait = defineTool({
    name: 'wait_for_opening',
    description: 'Waits',
    inputSchema: z.object({}),
    effects: 'read',
    execute: () => opened.then(() => 'open'),
  });
  const waiting = defineAgent({ name: 'porter', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [wait] });
  const replies = [
    { text: 'I wait.', calls: [{ name: wait.name, input: {} }] },
    { text: 'Open.' },
    { text: 'Done.' },
    { text: 'Once.' },
  ];
  await withWorker({ agents: [waiting], replies }, async ({ longhand, taskQueue }) => {
    const first = await longhand.start(waiting, 'Wait.', { chainId: 'slow' });
    await expect(first.followUp('And?')).rejects.toThrow(matchError('chain_running', 'Chain slow still runs.'));
    const env = { TEMPORAL_ADDRESS: getTemporalAddress() };
    const rejected = await longhandHere(['reply', 'slow', 'And?', '--task-queue', taskQueue], env);
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('longhand steer slow "…"') });
    open();
    await first.result();
    const outcomes = await Promise.allSettled([first.followUp('A?'), first.followUp('B?')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await longhand.getHandle('slow~2').result();
    const twice = await Promise.all([1, 2].map(() => first.followUp('C?', { chainId: 'message-3' })));
    expect(twice.map(({ chainId }) => chainId)).toEqual(['message-3', 'message-3']);
    expect(await longhand.getHandle('message-3').result()).toMatchObject({ answer: 'Once.', thread: { number: 3 } });
  });
});

it('a conversation that began elsewhere is sent before the task, and is continued by the command reply', async () => {
  const replies = [{ text: 'From ten.' }, { text: 'Until four.' }];
  await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
    const messages = [
      { role: 'user', text: 'When is it open on Monday?' },
      { role: 'assistant', text: 'From nine.' },
    ] as const;
    const chain = await longhand.start(agent, 'On Sunday?', { messages, chainId: 'shop' });
    await chain.result();
    expect(listMessages(models.requests[0]?.body.messages)).toHaveLength(3);
    const env = { TEMPORAL_ADDRESS: getTemporalAddress() };
    // Without a task queue: the follow-up runs where its thread runs.
    await expect.poll(async () => (await longhandHere(['chain', 'show', 'sho'], env)).code).toBe(0);
    const replied = await longhandHere(['reply', 'sho', 'Until when?'], env);
    expect(replied.stdout).toBe('shop~2\n');
    expect(await longhand.getHandle('shop~2').result()).toMatchObject({ answer: 'Until four.' });
    expect(listMessages(models.requests[1]?.body.messages)).toHaveLength(5);
  });
});

/**
 * L8 in Temporal's Web UI: secrets in the task, in thoughts, arguments, results, the answer and the reason of a cancel are
 * masked in every text that is shown without opening a payload; and summaries change no command of the workflow.
 */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { decryptPayload, getFailureMessage } from '../../support/opened.js';
import { giveUpOutcome, sendCommand, waitForRequests } from '../../support/people.js';

/** The first letters of each secret occur in no other text. */
const secrets = {
  task: `sk-ant-api03-${'TaskQ7wErTyUi'.repeat(7)}`,
  thought: `ghp_${'Thought7hQ'.repeat(4).slice(0, 36)}`,
  argument: `AKIA${'ARGUMENT7Q2ZX9LM'}`,
  result: 'result.canary@example.com',
  inJson: 'xJsonPass77word',
  marked: 'Aurelia Markedname',
  answer: '4111 1111 1111 1111',
  user: 'user.canary@example.com',
} as const;

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a person up',
  inputSchema: z.object({ name: z.string().meta({ sensitive: true }), why: z.string() }),
  effects: 'read',
  execute: ({ name }) => ({
    name,
    mail: secrets.result,
    login: JSON.stringify({ user: 'x', password: secrets.inJson }),
  }),
});

const agent = defineAgent({
  name: 'discreet',
  instructions: 'Be discreet.',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [lookUp],
});

const replies = [
  {
    text: `With ${secrets.thought} I look for ${secrets.marked}`,
    calls: [{ name: 'look_up', input: { name: secrets.marked, why: `key ${secrets.argument}` } }],
  },
  { text: `${secrets.marked} has the card ${secrets.answer}.` },
  { text: `Once more: ${secrets.answer}, ${secrets.marked}.` },
];

it.each([{ maxCachedWorkflows: 100 }, { maxCachedWorkflows: 0 }])(
  'the Web UI shows no secret of a chain (%o)',
  async (temporal) => {
    await withWorker({ agents: [agent], replies, temporal }, async (test) => {
      const chain = await test.longhand.start(agent, `Use ${secrets.task} to find out. ${'And so on. '.repeat(30)}`, {
        user: secrets.user,
      });
      const result = await chain.result();
      expect(result.answer).toContain(secrets.answer);

      const texts = await readTexts(test, chain.chainId);
      const shown = texts.join('\n');
      // The Web UI masks the texts and does not omit them.
      expect(shown).toContain('Use [redacted:api-key] to find out.');
      expect(shown).toContain('look_up({"name":"[redacted:field]","why":"key [redacted:api-key');
      expect(shown).toContain('[redacted:email]');
      expect(shown).toContain('has the card [redacted:card]');
      expectNoSecret(shown);

      // A fork shows the step of its origin before its own agent is prepared.
      const fork = await test.longhand.fork(chain.chainId, { atStep: 1 });
      await fork.result();
      const forked = (await readTexts(test, fork.chainId, 4)).join('\n');
      expect(forked).toContain(`Forked from** ${chain.chainId} at step 1`);
      expect(forked).toContain('look_up({"name":"[redacted:field]"');
      expectNoSecret(forked);
    });
  },
);

it('the Web UI shows no secret of requests, changed arguments and decisions', async () => {
  const send = defineTool({
    name: 'send',
    description: 'Sends something',
    inputSchema: z.object({ to: z.string().meta({ sensitive: true }), why: z.string() }),
    effects: 'unsafe',
    execute: () => {
      throw new Error(`${secrets.user} is away`);
    },
  });
  const sender = defineAgent({
    ...{ name: 'sender', model: 'claude-sonnet-5-5', strategy: 'tools' },
    tools: [send],
  });
  const asks = { text: 'I send.', calls: [{ name: 'send', input: { to: secrets.inJson, why: secrets.argument } }] };
  await withWorker({ agents: [sender], replies: [asks, { text: 'Sent.' }] }, async ({ longhand }) => {
    const { chainId, result } = await longhand.start(sender, 'Send it.');
    const details = async () => {
      const handle = longhand.client.workflow.getHandle(chainId);
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expectNoSecret(currentDetails);
      return currentDetails;
    };
    await waitForRequests(longhand, chainId, '1.1');
    expect(await details()).toContain('{"to":"[redacted:field]","why":"[redacted:api-key');
    // Masked with the arguments that a person changed.
    const input = { to: secrets.marked, why: secrets.thought };
    await sendCommand(longhand, chainId, 'approve', { call: '1.1', by: secrets.result, reason: secrets.task, input });
    await waitForRequests(longhand, chainId, '1.1');
    const doubt = await details();
    expect(doubt).toContain('{"to":"[redacted:field#2]"');
    expect(doubt).toContain('Approved by [redacted:email');
    await sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'happened', observation: secrets.answer });
    await result();
    expect(await details()).toContain('It happened, according to ana');
  });
});

it('the Web UI shows no secret in the message of a failure', async () => {
  const explode = defineTool({
    name: 'explode',
    description: 'Fails for good',
    inputSchema: z.object({ name: z.string().meta({ sensitive: true }), why: z.string() }),
    effects: 'unsafe',
    approval: false,
    execute: ({ why }) => {
      throw new Error(`the line broke with ${why}`);
    },
  });
  const failing = defineAgent({
    ...{ name: 'failing', model: 'claude-sonnet-5-5', strategy: 'tools' },
    tools: [explode],
  });
  const call = { name: 'explode', input: { name: secrets.marked, why: secrets.argument } };
  await withWorker({ agents: [failing], replies: [{ text: 'I try.', calls: [call] }] }, async ({ longhand }) => {
    const chain = await longhand.start(failing, 'Try it.');
    await giveUpOutcome(longhand, chain.chainId, '1.1');
    expect((await chain.result()).reason).toContain(secrets.argument);
    const events = (await longhand.client.workflow.getHandle(chain.chainId).fetchHistory()).events ?? [];
    const message = getFailureMessage(events.at(-1)?.workflowExecutionFailedEventAttributes?.failure);
    expect(message).toContain('The outcome of call 1.1, explode(');
    expectNoSecret(message);
  });
});

function expectNoSecret(shown: string): void {
  for (const [where, secret] of Object.entries(secrets)) {
    for (let at = 0; at + 8 <= secret.length; at++) expect(shown, where).not.toContain(secret.slice(at, at + 8));
  }
}

/** Summary and details of the start, summaries of activities and timers, and the current details. */
async function readTexts({ longhand }: ChainTest, chainId: string, least = 6): Promise<readonly string[]> {
  const handle = longhand.client.workflow.getHandle(chainId);
  const events = (await handle.fetchHistory()).events ?? [];
  const texts = events.flatMap(({ userMetadata }) =>
    [userMetadata?.summary, userMetadata?.details].flatMap((payload) =>
      payload ? [String(decryptPayload(payload))] : [],
    ),
  );
  // The start has two, the activities one each: prepare, the model twice, the tool.
  expect(texts.length).toBeGreaterThanOrEqual(least);
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toContain('look_up');
  return [...texts, currentDetails];
}

/** Chains with a unique word in every place that can have content, and all data that Temporal stores of them. */

import { vi } from 'vitest';
import { z } from 'zod';
import { askUser } from '../../src/entries/tools.js';
import { defineAgent, defineTool } from '../../src/index.js';
import type { ChainTest } from './chain-test.js';
import { createActor, createMeeting, playRoles } from './delegating.js';
import { findRejection, sendCommand, sendSignal, waitForRequests } from './people.js';
import { callMakePlan, createPlanner } from './plan-scene.js';
import { listTexts, readRawPlaces } from './raw-temporal.js';

const names = [
  ...[
    'task',
    'user',
    'role',
    'instructions',
    'toolDescription',
    'thinking',
    'thought',
    'argument',
    'observation',
    'answer',
  ],
  ...['error', 'stack', 'cause', 'approvalReason', 'payee', 'changed', 'approved', 'denied', 'question', 'humanAnswer'],
  ...['steer', 'signal', 'subTask', 'subThought', 'subAnswer', 'modelError', 'failed', 'cancelled', 'goal', 'planTask'],
  ...['forkMessage', 'paused'],
] as const;

export type Canary = (typeof names)[number];

/** A unique word for each place. */
export const canaries = Object.fromEntries(names.map((name) => [name, `zyx${name.toLowerCase()}qv`])) as Record<
  Canary,
  string
>;

const c = canaries;

const lookUp = defineTool({
  name: 'look_up',
  description: `Looks up ${c.toolDescription}`,
  inputSchema: z.object({ what: z.string() }),
  effects: 'read',
  execute: () => ({ found: c.observation }),
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ to: z.string() }),
  effects: 'unsafe',
  approval: { reason: c.approvalReason },
  execute: ({ to }) => `paid ${to}`,
});

/** Creates a tool that fails twice; the second attempt waits until the test has inspected the first failure. */
function createFailingTool(seen: (signal?: AbortSignal) => Promise<void>) {
  let attempts = 0;
  return defineTool({
    name: 'breaks',
    description: 'Breaks',
    inputSchema: z.object({}),
    effects: 'read',
    retry: { attempts: 2, backoff: 10 },
    execute: async (_, { signal }) => {
      attempts += 1;
      if (attempts > 1) await seen(signal);
      const error = new TypeError(c.error, { cause: new Error(c.cause) });
      error.stack = `TypeError: ${c.error}\n    at ${c.stack} (/srv/tools.ts:1:1)`;
      throw error;
    },
  });
}

const call = (name: string, input: object = {}) => ({ calls: [{ name, input: input as never }] });

const lines = [
  { thinking: c.thinking, text: c.thought, ...call('look_up', { what: c.argument }) },
  call('breaks'),
  call('pay', { to: c.payee }),
  call('pay', { to: 'nobody' }),
  call('ask_user', { question: c.question }),
  call('helper', { task: c.subTask }),
  call('helper', { task: 'fail' }),
];

const replies = playRoles({
  lead: ({ step, all }) =>
    all.includes(c.forkMessage) ? { text: 'Forked.' } : (lines[step - 1] ?? { text: c.answer }),
  helper: ({ step, task }) => {
    if (task.includes('fail')) return { status: 400, error: { type: 'invalid_request_error', message: c.modelError } };
    return step === 1 ? { text: c.subThought, ...call('look_up', { what: 'x' }) } : { text: c.subAnswer };
  },
  quitter: () => ({ text: `IMPOSSIBLE: ${c.failed}` }),
  sleeper: () => ({ hang: true }),
  planning: ({ step }) =>
    step === 1
      ? { calls: [{ name: callMakePlan(c.planTask)[0], input: callMakePlan(c.planTask)[1] as never }] }
      : { hang: true },
});

/** Creates the agents and the replies for a worker. */
export function createCanaryAgents() {
  const open = createMeeting(2);
  const helper = createActor('helper', { tools: [lookUp] });
  const lead = createActor('lead', {
    instructions: `You are lead. ${c.instructions}`,
    tools: [lookUp, createFailingTool(open), pay, askUser(), helper],
    thinking: { type: 'enabled', budget_tokens: 1_024 },
  });
  const quitter = createActor('quitter', { failurePhrases: ['IMPOSSIBLE'] });
  const planning = defineAgent({ ...createPlanner('planning').definition, instructions: 'You are planning.' });
  return { agents: [lead, quitter, createActor('sleeper'), planning], replies, seen: open };
}

/** Runs all chains. @returns every text that Temporal stores of them, by place */
export async function playCanaries(
  { longhand }: ChainTest,
  seen: (signal?: AbortSignal) => Promise<void>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const look = async (...ids: readonly string[]) => {
    for (const id of ids) {
      for (const [place, value] of Object.entries(await readRawPlaces(longhand.client, id))) {
        found.set(place, [...(found.get(place) ?? []), ...listTexts(value)]);
      }
    }
  };
  const who = { tenant: 'acme', user: c.user, roles: [c.role] };
  const chain = await longhand.start('lead', c.task, who);
  const { chainId } = chain;

  await waitForFailure(longhand, chainId);
  await look(chainId);
  await sendCommand(longhand, chainId, 'steer', { text: c.steer });
  await sendSignal(longhand, chainId, 'steer', { text: c.signal });
  await seen();
  await waitForRequests(longhand, chainId, '3.1');
  await look(chainId);
  await findRejection(longhand, chainId, 'approve', { call: '9.9' });
  await sendCommand(longhand, chainId, 'approve', { call: '3.1', reason: c.approved, input: { to: c.changed } });
  await waitForRequests(longhand, chainId, '4.1');
  await sendCommand(longhand, chainId, 'deny', { call: '4.1', reason: c.denied });
  await waitForRequests(longhand, chainId, '5.1');
  await sendCommand(longhand, chainId, 'answer', { call: '5.1', answer: c.humanAnswer });
  await chain.result();
  await look(chainId, `${chainId}/6.1`, `${chainId}/7.1`);

  const failed = await longhand.start('quitter', 'Try', who);
  await failed.result();
  const asleep = await longhand.start('sleeper', 'Sleep', who);
  await sendCommand(longhand, asleep.chainId, 'pause', { reason: c.paused });
  await asleep.cancel({ by: 'ana', reason: c.cancelled });
  await asleep.result();
  const planned = await longhand.start('planning', c.goal, who);
  await waitForStep(planned);
  await planned.cancel({ by: 'ana', reason: 'enough' });
  await planned.result();
  const fork = await longhand.fork(chainId, { atStep: 1, message: c.forkMessage });
  await fork.result();
  await look(...[failed, asleep, planned, fork].map((each) => each.chainId));
  return found;
}

async function waitForFailure({ client }: ChainTest['longhand'], workflowId: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      if (!raw.pendingActivities?.some(({ lastFailure }) => lastFailure)) throw new Error('No failed attempt yet.');
    },
    { timeout: 60_000, interval: 50 },
  );
}

async function waitForStep(chain: Awaited<ReturnType<ChainTest['longhand']['start']>>): Promise<void> {
  await vi.waitFor(
    async () => {
      if ((await chain.read()).state.steps === 0) throw new Error('No step yet.');
    },
    { timeout: 60_000, interval: 50 },
  );
}

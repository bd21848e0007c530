/**
 * Scenarios: chains that together cover every kind of turn. All run live without a workflow cache
 * (test/temporal/engine/replay.test.ts). record.ts stores the histories of most of them next to this file, with the texts of
 * tools, models and people: a changed text is recorded again.
 */

import { readFileSync } from 'node:fs';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.js';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import type { RunLimits } from '../../src/core/model/limits.js';
import type { ChainHandle, ChainResult, Longhand, StartOptions } from '../../src/entries/client.js';
import type { Agent, AgentDefinition } from '../../src/index.js';
import { askUser } from '../../src/tools/builtin/ask-user.js';
import { wait } from '../../src/tools/builtin/wait.js';
import { defineTool } from '../../src/tools/define/define-tool.js';
import { ToolError } from '../../src/tools/define/errors.js';
import type { MessagesServer, Script } from '../support/messages-server.js';
import { acts, answers } from '../support/react-reply.js';
import type { ScriptedReply } from '../support/scripted-reply.js';
import { delegationScenarios } from './delegation-scenarios.js';
import { planScenarios } from './plan-scenarios.js';

export interface Scenario {
  /** The name of the scenario and of its files. */
  readonly name: string;
  readonly agent: Agent;
  readonly replies: Script;
  readonly limits?: StartOptions['limits'];
  /** When its chain continues as new. */
  readonly continueAfter?: RunLimits;
  /** Set if it is not stored, because stored scenarios cover the same. */
  readonly onlyLive?: true;
  /** The stored scenario that is its origin. */
  readonly fork?: { readonly from: string; readonly atStep: number; readonly message: string };
  /** Sends commands to the running chain. */
  readonly during?: (chain: ChainHandle, models: MessagesServer, longhand: Longhand) => Promise<void>;
  /** Returns the id of the chain to record, if it is not the started one. */
  readonly toChainId?: (chainId: string) => string;
  /** The result, live and stored. */
  readonly result: Partial<ChainResult>;
  /** The statuses of its calls, in order. */
  readonly statuses: readonly string[];
}

export const text = z.object({ text: z.string() });

export const echo = defineTool({
  name: 'echo',
  description: 'Gives back what it is given',
  inputSchema: text,
  effects: 'pure',
  execute: ({ text }) => text,
});

/** Its calls are local; one fails the first time, and runs as an activity. */
const glance = defineTool({
  name: 'glance',
  description: 'Looks at a text',
  inputSchema: text,
  effects: 'read',
  local: true,
  execute: ({ text }, { step }) => {
    if (text !== 'hidden' || glanced.has(step)) return `saw ${text}`;
    glanced.add(step);
    throw new Error('too dark');
  },
});
const glanced = new Set<number>();

const shaky = defineTool({
  name: 'shaky',
  description: 'Fails at first, or for good',
  inputSchema: text,
  effects: 'idempotent',
  retry: { attempts: 2, backoff: 50 },
  execute: ({ text }, { attempt }) => {
    if (text === 'wrong') throw new ToolError('That is wrong. Ask for something else.');
    if (attempt === 1) throw new Error('a moment');
    return `${text}, in the end`;
  },
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays, and does not know whether it did',
  inputSchema: text,
  effects: 'unsafe',
  approval: false,
  execute: () => {
    throw new Error('the line broke');
  },
});

const dwell = defineTool({
  name: 'dwell',
  description: 'Stays until it is told to stop',
  inputSchema: text,
  effects: 'read',
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
});

const sign = defineTool({
  name: 'sign',
  description: 'Signs, once somebody allows it',
  inputSchema: text,
  effects: 'idempotent',
  approval: { reason: 'It is a promise.', expires: '1h' },
  execute: ({ text }) => `signed ${text}`,
});

const seal = defineTool({
  name: 'seal',
  description: 'Seals, if somebody allows it at once',
  inputSchema: text,
  effects: 'idempotent',
  approval: { roles: ['keeper'], expires: 3_000, escalate: { after: 300, roles: ['deputy'] } },
  execute: ({ text }) => `sealed ${text}`,
});

/** An agent whose chains wait for times and signals. */
const watcher = defineAgent({
  name: 'watcher',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [echo, wait()],
});

const waits = (input: Readonly<Record<string, string | number>>): ScriptedReply => ({
  text: 'I wait.',
  calls: [{ name: 'wait', input }],
});

/** Asks in the middle of a call. */
const book = defineTool({
  name: 'book',
  description: 'Books a seat',
  inputSchema: z.object({ text: z.string() }),
  effects: 'read',
  execute: async ({ text }, { ask }) => {
    const schema = z.object({ seat: z.enum(['aisle', 'window']) });
    return `${text}: ${(await ask({ question: `Which seat on ${text}?`, schema })).seat}`;
  },
});

/** An agent whose chains wait for people. */
const clerk = defineAgent({
  name: 'clerk',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [echo, pay, sign, seal, askUser()],
});

const asks: ScriptedReply = { text: 'I ask.', calls: [{ name: 'ask_user', input: { question: 'Which colour?' } }] };

function createAgent(strategy: AgentDefinition['strategy']): Agent {
  const tools = [echo, shaky, pay, dwell];
  return defineAgent({ name: 'player', model: 'claude-sonnet-5-5', strategy: strategy ?? 'tools', tools });
}

export const calls = (...named: readonly (readonly [name: string, text: string])[]): ScriptedReply => ({
  text: 'I call.',
  calls: named.map(([name, text]) => ({ name, input: { text } })),
});

/** Parts of a long thought, which is stored as a place in its reply. Repeated sentences would be a problem. */
const reasons = [
  'the rain',
  'the wind',
  'a late train',
  'two early birds',
  'an open door',
  'the price of salt',
  'old maps',
];
const atLength = `I think about it at length. ${reasons.map((it) => `There is ${it} to be said for it. `).join('')}So I echo.`;

const done: ScriptedReply = { text: 'All done.' };
const answered = { outcome: 'success', answer: 'All done.' } as const;
const byAda = { by: 'Ada', reason: 'enough' } as const;
const cancelled = { outcome: 'cancelled', reason: 'Cancelled by Ada: enough.' } as const;

/** Resolves when the condition is true. */
async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Resolves when exactly these calls wait for a person. */
export function waitForRequests(chain: ChainHandle, ...calls: readonly string[]): Promise<void> {
  return waitUntil(async () => (await chain.listRequests()).map(({ call }) => call).join() === calls.join());
}

/** Resolves when only `dwell` is under way. */
function waitForDwell(chain: ChainHandle): Promise<void> {
  return waitUntil(async () => /^call [\d.]+ \(dwell\)$/.test((await chain.describe()).doing ?? ''));
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'parallel-tools',
    agent: createAgent('tools'),
    replies: [
      { thinking: 'Three at once.', ...calls(['echo', 'one'], ['shaky', 'two'], ['echo', 'three']) },
      calls(['shaky', 'wrong'], ['fly', 'away']),
      done,
    ],
    result: { ...answered, steps: 3 },
    statuses: ['ok', 'ok', 'ok', 'error', 'error'],
  },
  {
    name: 'local-calls',
    agent: defineAgent({ name: 'glancer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [glance, echo] }),
    replies: [
      calls(['glance', 'one'], ['glance', 'two']),
      calls(['glance', 'three'], ['glance', 'hidden']),
      calls(['glance', 'four'], ['echo', 'five']),
      done,
    ],
    result: { ...answered, steps: 4 },
    statuses: ['ok', 'ok', 'ok', 'ok', 'ok', 'ok'],
  },
  {
    name: 'reuse',
    agent: createAgent('react'),
    replies: [
      acts('I look at it once.', 'echo', { text: 'rain' }),
      acts('I look at it again.', 'echo', { text: 'rain' }),
      { text: 'I will use the tool.' },
      answers(atLength, 'All done.'),
    ],
    result: { ...answered, steps: 4 },
    statuses: ['ok', 'reused'],
  },
  {
    name: 'waits',
    agent: watcher,
    replies: [
      calls(['echo', 'one']),
      waits({ seconds: 1 }),
      calls(['echo', 'one']),
      waits({ signal: 'built' }),
      waits({ signal: 'sold', seconds: 60 }),
      waits({ seconds: 60 }),
      done,
    ],
    during: async (chain) => {
      await waitUntil(async () => (await chain.describe()).doing === 'the wait of call 4.1 (wait)');
      await chain.signal('sold', { price: 3 }, { by: 'Ada' });
      await chain.signal('built', null, { by: 'Ada' });
      await waitUntil(async () => (await chain.describe()).doing === 'the wait of call 6.1 (wait)');
      await chain.steer('It is sold.', { by: 'Ada' });
    },
    result: { ...answered, steps: 7 },
    statuses: ['ok', 'ok', 'reused', 'ok', 'ok', 'ok'],
  },
  {
    name: 'finish-tool',
    agent: createAgent({ name: 'autonomous' }),
    replies: [
      calls(['echo', 'one']),
      {
        calls: [
          { name: 'finish', input: { result: 'All done.' } },
          { name: 'echo', input: { text: 'two' } },
        ],
      },
    ],
    result: { ...answered, steps: 2 },
    statuses: ['ok', 'ok', 'not_run'],
  },
  {
    name: 'cancel-in-model-call',
    agent: createAgent('tools'),
    replies: [calls(['echo', 'one']), { hang: true, afterEvents: 4 }],
    during: async (chain, models) => {
      await waitUntil(() => models.requests.length === 2);
      await chain.cancel(byAda);
    },
    result: { ...cancelled, partial: 'I call.\n\necho: one', steps: 1 },
    statuses: ['ok'],
  },
  {
    name: 'cancel-in-tools',
    agent: createAgent('tools'),
    replies: [calls(['echo', 'one'], ['dwell', 'here'])],
    during: async (chain) => {
      await waitForDwell(chain);
      await chain.cancel(byAda);
    },
    result: { ...cancelled, steps: 1 },
    statuses: ['ok', 'cancelled'],
  },
  {
    name: 'retry-wait',
    agent: createAgent('tools'),
    replies: [
      { status: 429, headers: { 'retry-after': '0' } },
      { cutAfter: 4, text: 'Let me' },
      { text: 'One moment.', stopReason: 'pause_turn' },
      done,
    ],
    result: { ...answered, steps: 1 },
    statuses: [],
  },
  {
    name: 'limit-with-closing',
    agent: createAgent('tools'),
    limits: { steps: 2 },
    replies: [calls(['echo', 'one']), calls(['echo', 'two']), { text: 'One and two.' }],
    result: { outcome: 'max_iterations', partial: 'One and two.', reason: 'Max steps (2) reached.', steps: 2 },
    statuses: ['ok', 'ok'],
  },
  {
    name: 'time-limit-in-tool',
    agent: createAgent('tools'),
    limits: { time: 1_500 },
    replies: [calls(['dwell', 'here']), { text: 'Nothing was found.' }],
    result: { outcome: 'timeout', partial: 'Nothing was found.', steps: 1 },
    statuses: ['cancelled'],
  },
  {
    name: 'unknown-outcome',
    agent: createAgent('tools'),
    replies: [calls(['echo', 'one'], ['pay', 'Ada'])],
    during: async (chain) => {
      await waitForRequests(chain, '1.2');
      await chain.resolveOutcome('1.2', 'give_up', byAda);
    },
    result: { outcome: 'failure', steps: 1 },
    statuses: ['ok', 'unknown'],
  },
  {
    name: 'long-thoughts',
    onlyLive: true,
    agent: createAgent('tools'),
    replies: [{ text: atLength, calls: [{ name: 'echo', input: { text: atLength } }] }, { text: atLength }],
    result: { outcome: 'success', answer: atLength, steps: 2 },
    statuses: ['ok'],
  },
  {
    name: 'long-thoughts-in-text',
    onlyLive: true,
    agent: createAgent('react'),
    replies: [acts(atLength, 'echo', { text: atLength }), answers(atLength, 'All done.')],
    result: { ...answered, steps: 2 },
    statuses: ['ok'],
  },
  {
    name: 'people-decide',
    agent: clerk,
    replies: [
      calls(['sign', 'one'], ['sign', 'two'], ['echo', 'three'], ['sign', 'four'], ['seal', 'five']),
      asks,
      done,
    ],
    during: async (chain) => {
      // The request of 1.5 gets no decision and expires.
      await waitForRequests(chain, '1.1', '1.2', '1.4', '1.5');
      await chain.answer('1.4', 'I have signed four myself.', byAda);
      await chain.deny('1.2', byAda);
      await chain.approve('1.1', { ...byAda, input: { text: 'one, and no more' } });
      await waitForRequests(chain, '2.1');
      await chain.answer('2.1', 'Blue.', byAda);
    },
    result: { ...answered, steps: 3 },
    statuses: ['ok', 'denied', 'ok', 'answered', 'denied', 'answered'],
  },
  {
    name: 'tool-asks',
    agent: defineAgent({ name: 'desk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [book] }),
    replies: [calls(['book', 'LH1'], ['book', 'LH2']), done],
    during: async (chain) => {
      await waitForRequests(chain, '1.1', '1.2');
      // First the call that then does not run: results have one order.
      await chain.deny('1.2', byAda);
      await chain.answer('1.1', 'window', byAda);
    },
    result: { ...answered, steps: 2 },
    statuses: ['ok', 'denied'],
  },
  {
    name: 'people-steer',
    agent: clerk,
    limits: { steps: 2 },
    replies: [asks, calls(['sign', 'it']), calls(['sign', 'more'], ['pay', 'Ada']), done],
    during: async (chain) => {
      await waitForRequests(chain, '1.1');
      await chain.pause({ ...byAda, at: { step: 2 } });
      await chain.raiseLimits({ steps: 4 }, byAda);
      await chain.steer('Say it aloud.', byAda);
      await chain.answer('1.1', 'Red.', byAda);
      await waitUntil(async () => (await chain.read()).state.paused !== null);
      await chain.resume(byAda);
      await waitForRequests(chain, '2.1');
      await chain.approve('2.1', { ...byAda, always: true });
      await waitForRequests(chain, '3.2');
      await chain.resolveOutcome('3.2', 'not_happened', byAda);
      await waitUntil(async () => (await chain.read()).steps[2]?.calls[1]?.requests?.length === 2);
      await chain.resolveOutcome('3.2', 'happened', { ...byAda, observation: 'Ada has it.' });
    },
    result: { ...answered, steps: 4 },
    statuses: ['answered', 'ok', 'ok', 'answered'],
  },
  {
    name: 'cancel-with-summary',
    onlyLive: true,
    agent: createAgent('tools'),
    replies: [calls(['dwell', 'here']), { text: 'Nothing was found.' }],
    during: async (chain) => {
      await waitForDwell(chain);
      await chain.cancel({ ...byAda, summarize: true });
    },
    result: { ...cancelled, partial: 'Nothing was found.', steps: 1 },
    statuses: ['cancelled'],
  },
  {
    name: 'cancelled-while-asked',
    onlyLive: true,
    agent: clerk,
    replies: [calls(['pay', 'Ada'], ['sign', 'one'])],
    during: async (chain) => {
      await waitForRequests(chain, '1.1', '1.2');
      await chain.cancel(byAda);
    },
    result: { outcome: 'cancelled', steps: 1 },
    statuses: ['unknown', 'not_run'],
  },
  {
    name: 'forked',
    agent: createAgent('tools'),
    fork: { from: 'parallel-tools', atStep: 1, message: 'Say four, too.' },
    replies: [calls(['echo', 'four']), done],
    result: { ...answered, steps: 3 },
    statuses: ['ok', 'ok', 'ok', 'ok'],
  },
  ...delegationScenarios,
  ...planScenarios,
];

/** Starts a scenario's chain, or forks it. */
export async function startScenario(longhand: Longhand, { agent, limits, fork }: Scenario): Promise<ChainHandle> {
  if (fork === undefined) return longhand.start(agent, 'Play', { limits });
  const { from, atStep, message } = fork;
  const file = new URL(`./releases/next/exports/${from}.chain.json`, import.meta.url);
  const origin = await parseRecordedChain(readFileSync(file, 'utf8'), loadDataConverter());
  return longhand.fork(origin, { atStep, message, limits });
}

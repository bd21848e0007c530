/** Ten short chains of all strategies, as scripts that play over every wire, and their steps without what differs by wire. */

import type { ChainHandle } from '../../src/entries/client.js';
import type { Agent, Json, ReplyBlock } from '../../src/index.js';
import { defineAgent } from '../../src/index.js';
import { completes, finishes, revises, starts } from './core-plans.js';
import { callMakePlan, createPlanner, look, toReply } from './plan-scene.js';
import { acts, answers } from './react-reply.js';
import type { ScriptedReply } from './scripted-reply.js';

export interface ShortChain {
  readonly name: string;
  readonly agent: Agent;
  readonly replies: readonly ScriptedReply[];
  readonly outcome: string;
  readonly answer?: Json;
}

const model = 'claude-sonnet-5-5';
const reacting = defineAgent({ name: 'reacting', model, strategy: 'react', tools: [look] });
const calling = defineAgent({ name: 'calling', model, strategy: 'tools', tools: [look] });
const finishing = defineAgent({ name: 'finishing', model, strategy: 'autonomous', tools: [look] });
const planning = createPlanner('planning', { reflection: false });

const lookAt = (place: string) => ['look', { place }] as const;

export const tenChains: readonly ShortChain[] = [
  {
    name: 'react with one call',
    agent: reacting,
    replies: [acts('I look.', 'look', { place: 'attic' }), answers('I know it.', 'A chest.')],
    outcome: 'success',
    answer: 'A chest.',
  },
  {
    name: 'react with a failed tool, and a reply that cannot be read',
    agent: reacting,
    replies: [acts('I look.', 'look', { place: 'nowhere' }), { text: 'I wonder.' }, answers('So be it.', 'Nothing.')],
    outcome: 'success',
    answer: 'Nothing.',
  },
  {
    name: 'tools with thinking and one call',
    agent: calling,
    replies: [
      { thinking: 'It is in the attic.', ...toReply('I look.', lookAt('attic')) },
      { text: 'A chest — 宝物 🌦.' },
    ],
    outcome: 'success',
    answer: 'A chest — 宝物 🌦.',
  },
  {
    name: 'tools with several calls',
    agent: calling,
    replies: [toReply(lookAt('attic'), lookAt('cellar'), lookAt('nowhere')), { text: 'Two things.' }],
    outcome: 'success',
    answer: 'Two things.',
  },
  {
    name: 'tools with wrong arguments and an unknown tool',
    agent: calling,
    replies: [toReply(['look', { at: 1 }], ['leap', {}]), toReply(lookAt('attic')), { text: 'One thing.' }],
    outcome: 'success',
    answer: 'One thing.',
  },
  {
    name: 'tools with a refusal',
    agent: calling,
    replies: [{ text: 'I will not do that.', stopReason: 'refusal' }],
    outcome: 'refused',
  },
  {
    name: 'tools with a cut stream, which is retried',
    agent: calling,
    replies: [
      { cutAtByte: 700, reply: { text: 'I look.', calls: [{ name: 'look', input: { place: 'attic' } }] } },
      toReply('I look.', lookAt('attic')),
      { text: 'One.' },
    ],
    outcome: 'success',
    answer: 'One.',
  },
  {
    name: 'plan with a failed call and a revision',
    agent: planning,
    replies: [
      toReply('I plan.', callMakePlan('find', 'count after find')),
      toReply('I look.', starts('find'), lookAt('attic')),
      toReply(completes('find', 'One'), starts('count'), lookAt('nowhere')),
      toReply('It is shut.', revises('There is no way in', 'guess')),
      toReply(completes('guess', 'One'), finishes('One, as far as I know.')),
    ],
    outcome: 'success',
    answer: 'One, as far as I know.',
  },
  {
    name: 'autonomous with several calls',
    agent: finishing,
    replies: [
      toReply('First a look.', lookAt('attic'), lookAt('cellar')),
      toReply(['finish', { result: 'Two.' }], lookAt('roof')),
    ],
    outcome: 'success',
    answer: 'Two.',
  },
  {
    name: 'autonomous after an overloaded provider',
    agent: finishing,
    replies: [
      { status: 529, headers: { 'retry-after-ms': '20' } },
      toReply(['finish', { answer: 1 }], lookAt('attic')),
      toReply('Done.', ['finish', { result: 'One.' }]),
    ],
    outcome: 'success',
    answer: 'One.',
  },
];

/** Returns the steps and notices of a chain, without times, usage, ids of calls, and signatures of thinking. */
export async function readSteps(handle: ChainHandle): Promise<Json> {
  const chain = await handle.read();
  const steps = chain.steps.map(
    ({ number, thought, calls, answer, problem, content, modelCall, model: name, plan }) => ({
      ...{ number, thought, answer, problem, modelCall, model: name, content: content.map(toPlainBlock) },
      calls: calls.map(({ id, tool, input, status, observation }) => ({ id, tool, input, status, observation })),
      plan: plan?.tasks.map(({ id, status }) => `${id} ${status}`) ?? null,
    }),
  );
  return JSON.parse(
    JSON.stringify({ steps, notices: chain.notices.map(({ code, text }) => ({ code, text })) }),
  ) as Json;
}

function toPlainBlock(block: ReplyBlock): object {
  if (block.type === 'thinking') return { type: block.type, thinking: block.thinking };
  return block.type === 'tool_use' ? { type: block.type, name: block.name, input: block.input } : block;
}

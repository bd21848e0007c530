/**
 * The chains whose requests are counted by a prompt cache: one for each strategy, and those that change a conversation before
 * its end or lengthen it by many blocks at once. Replies are computed from the number of the request.
 */

import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.js';
import { defineTool } from '../../src/tools/define/define-tool.js';
import { acts, answers } from '../../test/support/react-reply.js';
import type { CompleteReply } from '../../test/support/scripted-reply.js';
import { lookUpPart } from './stock-taker.js';
import { instructions, tool } from './task.js';

const countPart = defineTool({
  name: 'count_part',
  description: 'The number of pieces of a part.',
  inputSchema: z.object({ part: z.string() }),
  effects: 'read',
  execute: ({ part }) => ({ part, pieces: Number(part.slice(2)) * 7 }),
});

const model = 'claude-sonnet-5-5';
/** A model of its own, because the price map has the window: see `prices`. */
const compactedModel = 'claude-haiku-5-5';

const common = {
  instructions,
  model,
  tools: [lookUpPart],
  maxTokens: 4_000,
  // Out of the way: the replies end the chains.
  limits: { steps: 1_000, tokens: 1_000_000_000, costUsd: 1_000_000, time: '1h', stallThreshold: 1_000 },
} as const;

/** Windows, in a price map. The compacted chain of 50 steps fills its window three times. */
export const prices = { [compactedModel]: { max_input_tokens: 14_000 } } as const;

const callsAtOnce = 12;
const stepsOfTask = 8;

/** @param step the number of the request, from 1 @param last that of the last one */
type Script = (step: number, last: number) => CompleteReply;

const partOf = (step: number) => `P-${step}`;
const announce = (step: number) => `Next I look up the entry of part ${partOf(step)} in the book.`;
const toCall = (step: number) => ({ name: tool.name, input: { part: partOf(step) } });
const done = 'All parts are in the book.';

const looking: Script = (step, last) =>
  step < last ? { text: announce(step), calls: [toCall(step)] } : { text: done };

const scripts = {
  tools: looking,
  react: (step, last) =>
    step < last ? acts(announce(step), tool.name, { part: partOf(step) }) : answers('I am done.', done),
  plan: (step, last) => {
    const task = Math.ceil((step - 1) / stepsOfTask);
    const tasks = Math.ceil((last - 2) / stepsOfTask);
    if (step === 1) return { text: 'I plan.', calls: [{ name: 'make_plan', input: { tasks: listTasks(tasks) } }] };
    if (step === last) return { calls: [complete(tasks), { name: 'finish', input: { result: done } }] };
    const isFirst = (step - 1) % stepsOfTask === 1;
    const moves = isFirst ? [...(task > 1 ? [complete(task - 1)] : []), start(task)] : [];
    return { text: announce(step), calls: [...moves, toCall(step)] };
  },
  // Its notes are the last block of a request, and of no other.
  notes: (step, last) =>
    step < last
      ? {
          text: `Thought: ${announce(step)}\nScratchpad: Looked up so far: ${step} parts. The next one is ${partOf(step + 1)}.\nAction: ${tool.name}\nAction Input: ${JSON.stringify({ part: partOf(step) })}`,
        }
      : answers('I am done.', done),
  // One step has more blocks than a breakpoint looks back.
  parallel: (step, last) => {
    if (step === last) return { text: done };
    const parts = Array.from({ length: callsAtOnce }, (_, nth) => partOf(step * callsAtOnce + nth));
    return { text: announce(step), calls: parts.map((part) => ({ name: 'count_part', input: { part } })) };
  },
  steered: looking,
  compacted: looking,
} as const satisfies { readonly [name: string]: Script };

export type CachedChain = keyof typeof scripts;
export const cachedChains = Object.keys(scripts) as readonly CachedChain[];

export const agents = [
  defineAgent({ ...common, name: 'tools', strategy: 'tools' }),
  defineAgent({ ...common, name: 'react', strategy: 'react' }),
  defineAgent({ ...common, name: 'plan', strategy: { name: 'plan', reflection: false } }),
  defineAgent({ ...common, name: 'notes', strategy: { name: 'react', scratchpad: true } }),
  defineAgent({ ...common, name: 'parallel', strategy: 'tools', tools: [countPart] }),
  defineAgent({ ...common, name: 'steered', strategy: 'tools' }),
  defineAgent({ ...common, name: 'compacted', strategy: 'tools', model: compactedModel, maxTokens: 1_024 }),
];

/** Returns the reply to a request. */
export function replyTo(chain: CachedChain, step: number, last: number): CompleteReply {
  return scripts[chain](step, last);
}

function listTasks(count: number) {
  return Array.from({ length: count }, (_, nth) => ({
    id: `shelf-${nth + 1}`,
    description: `Look up the parts of shelf ${nth + 1}`,
    depends_on: nth === 0 ? [] : [`shelf-${nth}`],
  }));
}

function start(task: number) {
  return { name: 'start_task', input: { id: `shelf-${task}` } };
}

function complete(task: number) {
  return { name: 'complete_task', input: { id: `shelf-${task}`, result: `Shelf ${task} is in the book.` } };
}

/** Agents with the strategy `plan`, and replies of a scripted model about a plan. */

import { z } from 'zod';
import { type AgentDefinition, defineAgent, defineTool, type Json, ToolError } from '../../src/index.js';
import { type PlanCall, tasksOf } from './core-plans.js';
import type { ScriptedReply } from './scripted-reply.js';

export const look = defineTool({
  name: 'look',
  description: 'Looks at a place',
  inputSchema: z.object({ place: z.string() }),
  effects: 'read',
  execute: ({ place }) => {
    if (place.startsWith('nowhere')) throw new ToolError(`There is no ${place}`);
    return `something at ${place}`;
  },
});

export const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ to: z.string() }),
  effects: 'unsafe',
  approval: false,
  execute: ({ to }) => `paid ${to}`,
});

export function createPlanner(name: string, options: object = {}, more: Partial<AgentDefinition> = {}) {
  return defineAgent({
    name,
    model: 'claude-sonnet-5-5',
    strategy: { name: 'plan', ...options },
    tools: [look, pay],
    ...more,
  });
}

/** Returns a reply with calls and an optional text before them. */
export function toReply(...parts: readonly (string | PlanCall)[]): ScriptedReply {
  const text = parts.filter((each) => typeof each === 'string').join(' ');
  const calls = parts.flatMap((each) => (typeof each === 'string' ? [] : [{ name: each[0], input: each[1] ?? {} }]));
  return { ...(text === '' ? {} : { text }), ...(calls.length === 0 ? {} : { calls }) };
}

export const callMakePlan = (...lines: readonly string[]): PlanCall => [
  'make_plan',
  { tasks: tasksOf(...lines) as Json },
];

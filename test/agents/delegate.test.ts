/** Delegating tools: their schemas, and the rejection of invalid definitions. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectAgents } from '../../src/agents/agent-definition.js';
import { defineAgent, delegate, explore, mapAgent } from '../../src/index.js';
import { matchError } from '../support/match-error.js';

const model = 'claude-sonnet-5-5';
const aide = defineAgent({ name: 'aide', description: 'Looks things up.', model });
const quiet = defineAgent({ name: 'quiet', model });

describe('a delegating tool', () => {
  it('has the name and the description of the agent, and takes a task', () => {
    const { name, snapshot } = delegate(aide);
    expect(name).toBe('aide');
    expect(snapshot).toMatchObject({ description: 'Looks things up.', inputSchema: { required: ['task'] } });
    expect(delegate(quiet).snapshot.description).toContain('quiet');
  });

  it('takes the given input schema and fills the task template', () => {
    const input = z.object({ topic: z.string(), pages: z.number() });
    const tool = delegate(aide, { name: 'look_into', inputSchema: input, task: 'Look into {topic}.' });
    expect(tool.validateInput({ topic: 'tea', pages: 'two' })).toContain('pages');
    expect(tool.snapshot.delegates).toMatchObject({
      agent: 'aide',
      task: 'Look into {topic}.',
      spread: { kind: 'one' },
    });
  });

  it('takes at most maxTasks tasks', () => {
    const tool = mapAgent(aide, { maxTasks: 2, concurrency: 1 });
    expect(tool.name).toBe('map_aide');
    expect(tool.validateInput({ tasks: ['one', 'two'] })).toBeNull();
    expect(tool.validateInput({ tasks: ['one', 'two', 'three'] })).not.toBeNull();
    expect(tool.validateInput({ tasks: [] })).not.toBeNull();
  });

  it('takes hypotheses for its owner', () => {
    const owner = defineAgent({ name: 'owner', model, tools: [explore()] });
    const tool = owner.tool('explore');
    expect(tool?.snapshot.delegates).toMatchObject({ agent: 'owner', judge: { by: 'vote' } });
    expect(tool?.validateInput({ hypotheses: ['only one'] })).not.toBeNull();
  });
});

describe('a worker', () => {
  it('serves all agents below its agents, and judging agents, each once', () => {
    const critic = defineAgent({ name: 'critic', model });
    const middle = defineAgent({ name: 'middle', model, tools: [aide, delegate(aide, { name: 'again' })] });
    const top = defineAgent({
      name: 'top',
      model,
      tools: [middle, delegate(aide, { name: 'judged', samples: 3, judge: critic })],
    });
    expect(
      collectAgents([top])
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['aide', 'critic', 'middle', 'top']);
  });
});

describe('an invalid definition is rejected', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['no agent', () => delegate({} as never), /delegate: expected an agent from defineAgent, or the name/],
    ['an empty name', () => mapAgent(' '), /map: expected an agent/],
    ['an unknown option', () => delegate(aide, { samles: 3 } as never), /samles.*samples/],
    ['an unknown place', () => delegate(aide, { task: 'Look into {topic}' }), /\{topic\} in the task .*expected task/],
    ['zero samples', () => delegate(aide, { samples: 0 }), /samples/],
    ['an invalid judge', () => delegate(aide, { judge: 'best' as never }), /judge must be 'vote', an agent, or/],
    ['an invalid view', () => delegate(aide, { sees: 'all' as never }), /sees/],
    ['an invalid time', () => delegate(aide, { timeout: 'soon' as never }), /timeout/],
    ['an unknown limit', () => delegate(aide, { limits: { stepz: 3 } as never }), /stepz/],
    ['zero attempts', () => delegate(aide, { retry: { attempts: 0 } }), /attempts/],
    ['one hypothesis', () => explore({ maxHypotheses: 1 }), /maxHypotheses/],
    ['a view of branches', () => explore({ sees: 'chain' } as never), /sees/],
  ])('with %s', (_, make, message) => expect(make).toThrow(matchError('invalid_tool', message)));

  it.each<[string, () => unknown, RegExp]>([
    ['sharing without an owner', () => defineAgent({ name: 'x', model, sharedWith: ['acme'] }), /set `tenant`/],
    ['a duplicate name', () => defineAgent({ name: 'x', model, tools: [aide, delegate('aide')] }), /the name aide/],
  ])('with %s', (_, make, message) => expect(make).toThrow(matchError('invalid_agent', message)));
});

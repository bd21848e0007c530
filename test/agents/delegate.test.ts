/** Tools that delegate: what the model is offered, and what a definition that cannot work is told. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectAgents } from '../../src/agents/agent-definition.js';
import { defineAgent } from '../../src/agents/define-agent.js';
import { delegate, explore, mapAgent } from '../../src/agents/delegate.js';

const model = 'claude-sonnet-5-5';
const aide = defineAgent({ name: 'aide', description: 'Looks things up.', model });
const quiet = defineAgent({ name: 'quiet', model });

describe('what the model is offered', () => {
  it('has the name and the description of the agent, and takes a task', () => {
    const { name, snapshot } = delegate(aide);
    expect(name).toBe('aide');
    expect(snapshot).toMatchObject({ description: 'Looks things up.', inputSchema: { required: ['task'] } });
    expect(delegate(quiet).snapshot.description).toContain('quiet');
  });

  it('takes what it is told to, and makes the task of it', () => {
    const input = z.object({ topic: z.string(), pages: z.number() });
    const tool = delegate(aide, { name: 'look_into', inputSchema: input, task: 'Look into {topic}.' });
    expect(tool.validateInput({ topic: 'tea', pages: 'two' })).toContain('pages');
    expect(tool.snapshot.delegates).toMatchObject({
      agent: 'aide',
      task: 'Look into {topic}.',
      spread: { kind: 'one' },
    });
  });

  it('takes tasks, no more than it may', () => {
    const tool = mapAgent(aide, { maxTasks: 2, concurrency: 1 });
    expect(tool.name).toBe('map_aide');
    expect(tool.validateInput({ tasks: ['one', 'two'] })).toBeNull();
    expect(tool.validateInput({ tasks: ['one', 'two', 'three'] })).not.toBeNull();
    expect(tool.validateInput({ tasks: [] })).not.toBeNull();
  });

  it('takes hypotheses, for the agent that has the tool', () => {
    const owner = defineAgent({ name: 'owner', model, tools: [explore()] });
    const tool = owner.tool('explore');
    expect(tool?.snapshot.delegates).toMatchObject({ agent: 'owner', judge: { by: 'vote' } });
    expect(tool?.validateInput({ hypotheses: ['only one'] })).not.toBeNull();
  });
});

describe('a worker', () => {
  it('serves whom its agents delegate to, and who judges, however deep and each once', () => {
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

describe('a definition that cannot work', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['no agent', () => delegate({} as never), /delegate: write the agent that it delegates to/],
    ['an empty name', () => mapAgent(' '), /map: write the agent/],
    ['an unknown option', () => delegate(aide, { samles: 3 } as never), /samles.*samples/],
    ['a task of nothing', () => delegate(aide, { task: 'Look into {topic}' }), /names \{topic\}, .*It has: task/],
    ['no samples', () => delegate(aide, { samples: 0 }), /samples/],
    ['a judge that is none', () => delegate(aide, { judge: 'best' as never }), /judge must be 'vote', an agent, or/],
    ['a wrong view of it', () => delegate(aide, { sees: 'all' as never }), /sees/],
    ['a time that is none', () => delegate(aide, { timeout: 'soon' as never }), /timeout/],
    ['a limit that is none', () => delegate(aide, { limits: { stepz: 3 } as never }), /stepz/],
    ['attempts that are none', () => delegate(aide, { retry: { attempts: 0 } }), /attempts/],
    ['one hypothesis', () => explore({ maxHypotheses: 1 }), /maxHypotheses/],
    ['what branches are shown as', () => explore({ sees: 'chain' } as never), /sees/],
    ['shared, and nobody`s', () => defineAgent({ name: 'x', model, sharedWith: ['acme'] }), /name its `tenant`/],
    ['two of a name', () => defineAgent({ name: 'x', model, tools: [aide, delegate('aide')] }), /named aide/],
  ])('%s', (_, make, message) => expect(make).toThrow(message));
});

/** A bad definition of an agent never reaches a worker: it is refused where it is written, saying what to write. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AgentDefinition, defineAgent } from '../../src/agents/define-agent.js';
import { createSnapshot } from '../../src/agents/snapshot.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { codeApprovals } from '../../src/tools/approval/approval.js';
import { askUser } from '../../src/tools/builtin/ask-user.js';
import { defineTool } from '../../src/tools/define/define-tool.js';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again',
  inputSchema: z.object({ text: z.string() }),
  effects: 'read',
  execute: ({ text }) => text,
});

const least = { name: 'clerk', model: 'some-model' };

/** As plain JavaScript calls it. */
function refusal(definition: unknown): string {
  try {
    defineAgent(definition as AgentDefinition);
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
  throw new Error('It was taken.');
}

const withThese = (more: object) => refusal({ ...least, ...more });
const react = (options: object) => withThese({ strategy: { name: 'react', ...options } });
const autonomous = (options: object) => withThese({ strategy: { name: 'autonomous', ...options } });

it('takes all that there is to say, and what is left out as undefined', () => {
  const agent = defineAgent({
    ...least,
    instructions: '',
    strategy: {
      name: 'react',
      thoughtPrompt: '',
      requireThought: false,
      minThoughtLength: 0,
      thoughtTag: 'Gedanke',
      actionTag: 'Handlung 1',
      observationTag: undefined,
      scratchpad: false,
      multipleActions: true,
    },
    tools: [echo],
    limits: { steps: 4, tokens: 5_000, costUsd: null, timeMs: 1_000, stallThreshold: 2 },
    maxTokens: 100,
    temperature: 0,
    effort: 'low',
    thinking: { type: 'adaptive' },
    stopSequences: ['STOP'],
    successPhrases: ['DONE'],
    failurePhrases: [],
    check: () => null,
    maxObservationTokens: 10,
    modelTimeoutMs: 1,
    modelHeartbeatMs: 1,
  });
  expect(agent.strategy).toMatchObject({ thoughtTag: 'Gedanke', observationTag: 'Observation' });
  const result = z.object({ sum: z.number() });
  expect(defineAgent({ ...least, strategy: { name: 'autonomous', result } }).strategy.name).toBe('autonomous');
});

describe('approvals and permissions', () => {
  const chosen = { model: null, limits: {} };
  const snapshot = (more: object) =>
    createSnapshot(defineAgent({ ...least, tools: [echo], ...more }), chosen, loadCatalogue());

  it('are by tool, presets for tools that it has not included, or a policy', () => {
    expect(defineAgent({ ...least, tools: [echo], approval: { ...codeApprovals, echo: true } }).name).toBe('clerk');
    expect(defineAgent({ ...least, approval: () => null }).name).toBe('clerk');
  });

  it('are in the snapshot, policies aside, and say that anybody may where none are given', () => {
    const permissions = { steer: ['lead'], cancel: [] };
    expect(snapshot({ permissions, waitingCounts: true })).toMatchObject({ permissions, waitingCounts: true });
    const plain = snapshot({});
    expect(plain).toMatchObject({ permissions: {}, waitingCounts: false, tenants: null });
    expect(snapshot({ waitingCounts: false, approval: { echo: true } })).toEqual(plain);
  });
});

describe('a name', () => {
  it.each([
    [undefined, 'the name undefined must begin'],
    [null, 'the name null'],
    ['', 'the name ""'],
    ['a.b', 'the name "a.b"'],
  ])('is not %j', (name, says) => {
    expect(refusal({ ...least, name })).toContain(`defineAgent: ${says}`);
  });

  it.each([undefined, null, 'clerk'])('is not in %j', (definition) => {
    expect(refusal(definition)).toBe("defineAgent: write a definition: defineAgent({ name: 'some_name', … }).");
  });
});

describe('what cannot work is refused, in the name of the agent', () => {
  it.each<[object, string]>([
    [{ model: undefined }, "name the model, for example model: 'claude-sonnet-5-5'."],
    [{ model: ' ' }, 'name the model'],
    [{ instructions: 5 }, 'instructions must be a text.'],
    [{ tools: echo }, 'tools must be a list.'],
    [{ tools: [echo, { name: 'x' }] }, 'tools.1 must be a tool: make it with defineTool({ … }); or an agent.'],
    [{ tools: [echo, { ...echo }] }, 'two of its tools are named echo. Rename one.'],
    [{ check: 'x' }, 'check must be a function: (steps) => verdict or null.'],
    [{ temperature: 'hot' }, 'temperature must be a number from 0.'],
    [{ effort: 'enormous' }, 'effort must be low, medium, high, xhigh or max.'],
    [{ thinking: 'yes' }, 'thinking must be an object.'],
    [{ stopSequences: [''] }, 'stopSequences.0 must be a text that says something: providers refuse'],
    [{ stopSequences: 'STOP' }, 'stopSequences must be a list.'],
    [{ successPhrases: 'DONE' }, 'successPhrases must be a list.'],
    [
      { failurePhrases: ['DONE', ' '] },
      'failurePhrases.1 must be a text that says something: an empty one is in every',
    ],
    [{ maxTokens: 0 }, 'maxTokens must be a whole number from 1.'],
    [{ modelTimeoutMs: '5s' }, 'modelTimeoutMs must be a whole number from 1.'],
    [{ limits: null }, 'limits must be an object.'],
    [{ limits: { steps: 1.5 } }, 'limits.steps must be a whole number from 1.'],
    [{ limits: { costUsd: '1' } }, 'limits.costUsd must be more than 0 US dollars.'],
    [{ limits: { stallThreshold: 1 } }, 'limits.stallThreshold must be at least 2'],
    [{ limits: { timeMs: 1e12 } }, 'limits.timeMs must be 30 days at most'],
    [{ approval: true }, 'approval must be a policy, (call) => verdict, or an object by tool, { git_push: true }.'],
    [{ tools: [echo], approval: { echo: 'yes' } }, 'approval.echo must be true, false'],
    [{ tools: [echo], approval: { ecco: true } }, "approval.ecco is for no tool of the agent's; you may mean echo."],
    [{ tools: [echo], approval: { pay: true } }, "approval.pay is for no tool of the agent's; it has echo."],
    [{ approval: { pay: true } }, "approval.pay is for no tool of the agent's; it has none."],
    [{ tools: [askUser()], approval: { ask_user: true } }, 'approval.ask_user means nothing: its calls are questions'],
    [{ permissions: { steer: 'lead' } }, 'permissions.steer must be a list.'],
    [{ permissions: { steer: [''] } }, 'permissions.steer.0 must be a text that says something.'],
    [{ permissions: { stop: ['lead'] } }, 'permissions.stop means nothing; there are steer, pause, limit, cancel.'],
    [{ waitingCounts: 'yes' }, 'waitingCounts must be true or false.'],
  ])('%j', (more, says) => {
    expect(withThese(more)).toContain(`defineAgent: clerk: ${says}`);
  });
});

describe('what nobody reads is refused, naming what was most likely meant', () => {
  it.each<[object, string]>([
    [{ limits: { stepz: 4 } }, 'limits.stepz means nothing; you may mean steps.'],
    [{ limits: { dollars: 4 } }, 'limits.dollars means nothing; there are steps, tokens, costUsd, timeMs,'],
    [{ maxSteps: 4 }, 'maxSteps means nothing; you may mean limits.steps.'],
    [{ instruction: '' }, 'instruction means nothing; you may mean instructions.'],
    [{ requireThought: true }, 'requireThought means nothing; you may mean strategy.requireThought.'],
    [
      { strategy: { name: 'react', require_thought: true } },
      'strategy.require_thought means nothing; you may mean req',
    ],
    [{ strategy: { name: 'tools', scratchpad: true } }, 'strategy.scratchpad means nothing; there are name.'],
    [{ constructor: 1 }, 'constructor means nothing; there are name,'],
  ])('%j', (more, says) => {
    expect(withThese(more)).toContain(`defineAgent: clerk: ${says}`);
  });
});

describe('a strategy', () => {
  it.each([null, 'planning', 7, {}, { name: 'constructor' }, ['react']])('is not %j', (strategy) => {
    expect(withThese({ strategy })).toContain(
      "strategy must be 'react', 'tools', 'autonomous' or 'plan', or one of these",
    );
  });

  it.each<[object, string]>([
    [{ minThoughtLength: -1 }, 'strategy.minThoughtLength must be a whole number from 0.'],
    [{ requireThought: 'no' }, 'strategy.requireThought must be true or false.'],
    [{ thoughtTag: 'Thought:' }, 'strategy.thoughtTag "Thought:" must be a word or two, without the colon.'],
    [{ thoughtTag: 'Action' }, 'strategy has two labels that read "Action": give thoughtTag, actionTag and'],
    [{ thoughtTag: 'ACTION' }, 'strategy has two labels that read "Action"'],
    [{ actionTag: 'Do', thoughtTag: 'do' }, 'strategy has two labels that read "Do"'],
    [
      { observationTag: 'Final Answer' },
      'strategy has two labels that read "Final Answer": give thoughtTag, actionTag and observationTag words of their own, none of them Action Input, Final Answer, Scratchpad.',
    ],
    [{ observationTag: 'Action Input' }, 'strategy has two labels that read "Action Input"'],
    [{ observationTag: 'action-input' }, 'strategy has two labels'],
    [{ thoughtTag: 'Scratchpad' }, 'strategy has two labels that read "Scratchpad"'],
  ])('react with %j is refused', (options, says) => {
    expect(react(options)).toContain(`defineAgent: clerk: ${says}`);
  });

  it.each<[object, string]>([
    [{ finishToolName: 'my finish!' }, 'strategy.finishToolName must begin with a letter'],
    [{ finishToolName: '' }, 'strategy.finishToolName must begin with a letter'],
    [{ finishToolName: 'longhand.callModel' }, 'strategy.finishToolName must begin with a letter'],
    [{ finishToolDescription: '' }, 'strategy.finishToolDescription must be a text that says something.'],
    [{ result: z.string() }, 'strategy.result must be an object with named members: write z.object({ … }).'],
    [{ result: { type: 'object' } }, 'strategy.result must be a schema of zod 4'],
  ])('autonomous with %j is refused', (options, says) => {
    expect(autonomous(options)).toContain(`defineAgent: clerk: ${says}`);
  });

  it.each<[object, string]>([
    [{ planning: 'yes' }, 'strategy.planning must be true or false.'],
    [{ reflectEvery: 0 }, 'strategy.reflectEvery must be a whole number from 1.'],
    [{ parallel: 1.5 }, 'strategy.parallel must be a whole number from 1.'],
    [{ fallbacks: ['again'] }, 'strategy.fallbacks.0 must be retry, simplify, other_tool, ask_user or skip.'],
    [{ reuse: '' }, "strategy.reuse must be a version of your own, such as 'v1', or null"],
    [{ paralel: 2 }, 'strategy.paralel means nothing; you may mean parallel.'],
  ])('plan with %j is refused', (options, says) => {
    expect(withThese({ strategy: { name: 'plan', ...options } })).toContain(`defineAgent: clerk: ${says}`);
  });

  it('plan has tools of its own, and no other is named like them', () => {
    const finish = defineTool({
      name: 'finish',
      description: 'Ends it',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => 'ended',
    });
    expect(withThese({ strategy: 'plan', tools: [finish] })).toContain(
      'finish is a tool of the strategy plan, as are make_plan, revise_plan, start_task, complete_task, fail_task, finish. Rename yours.',
    );
  });

  it('autonomous ends by a tool that no other is named like', () => {
    expect(withThese({ strategy: { name: 'autonomous', finishToolName: 'echo' }, tools: [echo] })).toContain(
      'echo is the tool that ends the chain. Rename yours, or set finishToolName.',
    );
  });
});

it('whatever it is given, it takes it or says what is wrong with it', () => {
  const members = [
    'instructions',
    'strategy',
    'tools',
    'limits',
    'thinking',
    'stopSequences',
    'successPhrases',
    'check',
  ];
  const anything = fc.dictionary(fc.oneof(fc.constantFrom(...members), fc.string()), fc.jsonValue());
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        anything.map((more) => ({ ...least, ...more })),
      ),
      (definition) => {
        try {
          defineAgent(definition as unknown as AgentDefinition);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          expect((error as Error).message).toMatch(/^defineAgent: .*\.$/s);
        }
      },
    ),
  );
});

/** An invalid agent definition is rejected when it is defined, with the fix. */

import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { createSnapshot, type SnapshotDefaults } from '../../src/agents/snapshot.js';
import { askUser } from '../../src/entries/tools.js';
import {
  type Agent,
  type AgentDefinition,
  codeApprovals,
  type Duration,
  defaults,
  defineAgent,
  defineTool,
  isLonghandError,
  type LonghandError,
} from '../../src/index.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { createModels } from '../../src/models/models.js';
import type { ModelProvider } from '../../src/models/wire/provider.js';
import { matchError } from '../support/match-error.js';

const echo = defineTool({
  name: 'echo',
  description: 'Returns the text',
  inputSchema: z.object({ text: z.string() }),
  effects: 'read',
  execute: ({ text }) => text,
});

const least = { name: 'clerk', model: 'some-model' };

/** Returns the message that rejects a definition, as in plain JavaScript. */
function rejection(definition: unknown): string {
  try {
    defineAgent(definition as AgentDefinition);
  } catch (error) {
    if (isDefinitionError(error)) return error.message;
    throw error;
  }
  throw new Error('The definition was accepted.');
}

const isDefinitionError = (error: unknown): error is LonghandError =>
  isLonghandError(error) && (error.code === 'invalid_agent' || error.code === 'invalid_tool');

const withThese = (more: object) => rejection({ ...least, ...more });
const react = (options: object) => withThese({ strategy: { name: 'react', ...options } });
const autonomous = (options: object) => withThese({ strategy: { name: 'autonomous', ...options } });

it('accepts every member, and undefined for those left out', () => {
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
      examples: [{ task: 'Return a.', steps: [], answer: 'a' }],
    },
    tools: [echo],
    limits: { steps: 4, tokens: 5_000, costUsd: null, time: '1s', stallThreshold: 2 },
    maxTokens: 100,
    temperature: 0,
    effort: 'low',
    thinking: { type: 'adaptive' },
    stopSequences: ['STOP'],
    successPhrases: ['DONE'],
    failurePhrases: [],
    check: () => null,
    maxObservationTokens: 10,
    modelTimeout: '5m',
    modelHeartbeatTimeout: 500,
  });
  expect(agent.strategy).toMatchObject({ thoughtTag: 'Gedanke', observationTag: 'Observation' });
  const outputSchema = z.object({ sum: z.number() });
  expect(defineAgent({ ...least, strategy: 'autonomous', outputSchema }).outputSchema).toMatchObject({
    required: ['sum'],
  });
});

it('calls tools natively unless the definition names another strategy', () => {
  expect(defineAgent(least).strategy).toEqual({ name: 'tools' });
});

const unused: ModelProvider = { name: 'unused', call: () => Promise.reject(new Error('Unexpected call.')) };

const worker: SnapshotDefaults = {
  models: createModels({ providers: [unused], catalogue: loadCatalogue() }),
  defaultModel: null,
  modelRetry: {},
  onProviderError: 'hold',
  localCalls: true,
};

describe('the output schema of an agent', () => {
  const outputSchema = z.object({ sum: z.number() });

  it('must be a schema of zod for an object', () => {
    const define = (given: unknown) => () => defineAgent({ ...least, outputSchema: given } as AgentDefinition);
    expect(define(z.string())).toThrow('outputSchema must be an object with named members: write z.object({ … }).');
    expect(define({ type: 'object' })).toThrow('outputSchema must be a schema of zod 4');
  });

  it('is in the snapshot, and types the answer', () => {
    const agent = defineAgent({ ...least, outputSchema });
    expectTypeOf(agent.answer).toEqualTypeOf<{ sum: number } | undefined>();
    const take = (each: Agent) => createSnapshot(each, { model: null, limits: {} }, worker);
    expect(take(agent).outputSchema).toMatchObject({ type: 'object', required: ['sum'] });
    expect(take(defineAgent(least))).not.toHaveProperty('outputSchema');
  });

  it('is enforced by the provider where both the model and the provider offer it', () => {
    const takeModel = (
      definition: Partial<AgentDefinition>,
      structuredOutput?: NonNullable<ModelProvider['structuredOutput']>,
    ) => {
      const provider = { ...unused, ...(structuredOutput && { structuredOutput }) };
      const models = createModels({ providers: [provider], catalogue: loadCatalogue() });
      return createSnapshot(
        defineAgent({ ...least, ...definition }),
        { model: null, limits: {} },
        { ...worker, models },
      ).model;
    };
    const model = 'claude-sonnet-5-5';
    expect(takeModel({ model, outputSchema }, 'without_tools').structuredOutput).toBe('without_tools');
    expect(takeModel({ model }, 'with_tools')).not.toHaveProperty('structuredOutput');
    expect(takeModel({ model, outputSchema })).not.toHaveProperty('structuredOutput');
    expect(takeModel({ model: 'some-local-model', outputSchema }, 'with_tools')).not.toHaveProperty('structuredOutput');
  });
});

describe('the model of an agent', () => {
  const { model: _, ...unnamed } = least;
  const resolve = (definition: AgentDefinition, model: string | null, defaultModel: string | null) =>
    createSnapshot(defineAgent(definition), { model, limits: {} }, { ...worker, defaultModel }).model.name;

  it('is that of the start, else of the definition, else the default of the worker, and is in the snapshot', () => {
    expect(resolve(least, 'claude-haiku-5-5', 'other')).toBe('claude-haiku-5-5');
    expect(resolve(least, null, 'other')).toBe(least.model);
    expect(resolve(unnamed, null, 'claude-haiku-5-5')).toBe('claude-haiku-5-5');
    expect(resolve(unnamed, 'own-model', null)).toBe('own-model');
  });

  it('is missing where none of them names one, with the fix', () => {
    expect(() => resolve(unnamed, null, null)).toThrow(
      matchError('invalid_agent', 'Agent clerk has no model. Set `model` in its definition, or LONGHAND_MODEL'),
    );
  });
});

describe('the written policy of a worker', () => {
  const policy = { text: 'Do no harm.', model: 'claude-haiku-5-5', roles: ['compliance'] };
  const take = (more: Partial<AgentDefinition> = {}, given: object = {}, model: string | null = null) =>
    createSnapshot(
      defineAgent({ ...least, ...more }),
      { model, limits: {} },
      { ...worker, policy: { ...policy, ...given } },
    );

  it('is in the snapshot with its model, whichever model the start chooses, and the options of the agent do not apply to it', () => {
    for (const model of [null, 'claude-sonnet-5-5']) {
      const snapshot = take({ stopSequences: ['{'], maxTokens: 2_000 }, {}, model);
      const { name, stopSequences, maxTokens } = snapshot.policy?.model ?? {};
      expect(snapshot.policy).toMatchObject({ text: 'Do no harm.', roles: ['compliance'] });
      expect({ name, stopSequences }).toEqual({ name: 'claude-haiku-5-5', stopSequences: [] });
      expect(maxTokens).toBeGreaterThan(2_000);
      expect(snapshot).not.toHaveProperty('routing');
    }
    // The same model has other options where the agent uses it.
    const same = take({ model: 'claude-haiku-5-5', effort: 'low' });
    expect([same.model.effort, same.policy?.model.effort]).toEqual(['low', null]);
  });

  it('is only for the agents that it names, and an agent cannot choose its model', () => {
    expect(take({}, { agents: ['other'] })).not.toHaveProperty('policy');
    expect(take({}, { agents: ['clerk'] })).toHaveProperty('policy');
    expect(() => take({ models: { policy: 'own-model' } as never })).toThrow('models.policy is unknown');
  });
});

it('the version of an agent is in the snapshot and changes its digest', () => {
  const snapshot = (version?: string) =>
    createSnapshot(
      defineAgent({ ...least, ...(version === undefined ? {} : { version }) }),
      { model: null, limits: {} },
      worker,
    );
  expect([snapshot().version, snapshot('1.4.0').version]).toEqual([null, '1.4.0']);
  expect(new Set([snapshot(), snapshot('1.4.0'), snapshot('1.4.1')].map(({ digest }) => digest)).size).toBe(3);
});

it('effort and thinking are for models that may think', () => {
  const take = (more: Partial<AgentDefinition>) =>
    createSnapshot(defineAgent({ ...least, ...more }), { model: null, limits: {} }, worker);
  expect(take({ effort: 'low' }).model.effort).toBe('low');
  expect(take({ model: 'some-local-model', effort: 'low' }).model.effort).toBe('low');
  expect(() => take({ model: 'gpt-4.1', effort: 'low' })).toThrow(
    matchError('invalid_agent', 'sets `effort`, but gpt-4.1 does not think. Remove `effort`, or use another model.'),
  );
  expect(() => take({ fallbacks: ['gpt-4.1'], thinking: { type: 'adaptive' } })).toThrow(
    matchError('invalid_agent', 'sets `thinking`, but gpt-4.1 does not think'),
  );
});

describe('durations', () => {
  const chosen = { model: null, limits: {} };
  const snapshot = (more: Partial<AgentDefinition>) =>
    createSnapshot(defineAgent({ ...least, ...more }), chosen, worker);

  it.each<[Duration, number]>([
    ['90s', 90_000],
    [90_000, 90_000],
    ['1.5 minutes', 90_000],
    [1.4, 1],
  ])('%j is stored as %i ms', (duration, ms) => {
    const { limits, model } = snapshot({
      limits: { time: duration },
      modelTimeout: duration,
      modelHeartbeatTimeout: duration,
    });
    expect(limits.timeMs).toBe(ms);
    expect(limits).not.toHaveProperty('time');
    expect(model).toMatchObject({ timeoutMs: ms, heartbeatMs: ms });
  });

  it('have defaults', () => {
    const { limits, model } = snapshot({});
    expect(limits.timeMs).toBe(defaults.timeMs);
    expect(model).toMatchObject({ timeoutMs: defaults.modelTimeoutMs, heartbeatMs: defaults.modelHeartbeatMs });
  });
});

describe('the retries of model calls', () => {
  const resolve = (definition: Partial<AgentDefinition>, by: Partial<SnapshotDefaults> = {}) => {
    const chosen = { model: null, limits: {} };
    const { retry, onProviderError } = createSnapshot(defineAgent({ ...least, ...definition }), chosen, {
      ...worker,
      ...by,
    }).model;
    return { ...retry, onProviderError };
  };

  it('last for a week, a minute apart, and hold the chain, unless agent or worker set something else', () => {
    const byDefault = { attempts: null, forMs: 604_800_000, maxIntervalMs: 60_000, onProviderError: 'hold' };
    expect(resolve({})).toEqual(byDefault);
    expect(resolve({ modelRetry: { attempts: 3 }, onProviderError: 'fail' })).toEqual({
      ...byDefault,
      attempts: 3,
      onProviderError: 'fail',
    });
  });

  it('are those of the worker, member by member, where the agent has none', () => {
    const by: Partial<SnapshotDefaults> = { modelRetry: { for: '2h', maxInterval: '10s' }, onProviderError: 'fail' };
    expect(resolve({}, by)).toEqual({
      attempts: null,
      forMs: 7_200_000,
      maxIntervalMs: 10_000,
      onProviderError: 'fail',
    });
    expect(resolve({ modelRetry: { for: '1h' }, onProviderError: 'hold' }, by)).toMatchObject({
      forMs: 3_600_000,
      maxIntervalMs: 10_000,
      onProviderError: 'hold',
    });
  });

  it.each([{ attempts: 0 }, { attempts: 1.5 }, { for: 0 }, { maxInterval: 'soon' as Duration }])(
    '%j is rejected where it is defined',
    (modelRetry) => {
      expect(() => resolve({ modelRetry })).toThrow(/modelRetry\.\w+ must be/);
    },
  );
});

describe('approvals and permissions', () => {
  const chosen = { model: null, limits: {} };
  const snapshot = (more: object) => createSnapshot(defineAgent({ ...least, tools: [echo], ...more }), chosen, worker);

  it('are by tool, also for tools of presets that the agent does not have, or a policy', () => {
    expect(defineAgent({ ...least, tools: [echo], approval: { ...codeApprovals, echo: true } }).name).toBe('clerk');
    expect(defineAgent({ ...least, approval: () => null }).name).toBe('clerk');
  });

  it('are in the snapshot, except policies, and default to everyone', () => {
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
  ])('cannot be %j', (name, message) => {
    expect(rejection({ ...least, name })).toContain(`defineAgent: ${message}`);
  });

  it.each([undefined, null, 'clerk'])('is missing in %j', (definition) => {
    expect(rejection(definition)).toBe(
      "defineAgent: the definition must be an object: defineAgent({ name: 'some_name', … }).",
    );
  });
});

it('rejects two tools with one name', () => {
  expect(withThese({ tools: [echo, { ...echo }] })).toContain(
    'defineAgent: clerk: two tools have the name echo: rename one.',
  );
});

describe('an invalid value is rejected with the name of the agent', () => {
  it.each<[object, string]>([
    [{ model: ' ' }, "model must be the name of a model, for example 'claude-sonnet-5-5'."],
    [{ version: '1.4 beta' }, 'version "1.4 beta" must have 1 to 64 letters'],
    [{ version: 2 }, 'version 2 must have 1 to 64 letters'],
    [{ instructions: 5 }, 'instructions must be a text.'],
    [{ tools: echo }, 'tools must be a list.'],
    [
      { tools: [echo, { name: 'x' }] },
      'tools.1 must be a tool (defineTool({ … })), an agent (defineAgent({ … })) or a source of tools (mcpTools({ … })).',
    ],
    [{ check: 'x' }, 'check must be a function: (steps) => verdict or null.'],
    [{ temperature: 'hot' }, 'temperature must be a number from 0.'],
    [{ effort: 'enormous' }, 'effort must be low, medium, high, xhigh or max.'],
    [{ thinking: 'yes' }, 'thinking must be an object.'],
    [{ stopSequences: [''] }, 'stopSequences.0 must be a text that is not empty: providers reject'],
    [{ stopSequences: 'STOP' }, 'stopSequences must be a list.'],
    [{ successPhrases: 'DONE' }, 'successPhrases must be a list.'],
    [{ failurePhrases: ['DONE', ' '] }, 'failurePhrases.1 must be a text that is not empty: every reply contains'],
    [{ maxTokens: 0 }, 'maxTokens must be a whole number from 1.'],
    [{ modelTimeout: 'soon' }, "modelTimeout must be milliseconds (at least 1) or a text such as '90s'."],
    [{ modelHeartbeatTimeout: 0 }, 'modelHeartbeatTimeout must be milliseconds (at least 1)'],
    [{ limits: null }, 'limits must be an object.'],
    [{ limits: { steps: 1.5 } }, 'limits.steps must be a whole number from 1.'],
    [{ limits: { costUsd: '1' } }, 'limits.costUsd must be more than 0 US dollars.'],
    [{ limits: { stallThreshold: 1 } }, 'limits.stallThreshold must be at least 2'],
    [{ limits: { time: 'soon' } }, "limits.time must be milliseconds (at least 1) or a text such as '90s'."],
    [{ limits: { time: '31 days' } }, 'limits.time must be 30 days at most.'],
    [{ approval: true }, 'approval must be a policy, (call) => verdict, or an object by tool, { git_push: true }.'],
    [{ tools: [echo], approval: { echo: 'yes' } }, 'approval.echo must be true, false'],
    [{ tools: [echo], approval: { ecco: true } }, 'approval.ecco is not a tool of the agent; you may mean echo.'],
    [{ tools: [echo], approval: { pay: true } }, 'approval.pay is not a tool of the agent; expected echo.'],
    [{ approval: { pay: true } }, 'approval.pay is not a tool of the agent; it has no tools.'],
    [{ tools: [askUser()], approval: { ask_user: true } }, 'approval.ask_user has no effect: its calls are questions'],
    [{ permissions: { steer: 'lead' } }, 'permissions.steer must be a list.'],
    [{ permissions: { steer: [''] } }, 'permissions.steer.0 must be a text that is not empty.'],
    [{ permissions: { stop: ['lead'] } }, 'permissions.stop is unknown; expected steer, pause, limit, signal, cancel.'],
    [{ waitingCounts: 'yes' }, 'waitingCounts must be true or false.'],
  ])('%j', (more, message) => {
    expect(withThese(more)).toContain(`defineAgent: clerk: ${message}`);
  });
});

describe('an example that breaks the rules of its agent is rejected', () => {
  const step = { thought: 'I return the text.', action: 'echo', input: { text: 'a' }, observation: 'a' };
  const example = { task: 'Return a.', steps: [step], answer: 'a' };
  const examples = (...given: readonly unknown[]) => ({ tools: [echo], strategy: { name: 'react', examples: given } });
  const inStep = (more: object) => examples({ ...example, steps: [step, { ...step, ...more }] });

  it.each<[object, string]>([
    [{ strategy: { name: 'react', examples: example } }, 'strategy.examples must be a list.'],
    [examples({ ...example, task: ' ' }), 'strategy.examples.0.task must be a text that is not empty.'],
    [examples({ ...example, answer: undefined }), 'strategy.examples.0.answer is missing.'],
    [
      examples({ ...example, result: 'a' }),
      'strategy.examples.0.result is unknown; expected task, steps, thought, answer',
    ],
    [inStep({ input: 'a' }), 'strategy.examples.0.steps.1.input must be an object.'],
    [inStep({ observation: undefined }), 'strategy.examples.0.steps.1.observation is missing.'],
    [inStep({ observation: () => 'a' }), 'strategy.examples.0.steps.1.observation must be a JSON value.'],
    [
      inStep({ action: 'ecco' }),
      'strategy.examples.0.steps.1.action "ecco" is not a tool of the agent; you may mean echo.',
    ],
    [inStep({ input: {} }), 'strategy.examples.0.steps.1.input is invalid for echo: text: '],
    [inStep({ thought: 'Echo.' }), 'strategy.examples.0.steps.1.thought is too short (at least 10 characters).'],
    [inStep({ thought: undefined }), 'strategy.examples.0.steps.1.thought is missing.'],
    [examples(...Array.from({ length: 11 }, () => example)), 'strategy.examples has 11 examples; the limit is 10.'],
    [inStep({ observation: 'a'.repeat(20_000) }), 'characters in the prompt; the limit is 20,000. Shorten'],
  ])('%j', (more, message) => {
    expect(withThese(more)).toMatch(/^defineAgent: clerk: strategy\.examples/);
    expect(withThese(more)).toContain(message);
  });

  it('accepts an example without thoughts if the agent requires none', () => {
    const strategy = {
      name: 'react',
      requireThought: false,
      examples: [{ ...example, steps: [{ ...step, thought: '' }] }],
    };
    expect(defineAgent({ ...least, tools: [echo], strategy } as AgentDefinition).strategy).toMatchObject(strategy);
  });
});

describe('an unknown member is rejected with a suggestion', () => {
  it.each<[object, string]>([
    [{ limits: { stepz: 4 } }, 'limits.stepz is unknown; you may mean steps.'],
    [{ limits: { dollars: 4 } }, 'limits.dollars is unknown; expected steps, tokens, costUsd, time,'],
    [{ limits: { timeMs: 1_000 } }, 'limits.timeMs is unknown; you may mean time.'],
    [{ modelTimeoutMs: 1_000 }, 'modelTimeoutMs is unknown; you may mean modelTimeout.'],
    [{ maxSteps: 4 }, 'maxSteps is unknown; you may mean limits.steps.'],
    [{ instruction: '' }, 'instruction is unknown; you may mean instructions.'],
    [{ requireThought: true }, 'requireThought is unknown; you may mean strategy.requireThought.'],
    [{ strategy: { name: 'react', require_thought: true } }, 'strategy.require_thought is unknown; you may mean req'],
    [{ strategy: { name: 'tools', scratchpad: true } }, 'strategy.scratchpad is unknown; expected name, canFail.'],
    [{ constructor: 1 }, 'constructor is unknown; expected name,'],
  ])('%j', (more, message) => {
    expect(withThese(more)).toContain(`defineAgent: clerk: ${message}`);
  });
});

describe('a strategy', () => {
  it.each([null, 'planning', 7, {}, { name: 'constructor' }, ['react']])('cannot be %j', (strategy) => {
    expect(withThese({ strategy })).toContain(
      "strategy must be 'react', 'tools', 'autonomous' or 'plan', or one of these",
    );
  });

  it.each<[object, string]>([
    [{ minThoughtLength: -1 }, 'strategy.minThoughtLength must be a whole number from 0.'],
    [{ requireThought: 'no' }, 'strategy.requireThought must be true or false.'],
    [{ thoughtTag: 'Thought:' }, 'strategy.thoughtTag "Thought:" must be one or two words without a colon.'],
    [{ thoughtTag: 'Action' }, 'strategy has two labels "Action": give thoughtTag, actionTag and'],
    [{ thoughtTag: 'ACTION' }, 'strategy has two labels "Action"'],
    [{ actionTag: 'Do', thoughtTag: 'do' }, 'strategy has two labels "Do"'],
    [
      { observationTag: 'Final Answer' },
      'strategy has two labels "Final Answer": give thoughtTag, actionTag and observationTag different words, and not Action Input, Final Answer, Scratchpad, Cannot Complete.',
    ],
    [{ observationTag: 'Action Input' }, 'strategy has two labels "Action Input"'],
    [{ observationTag: 'action-input' }, 'strategy has two labels'],
    [{ thoughtTag: 'Scratchpad' }, 'strategy has two labels "Scratchpad"'],
  ])('react with %j is rejected', (options, message) => {
    expect(react(options)).toContain(`defineAgent: clerk: ${message}`);
  });

  it.each<[object, string]>([
    [{ finishToolName: 'my finish!' }, 'strategy.finishToolName must begin with a letter'],
    [{ finishToolName: '' }, 'strategy.finishToolName must begin with a letter'],
    [{ finishToolName: 'longhand.callModel' }, 'strategy.finishToolName must begin with a letter'],
    [{ finishToolDescription: '' }, 'strategy.finishToolDescription must be a text that is not empty.'],
  ])('autonomous with %j is rejected', (options, message) => {
    expect(autonomous(options)).toContain(`defineAgent: clerk: ${message}`);
  });

  it.each<[object, string]>([
    [{ planning: 'yes' }, 'strategy.planning must be true or false.'],
    [{ reflectEvery: 0 }, 'strategy.reflectEvery must be a whole number from 1.'],
    [{ parallel: 1.5 }, 'strategy.parallel must be a whole number from 1.'],
    [{ fallbacks: ['again'] }, 'strategy.fallbacks.0 must be retry, simplify, other_tool, ask_user or skip.'],
    [{ reuse: '' }, "strategy.reuse must be a version such as 'v1', or null"],
    [{ paralel: 2 }, 'strategy.paralel is unknown; you may mean parallel.'],
  ])('plan with %j is rejected', (options, message) => {
    expect(withThese({ strategy: { name: 'plan', ...options } })).toContain(`defineAgent: clerk: ${message}`);
  });

  it('plan reserves the names of its control tools', () => {
    const finish = defineTool({
      name: 'finish',
      description: 'Ends it',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => 'ended',
    });
    expect(withThese({ strategy: 'plan', tools: [finish] })).toContain(
      'the name finish is reserved by the strategy plan (make_plan, revise_plan, review_plan, start_task, complete_task, fail_task, finish): rename yours.',
    );
  });

  it('autonomous reserves the name of its finish tool', () => {
    expect(withThese({ strategy: { name: 'autonomous', finishToolName: 'echo' }, tools: [echo] })).toContain(
      'the name echo is reserved for the tool that ends the chain: rename yours, or set finishToolName.',
    );
  });

  it.each(['tools', 'autonomous'])('%s reserves the name cannot_complete where the model may fail', (name) => {
    const own = { ...echo, name: 'cannot_complete' };
    expect(withThese({ strategy: { name, canFail: true }, tools: [own] })).toContain(
      'the name cannot_complete is reserved for the tool that ends the chain: rename yours, or set canFail to false.',
    );
    expect(defineAgent({ ...least, tools: [own] }).tool('cannot_complete')).toBe(own);
  });

  it.each(['tools', 'autonomous'] as const)(
    'a call of cannot_complete needs a reason, with the strategy %s',
    (name) => {
      const { validateCall } = defineAgent({ ...least, strategy: { name, canFail: true } });
      expect(validateCall('cannot_complete', { reason: 'The bank is closed.' })).toBeNull();
      expect(validateCall('cannot_complete', { reason: ' ' })).toContain(
        'The arguments of cannot_complete are invalid.',
      );
    },
  );
});

describe('the parts of prompts', () => {
  it('are in the snapshot once, in the order of their list, and absent without any', () => {
    const snapshotOf = (promptParts: NonNullable<AgentDefinition['promptParts']> = []) =>
      createSnapshot(
        defineAgent({ ...least, model: 'claude-haiku-4-5', promptParts }),
        { model: null, limits: {} },
        worker,
      );
    expect(snapshotOf(['steps', 'example', 'steps']).promptParts).toEqual(['example', 'steps']);
    expect(snapshotOf([])).not.toHaveProperty('promptParts');
    expect(snapshotOf(['steps', 'specific']).promptBytes).toBeGreaterThan(snapshotOf().promptBytes);
  });

  it('are rejected with the fix', () => {
    expect(withThese({ promptParts: ['step'] })).toContain(
      'promptParts.0 must be accomplished, justification, step_by_step, specific, example, steps, tasks or progress.',
    );
    expect(withThese({ promptParts: ['tasks'] })).toContain(
      "promptParts has 'tasks', which only the strategy plan has: remove it, or set strategy: 'plan'.",
    );
    expect(defineAgent({ ...least, strategy: 'plan', promptParts: ['tasks'] }).strategy.name).toBe('plan');
  });
});

it('any value is accepted or rejected with the reason', () => {
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
          expect(isDefinitionError(error)).toBe(true);
          expect((error as Error).message).toMatch(/^defineAgent: .*\.$/s);
        }
      },
    ),
  );
});

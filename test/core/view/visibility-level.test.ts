/** V1 to V4: the level of a step, and the rule that decides it. */

import { describe, expect, it } from 'vitest';
import type { VisibilityLevel } from '../../../src/core/model/level.js';
import { allPreferencesOn } from '../../../src/core/view/preferences.js';
import type { StepKind } from '../../../src/core/view/reasoning.js';
import {
  createViewer,
  type StepRef,
  type Viewer,
  type ViewScene,
  type VisibilityConfig,
} from '../../../src/core/view/visibility.js';
import { computeChildLevel, computeLevel, type LevelSource } from '../../../src/core/view/visibility-level.js';

/** The example of the specification. */
const example: VisibilityConfig = {
  default: 'full',
  toolKinds: {
    database: { level: 'summary', summary: 'Queried {table_name}, returned {row_count} rows' },
    skill: { level: 'hidden' },
    sub_agent: { level: 'full', childChain: 'summary' },
  },
  roles: { end_user: { thinking: 'summary', tool_call: 'summary', tool_result: 'summary' } },
};

const tools = { query: { kind: 'database' }, score: { kind: 'skill' }, ask: { kind: 'sub_agent' }, weather: {} };

function sceneOf(viewer: Viewer, config: VisibilityConfig, more: Partial<ViewScene> = {}): ViewScene {
  return { viewer, config, chain: { agent: 'clerk', tenant: 'bank', tools }, path: '', ...more };
}

const thinking: StepRef = { id: '1', kind: 'thinking' };
const answer: StepRef = { id: '2a', kind: 'synthesis' };
const callOf = (tool: keyof typeof tools, kind: StepKind = 'tool_call') => {
  const toolKind = 'kind' in tools[tool] ? (tools[tool] as { kind: string }).kind : 'external';
  return { id: kind === 'tool_call' ? '1.1' : '1.1r', kind, tool, toolKind };
};

describe('the example of the specification', () => {
  it.each<[string, StepRef, VisibilityLevel]>([
    ['end_user', thinking, 'summary'],
    ['end_user', callOf('weather'), 'summary'],
    ['end_user', callOf('query', 'tool_result'), 'summary'],
    ['end_user', callOf('score'), 'hidden'],
    ['end_user', answer, 'full'],
    ['developer', thinking, 'full'],
    ['developer', callOf('weather'), 'full'],
    ['developer', callOf('query'), 'full'],
    ['developer', callOf('score'), 'full'],
    ['auditor', thinking, 'full'],
    ['auditor', callOf('query'), 'full'],
    ['auditor', callOf('score'), 'full'],
    ['nobody_knows', thinking, 'summary'],
    ['constructor', thinking, 'summary'],
  ])('%s sees %o at %s', (role, step, level) => {
    expect(computeLevel(step, sceneOf(createViewer(role), example)).level).toBe(level);
  });

  it('shows a sub-agent, with its chain as a line', () => {
    const ask = { ...callOf('ask'), tool: 'ask', toolKind: 'sub_agent' };
    expect(computeLevel(ask, sceneOf(createViewer('developer'), example)).level).toBe('full');
    expect(computeChildLevel(ask, sceneOf(createViewer('developer'), example))).toBe('summary');
    expect(computeChildLevel(ask, sceneOf(createViewer('developer', { expanded: ['1.1'] }), example))).toBe('full');
    expect(computeChildLevel(ask, sceneOf(createViewer('auditor'), example))).toBe('full');
  });
});

describe('the level of a step', () => {
  const developer = createViewer('developer');
  /** From the most specific rule: each row removes one more. */
  const rules: readonly [LevelSource, VisibilityConfig][] = [
    ['step', { steps: { '1.1': 'summary' } }],
    ['tool', { tools: { query: { level: 'hidden' } } }],
    ['tool_kind', { toolKinds: { database: { level: 'full' } } }],
    ['agent', { agents: { clerk: { tool_call: 'hidden' } } }],
    ['role', { roles: { developer: { tool_call: 'full' } } }],
    ['deployment', { deployment: { tool_call: 'hidden' } }],
    ['default', { default: 'summary' }],
  ];
  it.each(rules.map(([by], at) => [by, at] as const))('V2: %s takes precedence over less specific rules', (by, at) => {
    const config = Object.assign({}, ...rules.slice(at).map(([, rule]) => rule)) as VisibilityConfig;
    expect(computeLevel(callOf('query'), sceneOf(developer, config)).by).toBe(by);
  });

  it("V2: the configuration of a tool takes precedence over the tool's own view", () => {
    const chain = { agent: 'clerk', tenant: null, tools: { query: { kind: 'database', level: 'hidden' as const } } };
    const roles = { reviewer: { tool_call: 'full' } } as const;
    const scene = (config: VisibilityConfig) => sceneOf(createViewer('reviewer'), { roles, ...config }, { chain });
    expect(computeLevel(callOf('query'), scene({})).level).toBe('hidden');
    expect(computeLevel(callOf('query'), scene({ tools: { query: { level: 'full' } } })).level).toBe('full');
    expect(computeLevel(callOf('query'), scene({ toolKinds: { database: { level: 'full' } } })).level).toBe('hidden');
  });

  it("V2: the tool's own level is a default and does not lower what a developer sees; a rule does", () => {
    const chain = { agent: 'clerk', tenant: null, tools: { query: { level: 'summary' as const } } };
    expect(computeLevel(callOf('query'), sceneOf(developer, {}, { chain })).level).toBe('full');
    const rules: VisibilityConfig = { tools: { query: { level: 'summary' } } };
    expect(computeLevel(callOf('query'), sceneOf(developer, rules, { chain })).level).toBe('summary');
  });

  it('V2: the level of a kind does not lower what a developer sees; rules for the tool, the role and security do', () => {
    const seen = (rule: VisibilityConfig, viewer = developer) =>
      computeLevel(callOf('query'), sceneOf(viewer, rule)).level;
    const kind: VisibilityConfig = { toolKinds: { database: { level: 'hidden' } } };
    expect(seen(kind)).toBe('full');
    expect(seen(kind, createViewer('end_user'))).toBe('hidden');
    expect(seen({ ...kind, tools: { query: { level: 'summary' } } })).toBe('summary');
    expect(seen({ ...kind, roles: { developer: { tool_call: 'summary' } } })).toBe('summary');
    expect(seen({ ...kind, required: [{ atMost: 'hidden', toolKind: 'database' }] })).toBe('hidden');
  });

  it('V2: rules name steps of a sub-chain with the call before them', () => {
    const config: VisibilityConfig = { steps: { '3.1/1.1': 'hidden' } };
    expect(computeLevel(callOf('query'), sceneOf(developer, config)).level).toBe('full');
    expect(computeLevel(callOf('query'), sceneOf(developer, config, { path: '3.1/' })).level).toBe('hidden');
  });
});

describe('in a conflict', () => {
  const conflicts: readonly [string, Viewer, VisibilityConfig, VisibilityLevel, LevelSource][] = [
    [
      'the role takes precedence over a visible tool',
      createViewer('end_user'),
      { tools: { query: { level: 'full' } } },
      'summary',
      'role',
    ],
    [
      'the role takes precedence over an expanded step',
      createViewer('end_user', { expanded: 'all' }),
      {},
      'summary',
      'role',
    ],
    [
      'the role takes precedence over a visible step',
      createViewer('end_user'),
      { steps: { '1.1': 'full' } },
      'summary',
      'role',
    ],
    [
      'an expanded step takes precedence over the tool',
      createViewer('developer', { expanded: ['1.1'] }),
      { tools: { query: { level: 'hidden' } } },
      'full',
      'preference',
    ],
    [
      'a kind that is switched off takes precedence over the tool',
      createViewer('developer', { preferences: { ...allPreferencesOn, internalCalls: false } }),
      { tools: { query: { level: 'full' } } },
      'hidden',
      'preference',
    ],
    [
      'a kind that is switched on changes nothing',
      createViewer('developer'),
      { tools: { query: { level: 'hidden' } } },
      'hidden',
      'tool',
    ],
    [
      'security takes precedence over a role that sees all',
      createViewer('developer', { expanded: 'all' }),
      { required: [{ atMost: 'hidden', toolKind: 'database' }], roles: { developer: 'full' } },
      'hidden',
      'security',
    ],
    [
      'security takes precedence over a role that sees a line',
      createViewer('end_user'),
      { required: [{ atMost: 'summary', tool: 'query' }] },
      'summary',
      'security',
    ],
    [
      'a rule for another tenant does not apply',
      createViewer('developer'),
      { required: [{ atMost: 'hidden', tenant: 'shop' }] },
      'full',
      'default',
    ],
    [
      'the most restrictive of two rules applies',
      createViewer('developer'),
      { required: [{ atMost: 'summary' }, { atMost: 'hidden', step: 'tool_call' }] },
      'hidden',
      'security',
    ],
    [
      'a role of the configuration has its configured level',
      createViewer('support'),
      { roles: { support: 'full' } },
      'full',
      'role',
    ],
    [
      "a role without a configured level has an end user's",
      createViewer('support'),
      { roles: { support: { thinking: 'full' } } },
      'summary',
      'role',
    ],
  ];
  it.each(conflicts)('%s', (_, viewer, config, level, by) => {
    expect(computeLevel(callOf('query'), sceneOf(viewer, config))).toEqual({ level, by });
  });
});

describe('V3: unknown values are hidden', () => {
  it('an invalid level', () => {
    const config = { default: 'everything' } as unknown as VisibilityConfig;
    expect(computeLevel(thinking, sceneOf(createViewer('developer'), config)).level).toBe('hidden');
  });

  it('a security rule with an invalid level', () => {
    const config = { required: [{ atMost: 'full' }] } as unknown as VisibilityConfig;
    expect(computeLevel(thinking, sceneOf(createViewer('developer'), config)).level).toBe('hidden');
  });

  it('the calls of unknown tools', () => {
    const chain = { agent: 'clerk', tenant: null, tools: null };
    expect(computeLevel(callOf('query'), sceneOf(createViewer('developer'), {}, { chain })).level).toBe('summary');
    expect(computeLevel(callOf('query'), sceneOf(createViewer('auditor'), {}, { chain })).level).toBe('full');
  });

  it("another tenant's chain, for an auditor too; a viewer without a tenant sees all chains", () => {
    for (const role of ['end_user', 'developer', 'auditor']) {
      expect(computeLevel(answer, sceneOf(createViewer(role, { tenant: 'shop' }), {})).level).toBe('hidden');
      expect(computeLevel(answer, sceneOf(createViewer(role, { tenant: 'bank' }), {})).level).toBe('full');
      expect(computeLevel(answer, sceneOf(createViewer(role), {})).level).toBe('full');
    }
  });
});

describe('a request about a call', () => {
  const request: StepRef = { id: '1.1p1', kind: 'approval', tool: 'weather', toolKind: 'external' };
  const computeRequestLevel = (viewer: Viewer, config: VisibilityConfig = {}) =>
    computeLevel(request, sceneOf(viewer, config));

  it.each<[string, Viewer, VisibilityConfig]>([
    ['an end user', createViewer('end_user'), {}],
    ['a developer', createViewer('developer'), {}],
    ['an auditor', createViewer('auditor'), { tools: { weather: { level: 'hidden' } } }],
    ['a marked call', createViewer('developer'), { steps: { '1.1': 'hidden' } }],
    ['an opened call', createViewer('developer', { expanded: ['1.1'] }), { tools: { weather: { level: 'hidden' } } }],
    [
      'calls that are switched off',
      createViewer('developer', { preferences: { ...allPreferencesOn, externalCalls: false } }),
      {},
    ],
    ['a security rule', createViewer('developer'), { required: [{ atMost: 'hidden', step: 'tool_call' }] }],
  ])('has the level of the call: %s', (_, viewer, config) => {
    expect(computeRequestLevel(viewer, config)).toEqual(computeLevel(callOf('weather'), sceneOf(viewer, config)));
  });

  it('is hidden with the call, and not with its result', () => {
    expect(computeRequestLevel(createViewer('developer'), { steps: { '1.1': 'hidden' } }).level).toBe('hidden');
    expect(
      computeRequestLevel(createViewer('developer'), { required: [{ atMost: 'hidden', step: 'tool_result' }] }).level,
    ).toBe('full');
  });
});

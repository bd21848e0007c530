/** The calls of a reply that require approval: every layer is evaluated, and a failed policy approves nothing. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { evaluateReplyApprovals } from '../../../src/activities/model/check-reply.js';
import { emptyPlanStep } from '../../../src/core/model/plan.js';
import type { Reading, RequestedCall } from '../../../src/core/model/reading.js';
import { emptyState } from '../../../src/core/model/state.js';
import { planDefaults } from '../../../src/core/strategies/strategy.js';
import { askUser } from '../../../src/entries/tools.js';
import type { ChainState } from '../../../src/entries/view.js';
import type { WorkerApprovals } from '../../../src/entries/worker.js';
import {
  type AgentDefinition,
  type Approval,
  type ApprovalCase,
  defaults,
  defineAgent,
  defineTool,
  type Step,
  type Tool,
} from '../../../src/index.js';
import { agentOf, someInput, usage } from '../../support/core-builders.js';

const somePlannedTask = { dependsOn: [], tools: [], confirm: [], result: null, error: null, attempts: 1 };
const somePlanning = { stepsSinceReflection: 0, isReflecting: false, failing: [], step: emptyPlanStep };

function tool(name: string, effects: 'read' | 'unsafe', approval?: Approval): Tool {
  const own = approval === undefined ? {} : { approval };
  return defineTool({ name, description: 'Does it', inputSchema: z.object({}), effects, ...own, execute: () => 1 });
}

interface Setting {
  readonly tools: readonly Tool[];
  readonly approval?: AgentDefinition['approval'];
  readonly approvals?: WorkerApprovals;
  readonly calls: readonly (Partial<RequestedCall> & { readonly tool: string })[];
  readonly reading?: Partial<Reading>;
  readonly state?: Partial<ChainState>;
  readonly steps?: readonly Step[];
}

const reservation = { inputTokens: 2_000, outputTokens: 16_000, usd: 0.2 };

async function ask({ tools, approval, approvals = {}, calls, reading, state, steps = [] }: Setting) {
  const given = approval === undefined ? {} : { approval };
  const agent = defineAgent({ name: 'clerk', model: 'some-model', strategy: 'tools', tools, ...given });
  const warnings: string[] = [];
  const held: ChainState = {
    ...emptyState,
    input: { ...someInput, tenant: 'acme', user: 'ana', roles: ['dev'] },
    agent: agentOf({ tools: tools.map(({ snapshot }) => snapshot) }),
    chainId: 'some-chain',
    steps: 2,
    charged: { tokens: 500, usd: 0.25 },
    flight: { kind: 'model', call: 'model-3', purpose: 'step', reservation, startedAt: 0 },
    ...state,
  };
  const parsed: Reading = {
    ...{ thought: null, answer: null, problem: null, scratchpad: null, content: [] },
    calls: calls.map((call) => ({ useId: null, input: {}, rejected: null, ...call })),
    ...reading,
  };
  const askers = { agent, approvals, warn: (message: string) => warnings.push(message) };
  const approved = await evaluateReplyApprovals(askers, { state: held, steps }, { usage: usage(1_000, 100) }, parsed);
  return { ...approved, warnings };
}

const reasons = (approvals: Awaited<ReturnType<typeof ask>>['approvals']) =>
  approvals?.map((rules) => rules?.reason ?? null);

it('by default unsafe calls need approval, and others do not', async () => {
  const tools = [
    tool('pay', 'unsafe'),
    tool('look', 'read'),
    tool('ring', 'unsafe', false),
    tool('read', 'read', true),
  ];
  const calls = tools.map(({ name }) => ({ tool: name }));
  expect(reasons((await ask({ tools, calls })).approvals)).toEqual([
    'pay is unsafe: a second call would repeat its effect.',
    null,
    null,
    'Calls of read need approval.',
  ]);
  expect((await ask({ tools, calls: [{ tool: 'look' }, { tool: 'ring' }] })).approvals).toBeNull();
});

it('a policy receives the call and the chain with this reply', async () => {
  const seen: ApprovalCase[] = [];
  const see: Approval = (call) => {
    seen.push(call);
    return null;
  };
  await ask({ tools: [tool('pay', 'unsafe', see)], calls: [{ tool: 'pay', input: { cents: 5 } }] });
  expect(seen).toEqual([
    {
      tool: 'pay',
      effects: 'unsafe',
      input: { cents: 5 },
      agent: 'clerk',
      chainId: 'some-chain',
      step: 3,
      tenant: 'acme',
      user: 'ana',
      roles: ['dev'],
      tokens: 1_600,
      // A thousand tokens in for 2 dollars a million, a hundred out for 10.
      costUsd: 0.253,
      thought: null,
      task: someInput.task,
      planTask: null,
      dataClasses: [],
      readSteps: expect.any(Function),
    },
  ]);
});

it('a policy sees the reasoning: the thought, the task of the plan, the data classes, and the steps before', async () => {
  const seen: ApprovalCase[] = [];
  const see: Approval = (call) => {
    seen.push(call);
    return null;
  };
  const tools = [tool('pay', 'unsafe', see)];
  const task = { ...somePlannedTask, id: 'settle', description: 'Pay what is due.', status: 'in_progress' } as const;
  const steps = [1, 2, 3].map((number) => ({ number, thought: `Thought ${number}.` }) as Step);
  await ask({
    tools,
    calls: [{ tool: 'pay' }],
    reading: { thought: 'She is divorced, so I pay less.' },
    steps,
    state: {
      dataClasses: ['personal'],
      plan: { tasks: [task], revision: 1, source: 'model' },
      planning: somePlanning,
      agent: agentOf({ strategy: planDefaults, tools: tools.map(({ snapshot }) => snapshot) }),
    },
  });
  expect(seen).toMatchObject([
    {
      thought: 'She is divorced, so I pay less.',
      planTask: { id: 'settle', description: 'Pay what is due.' },
      dataClasses: ['personal'],
    },
  ]);
  // The same objects: nothing is copied for each call.
  const read = seen[0]?.readSteps() ?? [];
  expect(read.map(({ number }) => number)).toEqual([1, 2]);
  expect(read[0]).toBe(steps[0]);
});

describe('a policy that ends the chain', () => {
  const end = { end: 'A prohibited factor was used.' };
  const expected = {
    outcome: 'failure',
    reason: 'A policy ended the chain at a call of pay, which did not run: A prohibited factor was used.',
    answer: null,
    by: 'policy',
  };
  const byThought: Approval = ({ thought }) => (thought?.includes('divorced') ? end : null);

  it('does so by what the model thought', async () => {
    const setting = {
      tools: [tool('look', 'read'), tool('pay', 'unsafe')],
      calls: [{ tool: 'look' }, { tool: 'pay' }],
    };
    const approvals = { platform: { pay: byThought } };
    const thought = 'She is divorced, so I pay less.';
    expect((await ask({ ...setting, approvals, reading: { thought } })).end).toEqual(expected);
    expect((await ask({ ...setting, approvals, reading: { thought: 'The bill is due.' } })).end).toBeNull();
  });

  it('outweighs a denial, and a grant below it', async () => {
    const approvals = { platform: { pay: end }, tenants: { acme: { pay: { deny: 'No.' } } } };
    const granting = tool('pay', 'unsafe', { grant: true });
    expect((await ask({ tools: [granting], calls: [{ tool: 'pay' }], approvals })).end).toEqual(expected);
  });

  it('has to state a reason: else a person decides', async () => {
    const asked = await ask({ tools: [tool('look', 'read', () => ({ end: '' }))], calls: [{ tool: 'look' }] });
    expect(asked.end).toBeNull();
    expect(asked.warnings[0]).toContain("its verdict must be exactly { end: 'why' }, with a sentence for people");
  });
});

it('a policy cannot change the arguments of a call', async () => {
  const spoil: Approval = ({ input }) => {
    (input as Record<string, unknown>).cents = 0;
    return true;
  };
  const { reading } = await ask({
    tools: [tool('pay', 'unsafe', spoil)],
    calls: [{ tool: 'pay', input: { cents: 5 } }],
  });
  expect(reading.calls).toMatchObject([{ input: { cents: 5 } }]);
});

describe('layers', () => {
  const tools = [tool('pay', 'unsafe', { reason: 'Tool.' })];
  const calls = [{ tool: 'pay' }];

  it('are all evaluated, from the platform down', async () => {
    const { approvals } = await ask({
      tools,
      calls,
      approval: () => ({ reason: 'Agent.' }),
      approvals: {
        platform: { pay: () => ({ reason: 'Platform.' }), look: true },
        tenants: { acme: { pay: { reason: 'Tenant.' } }, other: { pay: { reason: 'Other.' } } },
      },
    });
    expect(reasons(approvals)).toEqual(['Platform. Tenant. Agent. Tool.']);
  });

  it('are named in a request when they give no reason', async () => {
    const { approvals } = await ask({
      tools: [tool('look', 'read')],
      calls: [{ tool: 'look' }],
      approval: { look: true },
      approvals: { platform: () => true, tenants: { acme: () => true } },
    });
    expect(reasons(approvals)).toEqual([
      'The platform requires approval of calls of look. Tenant acme requires approval of calls of look. Agent clerk requires approval of calls of look.',
    ]);
  });

  it('can grant for the layers below, not for those above', async () => {
    const tenants = { acme: { pay: { grant: true } } } as const;
    expect((await ask({ tools, calls, approvals: { tenants } })).approvals).toBeNull();
    const { approvals } = await ask({
      tools,
      calls,
      approvals: { tenants, platform: { pay: { reason: 'Platform.' } } },
    });
    expect(reasons(approvals)).toEqual(['Platform.']);
  });

  it('can deny a call: it is rejected with the reason, and other calls are not affected', async () => {
    const { reading, approvals } = await ask({
      tools,
      calls: [{ tool: 'pay' }, { tool: 'pay', input: { small: true } }],
      approvals: {
        platform: ({ input }) => ('small' in (input as object) ? null : { deny: 'No payments on Sundays.' }),
      },
    });
    expect(reading.calls.map(({ rejected }) => rejected)).toEqual([
      'pay was denied and did not run: No payments on Sundays.',
      null,
    ]);
    expect(reasons(approvals)).toEqual([null, 'Tool.']);
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'do not find inherited members of objects: tenant %s',
    async (tenant) => {
      const { approvals } = await ask({
        tools: [tool('toString', 'read')],
        calls: [{ tool: 'toString' }],
        approvals: { platform: {}, tenants: {} },
        state: { input: { ...someInput, tenant } },
      });
      expect(approvals).toBeNull();
    },
  );
});

describe('a failed policy requires approval and is logged', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<[string, Approval, string]>([
    [
      'it throws',
      () => {
        throw new Error('no database');
      },
      'no database',
    ],
    ['it rejects', () => Promise.reject(new Error('no database')), 'no database'],
    ['it returns no verdict', (() => 'yes') as unknown as Approval, 'its verdict must be true, false'],
    ['it misspells an option', (() => ({ role: ['x'] })) as unknown as Approval, 'its verdict.role is unknown'],
    ['its grant is invalid', (() => ({ grant: 'yes' })) as unknown as Approval, 'must be exactly { grant: true }'],
  ])('when %s', async (_, policy, why) => {
    const { approvals, warnings } = await ask({ tools: [tool('look', 'read', policy)], calls: [{ tool: 'look' }] });
    expect(reasons(approvals)).toEqual([
      'The approval policy of tool look failed for a call of look. A person must decide.',
    ]);
    expect(warnings).toEqual([expect.stringContaining(why)]);
  });

  it('when it takes too long', async () => {
    vi.useFakeTimers();
    const forever: Approval = () => new Promise(() => {});
    const asking = ask({ tools: [tool('look', 'read', forever)], calls: [{ tool: 'look' }, { tool: 'look' }] });
    await vi.advanceTimersByTimeAsync(defaults.checkMs);
    const { approvals, warnings } = await asking;
    expect(approvals).toHaveLength(2);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('it took longer than 10000 ms');
  });

  it('when a layer below grants', async () => {
    const { approvals } = await ask({
      tools: [tool('look', 'read')],
      calls: [{ tool: 'look' }],
      approval: { look: { grant: true } },
      approvals: { platform: () => Promise.reject(new Error('no database')) },
    });
    expect(reasons(approvals)).toEqual([expect.stringContaining('The approval policy of the platform failed')]);
  });
});

describe('no policy is evaluated for a call that will not run', () => {
  const asked = vi.fn(() => true);
  const tools = [tool('look', 'read', asked), askUser()];
  afterEach(() => {
    expect(asked).not.toHaveBeenCalled();
  });

  it.each<[string, Omit<Setting, 'tools'>]>([
    ['a rejected call', { calls: [{ tool: 'look', rejected: 'No.' }] }],
    ['a call of an unknown tool', { calls: [{ tool: 'nope' }] }],
    [
      'a question',
      { calls: [{ tool: 'ask_user', input: { question: 'Which?' } }], approvals: { platform: () => true } },
    ],
    ['a call in a reply with a problem', { calls: [{ tool: 'look' }], reading: { problem: 'Unreadable.' } }],
    ['a call in a reply with an answer', { calls: [{ tool: 'look' }], reading: { answer: 'Done.' } }],
  ])('such as %s', async (_, setting) => {
    const { approvals, reading } = await ask({ tools, ...setting });
    expect(approvals).toBeNull();
    expect(reading.calls[0]?.rejected).toBe(setting.calls[0]?.rejected ?? null);
  });

  it('such as a call over the limit', async () => {
    const few = tool('few', 'read', true);
    const calls = Array.from({ length: defaults.callsPerStep + 1 }, () => ({ tool: 'few' }));
    const { approvals } = await ask({ tools: [few], calls });
    expect(approvals?.map((rules) => rules !== null)).toEqual([...calls.slice(1).map(() => true), false]);
  });
});

it('a tool that became unsafe after the chain started is evaluated as unsafe', async () => {
  const now = tool('save', 'unsafe');
  const then = { ...now.snapshot, effects: 'idempotent' as const };
  const { approvals } = await ask({
    tools: [now],
    calls: [{ tool: 'save' }],
    state: { agent: agentOf({ tools: [then] }) },
  });
  expect(approvals).toHaveLength(1);
});

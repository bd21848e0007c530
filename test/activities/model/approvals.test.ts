/** Which calls of a reply a person has to approve: every layer is asked, and one that fails is no yes. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { evaluateReplyApprovals } from '../../../src/activities/model/check-reply.js';
import { type AgentDefinition, defineAgent } from '../../../src/agents/define-agent.js';
import { defaults } from '../../../src/core/model/defaults.js';
import type { Reading, RequestedCall } from '../../../src/core/model/reading.js';
import { type ChainState, emptyState } from '../../../src/core/model/state.js';
import type { Approval, ApprovalCase, WorkerApprovals } from '../../../src/tools/approval/approval.js';
import { askUser } from '../../../src/tools/builtin/ask-user.js';
import { defineTool, type Tool } from '../../../src/tools/define/define-tool.js';
import { agentOf, someInput, usage } from '../../support/core-builders.js';

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
}

const reservation = { inputTokens: 2_000, outputTokens: 16_000, usd: 0.2 };

async function ask({ tools, approval, approvals = {}, calls, reading, state }: Setting) {
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
  const said: Reading = {
    ...{ thought: null, answer: null, problem: null, scratchpad: null, content: [] },
    calls: calls.map((call) => ({ useId: null, input: {}, rejected: null, ...call })),
    ...reading,
  };
  const askers = { agent, approvals, warn: (message: string) => warnings.push(message) };
  const approved = await evaluateReplyApprovals(askers, held, { usage: usage(1_000, 100) }, said);
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
    'pay is unsafe: a call of it does something that a second one would do again.',
    null,
    null,
    'Calls of read need approval.',
  ]);
  expect((await ask({ tools, calls: [{ tool: 'look' }, { tool: 'ring' }] })).approvals).toBeNull();
});

it('a policy is told of the call, and of the chain with this reply', async () => {
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
    },
  ]);
});

it('a policy that changes what it is shown changes nothing', async () => {
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

  it('all have a say, from the platform down', async () => {
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

  it('say who asks where they give no reason', async () => {
    const { approvals } = await ask({
      tools: [tool('look', 'read')],
      calls: [{ tool: 'look' }],
      approval: { look: true },
      approvals: { platform: () => true, tenants: { acme: () => true } },
    });
    expect(reasons(approvals)).toEqual([
      'The platform wants calls of look to be approved. Tenant acme wants calls of look to be approved. Agent clerk wants calls of look to be approved.',
    ]);
  });

  it('are granted for from above, and not from below', async () => {
    const tenants = { acme: { pay: { grant: true } } } as const;
    expect((await ask({ tools, calls, approvals: { tenants } })).approvals).toBeNull();
    const { approvals } = await ask({
      tools,
      calls,
      approvals: { tenants, platform: { pay: { reason: 'Platform.' } } },
    });
    expect(reasons(approvals)).toEqual(['Platform.']);
  });

  it('deny: the call is refused, the model is told why, and the others go their way', async () => {
    const { reading, approvals } = await ask({
      tools,
      calls: [{ tool: 'pay' }, { tool: 'pay', input: { small: true } }],
      approvals: {
        platform: ({ input }) => ('small' in (input as object) ? null : { deny: 'No payments on Sundays.' }),
      },
    });
    expect(reading.calls.map(({ rejected }) => rejected)).toEqual([
      'pay was not allowed, and was not run: No payments on Sundays.',
      null,
    ]);
    expect(reasons(approvals)).toEqual([null, 'Tool.']);
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'are not found on what every object has: tenant %s',
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

describe('a policy that fails has a person asked, and is logged', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<[string, Approval, string]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
      'no database',
    ],
    ['is rejected', () => Promise.reject(new Error('no database')), 'no database'],
    ['says what is no verdict', (() => 'yes') as unknown as Approval, 'what it says must be true, false'],
    ['misspells an option', (() => ({ role: ['x'] })) as unknown as Approval, 'what it says.role means nothing'],
    ['grants by half', (() => ({ grant: 'yes' })) as unknown as Approval, 'must be { grant: true }'],
  ])('that %s', async (_, policy, why) => {
    const { approvals, warnings } = await ask({ tools: [tool('look', 'read', policy)], calls: [{ tool: 'look' }] });
    expect(reasons(approvals)).toEqual([
      'The approval policy of tool look failed for a call of look: nobody but a person can say whether it may run.',
    ]);
    expect(warnings).toEqual([expect.stringContaining(why)]);
  });

  it('that takes too long', async () => {
    vi.useFakeTimers();
    const forever: Approval = () => new Promise(() => {});
    const asking = ask({ tools: [tool('look', 'read', forever)], calls: [{ tool: 'look' }, { tool: 'look' }] });
    await vi.advanceTimersByTimeAsync(defaults.checkMs);
    const { approvals, warnings } = await asking;
    expect(approvals).toHaveLength(2);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('it took longer than 10000 ms');
  });

  it('above a layer that grants', async () => {
    const { approvals } = await ask({
      tools: [tool('look', 'read')],
      calls: [{ tool: 'look' }],
      approval: { look: { grant: true } },
      approvals: { platform: () => Promise.reject(new Error('no database')) },
    });
    expect(reasons(approvals)).toEqual([expect.stringContaining('The approval policy of the platform failed')]);
  });
});

describe('nobody is asked about calls that are not run anyway', () => {
  const asked = vi.fn(() => true);
  const tools = [tool('look', 'read', asked), askUser()];
  afterEach(() => {
    expect(asked).not.toHaveBeenCalled();
  });

  it.each<[string, Omit<Setting, 'tools'>]>([
    ['refused', { calls: [{ tool: 'look', rejected: 'No.' }] }],
    ['unknown', { calls: [{ tool: 'nope' }] }],
    [
      'questions',
      { calls: [{ tool: 'ask_user', input: { question: 'Which?' } }], approvals: { platform: () => true } },
    ],
    ['beside a problem', { calls: [{ tool: 'look' }], reading: { problem: 'Unreadable.' } }],
    ['beside an answer', { calls: [{ tool: 'look' }], reading: { answer: 'Done.' } }],
  ])('%s', async (_, setting) => {
    const { approvals, reading } = await ask({ tools, ...setting });
    expect(approvals).toBeNull();
    expect(reading.calls[0]?.rejected).toBe(setting.calls[0]?.rejected ?? null);
  });

  it('one too many', async () => {
    const few = tool('few', 'read', true);
    const calls = Array.from({ length: defaults.callsPerStep + 1 }, () => ({ tool: 'few' }));
    const { approvals } = await ask({ tools: [few], calls });
    expect(approvals?.map((rules) => rules !== null)).toEqual([...calls.slice(1).map(() => true), false]);
  });
});

it('a tool that has become unsafe since the chain began is asked about as one', async () => {
  const now = tool('save', 'unsafe');
  const then = { ...now.snapshot, effects: 'idempotent' as const };
  const { approvals } = await ask({
    tools: [now],
    calls: [{ tool: 'save' }],
    state: { agent: agentOf({ tools: [then] }) },
  });
  expect(approvals).toHaveLength(1);
});

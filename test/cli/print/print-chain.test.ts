/** A running chain is printed safely: no text of a model, a tool or a person controls the terminal. */

import { expect, it } from 'vitest';
import { createChainPrinter, type PrintEvent } from '../../../src/cli/print/print-chain.js';
import { toRecordedResult } from '../../../src/client/read/recorded-chain.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import {
  allPreferencesOn,
  type ChainResult,
  type FollowEvent,
  type Preferences,
  type Step,
  type Task,
} from '../../../src/index.js';
import { storedChain } from '../../support/stored-chain.js';

const hostile = '\u001b]0;owned\u0007\u001b[2Jseen\u202e\r\u009b1m';

it('removes control characters from all text', async () => {
  const recorded = await storedChain('parallel-tools');
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
  const message = { text: hostile, by: hostile, afterStep: 1, at: 0 };
  const result = { ...(toRecordedResult(recorded) as ChainResult), reason: hostile, answer: hostile };
  const agent = recorded.chain.state.agent as AgentSnapshot;
  const events: readonly FollowEvent[] = [
    { ...place, type: 'agent-prepared', at: 0, agent: { ...agent, model: { ...agent.model, name: hostile } } },
    { ...place, type: 'token', step: 1, call: 'model-1', missing: 0, text: `${hostile} ${'and so on '.repeat(20)}` },
    ...recorded.chain.steps.map((step): FollowEvent => {
      const calls = step.calls.map((call) => ({ ...call, tool: hostile, input: hostile, observation: hostile }));
      return { ...place, type: 'step-added', at: 0, step: { ...step, thought: hostile, calls } };
    }),
    { ...place, type: 'notice-added', at: 0, notice: { code: 'limit_reached', text: hostile, step: 1, at: 0 } },
    { ...place, type: 'message-received', at: 0, message },
    { ...place, type: 'chain-ended', result },
  ];
  const print = createChainPrinter({ color: false, width: 80 });
  for (const event of events) {
    const text = print(event);
    expect(text).toContain('seen');
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
});

it('a result has the line of its template at any size, the time it took, and the age of a cached one', async () => {
  const recorded = await storedChain('parallel-tools');
  const [step] = recorded.chain.steps;
  const [call] = step?.calls ?? [];
  if (step === undefined || call === undefined) throw new Error('The chain has no call.');
  const known = recorded.chain.state.agent as AgentSnapshot;
  const view = { block: { as: 'table', rows: 'rows' } } as const;
  const agent = { ...known, tools: known.tools.map((tool) => ({ ...tool, view })) };
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
  const print = createChainPrinter({ color: false, width: 80 });
  print({ ...place, type: 'agent-prepared', at: 0, agent });
  print({ ...place, type: 'step-added', at: 1_000, step: { ...step, calls: [{ ...call, status: 'pending' }] } });
  const rows = Array.from({ length: 40 }, (_, n) => ({ n, text: 'x'.repeat(300) }));
  const end = (at: number, more: object) => {
    const result = { call: call.id, status: 'ok' as const, observation: { rows }, clippedFrom: null, ...more };
    return print({ ...place, type: 'call-completed', at, tool: call.tool, result });
  };
  expect(end(3_500, {})).toBe('  → 40 rows  2.5 s\n');
  expect(end(1_200, { cached: { ageMs: 90_000 } })).toBe('  → 40 rows  cached, 1.5 min old\n');
});

it('the header has the version of the agent, as `chain show` has', async () => {
  const recorded = await storedChain('parallel-tools');
  const agent = { ...(recorded.chain.state.agent as AgentSnapshot), version: '2.0.0' };
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
  const print = createChainPrinter({ color: false, width: 80 });
  expect(print({ ...place, type: 'agent-prepared', at: 0, agent })).toMatch(/^version 2\.0\.0 · \S+\s/);
});

it('prints the stop reason once, and the result once, marked as partial', async () => {
  const { chain, ...recorded } = await storedChain('limit-with-closing');
  const print = createChainPrinter({ color: false, width: 80 });
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
  const result = toRecordedResult({ chain, ...recorded }) as ChainResult;
  const lines = [
    ...chain.notices.map((notice) => print({ ...place, type: 'notice-added', at: notice.at, notice })),
    print({ ...place, type: 'chain-ended', result }),
  ];
  expect(chain.notices.map(({ code }) => code)).toEqual([
    'limit_usage',
    'thought_repeated',
    'limit_reached',
    'closing_call',
  ]);
  expect(lines.join('')).toMatch(
    /^ {2}⚠ 50 % of .*\n {2}⚠ This thought only repeats .*\n {2}⚠ Max steps \(2\) reached\.\n\n■ max_iterations\n2 steps · .*\n\n\[PARTIAL ANSWER\]\nOne and two\.\n$/,
  );
});

it('the lines of parallel calls carry their calls: the calls, and each result in the order in which it arrives', async () => {
  const { chain } = await storedChain('parallel-tools');
  const print = await createPreparedPrinter();
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false, at: 0 } as const;
  const [step] = chain.steps;
  const calls = (step as Step).calls.map((call) => ({ ...call, status: 'pending' as const }));
  const results = calls.toReversed().map(({ id: call, tool, observation }) => ({
    ...place,
    ...({ type: 'call-completed', tool } as const),
    result: { call, status: 'ok', observation, clippedFrom: null } as const,
  }));
  const texts = [
    print({ ...place, type: 'step-added', step: { ...(step as Step), calls } }),
    ...results.map((event) => print(event)),
  ];
  expect(texts.join('').replace(/^Step .*$/m, 'Step')).toMatchInlineSnapshot(`
    "Step
      [THINKING] I call.
      1.1 [TOOL: echo] text="one"
      1.2 [TOOL: shaky] text="two"
      1.3 [TOOL: echo] text="three"
      1.3 → three
      1.2 → two, in the end
      1.1 → one
    "
  `);
});

it('masks secrets and sensitive fields, also in the first steps of a fork', async () => {
  const { chain } = await storedChain('parallel-tools');
  const agent = chain.state.agent as AgentSnapshot;
  const tools = agent.tools.map((tool) => ({ ...tool, view: { sensitive: ['text'] } }));
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
  const [step] = chain.steps;
  const print = createChainPrinter({ color: false, width: 100 });
  const withAddress = { ...(step as Step), thought: 'I write to ada@example.com about three.' };
  const before = print({ ...place, type: 'step-added', at: 0, step: withAddress });
  const after = print({ ...place, type: 'agent-prepared', at: 0, agent: { ...agent, tools } });
  expect(before).toBe('');
  expect(after).toContain('I write to [redacted:email] about three.');
  expect(after).toContain('[TOOL: echo] text="[redacted:field]"');
  const token = {
    ...place,
    type: 'token',
    step: 2,
    call: 'model-2',
    missing: 0,
    text: 'and so on '.repeat(50),
  } as const;
  expect(print(token)).toBe('');
});

async function createPreparedPrinter(): Promise<PrintEvent> {
  const { chain } = await storedChain('parallel-tools');
  const print = createChainPrinter({ color: false, width: 80 });
  print({
    ...{ chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false, at: 0 },
    type: 'agent-prepared',
    agent: chain.state.agent as AgentSnapshot,
  });
  return print;
}

it('prints each task of a plan once, even if its id is masked', async () => {
  const print = createChainPrinter({ color: false, width: 80 });
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false, at: 0 } as const;
  const task: Task = {
    ...{ id: 'mail ann@example.com', description: 'Write.', dependsOn: [], tools: [], confirm: [] },
    ...{ status: 'pending', result: null, error: null, attempts: 0 },
  };
  const event: FollowEvent = { ...place, type: 'plan-changed', plan: { tasks: [task], revision: 1, source: 'model' } };
  const agent = (await storedChain('parallel-tools')).chain.state.agent as AgentSnapshot;
  print({ ...place, type: 'agent-prepared', agent });
  expect(print(event)).toContain('Write.');
  expect(print(event)).toBe('');
});

it('leaves out what its reader switched off, but not requests to people, and masks its values elsewhere', async () => {
  const { chain } = await storedChain('parallel-tools');
  const agent = chain.state.agent as AgentSnapshot;
  const tools = agent.tools.map((tool) => ({ ...tool, view: { sensitive: ['text'] } }));
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false, at: 0 } as const;
  const [first] = chain.steps;
  const step = { ...(first as Step), thought: 'I think.' };
  const rules = { kind: 'approval', requestedAt: 0, expiresAt: null, digest: 'd' } as const;
  const reason = 'It needs a person.';
  const asked = {
    reason,
    risk: 'high',
    roles: [],
    approvers: 1,
    onExpiry: 'deny',
    escalation: null,
    byRequester: true,
  };
  const events: readonly FollowEvent[] = [
    { ...place, type: 'agent-prepared', agent: { ...agent, tools } },
    { ...place, type: 'step-added', step },
    {
      ...place,
      type: 'call-completed',
      tool: 'echo',
      result: { call: '1.1', status: 'ok', observation: { text: 'swordfish-seven', seen: 'Seen.' }, clippedFrom: null },
    },
    { ...place, type: 'message-received', message: { by: 'ana', text: 'Not swordfish-seven!', afterStep: 1, at: 0 } },
    { ...place, type: 'request-opened', call: '1.1', tool: 'echo', request: { ...rules, rules: asked } as never },
    { ...place, type: 'token', step: 2, call: 'model-2', missing: 0, text: 'and so on '.repeat(50) },
  ];
  const printed = (off: Partial<Preferences>) => {
    const print = createChainPrinter({ color: false, width: 100, preferences: { ...allPreferencesOn, ...off } });
    return events.map(print).join('');
  };
  expect(printed({})).toMatch(/I think\..*\[TOOL: echo\].*Seen\./s);
  const quiet = printed({ thinking: false, externalCalls: false });
  expect(quiet).not.toMatch(/I think|\[TOOL: echo\]|Seen|and so on/);
  expect(quiet).toContain('It needs a person');
  expect(quiet).toContain('ana: Not [redacted:field]!');
  expect(printed({ internalCalls: false })).toContain('[TOOL: echo]');
});

it('prints what went wrong in a tool: name, message, stack and causes, without secrets', async () => {
  const recorded = await storedChain('parallel-tools');
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
  const print = createChainPrinter({ color: false, width: 120 });
  print({ ...place, type: 'agent-prepared', at: 0, agent: recorded.chain.state.agent as AgentSnapshot });
  const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
  const stack = `at parse (/app/tools.ts:3:9)\nCaused by Error: rejected ${key}`;
  const text = print({
    ...{ ...place, type: 'call-completed', at: 0, tool: 'look' },
    result: { call: '1.1', status: 'error', observation: 'x is undefined', clippedFrom: null },
    failure: { type: 'TypeError', message: 'x is undefined', stack },
  });
  expect(text.split('\n').map((row) => row.trim())).toEqual([
    '1.1 → error: TypeError: x is undefined',
    'at parse (/app/tools.ts:3:9)',
    'Caused by Error: rejected [redacted:api-key]',
    '',
  ]);
});

/** The gate before model calls: what it reserves, settles and reports, with a ledger in memory. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatWebhookBody } from '../../src/activities/notify/sign-webhook.js';
import { noUsage } from '../../src/core/model/index.js';
import { anthropicProvider } from '../../src/entries/models.js';
import { createWorker, type LonghandWorkerOptions } from '../../src/entries/worker.js';
import { defineAgent } from '../../src/index.js';
import type { AdmittedCall } from '../../src/models/index.js';
import { type BudgetAlert, createBudgetStore, createLedger, openStore, type Store } from '../../src/store/index.js';
import { createAlertEvent, createSpendingGate, type SpendingContext } from '../../src/worker/spending.js';
import { agentOf, modelFailure, rawReply } from '../support/core-builders.js';

let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store.close());

const reserved = { inputTokens: 1_000, outputTokens: 500, usd: 0.0075 };
const usd = { tenant: 'acme', per: 'month', usd: 1 } as const;

function createGate(options: Partial<SpendingContext> = {}) {
  const alerts: (readonly [BudgetAlert, string])[] = [];
  const problems: string[] = [];
  const gate = createSpendingGate({
    ...{ namespace: 'default', ledger: createLedger(store), budgets: createBudgetStore(store, 'default') },
    rules: { budgets: [usd], rates: new Map() },
    findAgentRate: () => undefined,
    onAlert: (alert, _call, chainId) => alerts.push([alert, chainId]),
    warn: (problem) => problems.push(problem),
    ...options,
  });
  return { gate, alerts, problems };
}

function createCall(id: string, signal = new AbortController().signal): AdmittedCall {
  return {
    ...{ id, ticket: id, reserved, patience: 'queue', endpoint: 'anthropic' },
    call: {
      request: { system: '', messages: [], tools: [], toolChoice: 'auto', stopSequences: [] },
      model: agentOf().model,
      maxTokens: 500,
    },
    options: { signal, caller: { agent: 'clerk', chainId: 'clerk-1', tenant: 'acme' } },
  };
}

async function readSpent() {
  const [budget] = await createBudgetStore(store, 'default').list();
  return budget?.spenders[0]?.spent;
}

it('reserves the most at the price of the model that is called, and settles what was used', async () => {
  const { gate } = createGate();
  expect(await gate.admit(createCall('1'))).toBeNull();
  const { price } = agentOf().model;
  expect(await readSpent()).toEqual({
    ...{ calls: 1, tokens: 1_500 },
    usd: Math.ceil(((price?.cacheWrite ?? 0) * 1_000 + (price?.output ?? 0) * 500) * 1e6) / 1e6,
  });
  const reply = { ...rawReply([]), usage: { ...noUsage, input: 100, output: 10 } };
  await gate.settle(createCall('1'), { ok: true, reply });
  expect(await readSpent()).toMatchObject({ calls: 1, tokens: 110 });
  for (const [id, result] of [
    ['2', { ok: false, failure: modelFailure('rate_limit', { status: 429 }) }],
    ['3', { ok: false, failure: modelFailure('cut', { settle: 'reservation' }) }],
    ['4', { ok: true, reply: { ...reply, usage: null } }],
  ] as const) {
    await gate.admit(createCall(id));
    await gate.settle(createCall(id), result);
  }
  // A call without usage is charged in full, and one that the provider rejected is free.
  expect(await readSpent()).toMatchObject({ calls: 3, tokens: 110 + 2 * 1_500 });
});

it('a reservation that comes too late, or for a call that is cancelled, is released', async () => {
  const ledger = createLedger(store);
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = {
    ...ledger,
    reserve: (call: Parameters<typeof ledger.reserve>[0]) => asked.then(() => ledger.reserve(call)),
  };
  const { gate } = createGate({ ledger: slow, ledgerTimeoutMs: 10 });
  expect(await gate.admit(createCall('1'))).toMatchObject({ kind: 'store_unavailable', settle: 'nothing' });
  answer();
  await expect.poll(readSpent).toMatchObject({ calls: 0 });
  expect(await gate.admit(createCall('2', AbortSignal.abort()))).toMatchObject({
    kind: 'cancelled',
    settle: 'nothing',
  });
  expect(await readSpent()).toMatchObject({ calls: 0, tokens: 0 });
});

it('an alert is sent once, with an id of its window, to the tenant of its budget', async () => {
  const { gate, alerts } = createGate({ rules: { budgets: [{ ...usd, calls: 2, alertAt: 0.5 }], rates: new Map() } });
  const reply = { ...rawReply([]), usage: { ...noUsage, input: 100, output: 10 } };
  for (const id of ['1', '2', '3'])
    if ((await gate.admit(createCall(id))) === null) await gate.settle(createCall(id), { ok: true, reply });
  expect(alerts).toEqual([[expect.objectContaining({ counter: 'calls', spent: 1, limit: 2 }), 'clerk-1']]);
  const [alert] = alerts[0] ?? [];
  if (alert === undefined) throw new Error('No alert.');
  const spender = { namespace: 'default', agent: 'clerk', tenant: 'acme' };
  const event = createAlertEvent(alert, spender, 'clerk-1');
  expect(event).toMatchObject({ type: 'budget-alert', tenant: 'acme', chainId: 'clerk-1' });
  expect(createAlertEvent(alert, spender, 'clerk-2').id).toBe(event.id);
  expect(JSON.parse(formatWebhookBody(event)).data.budget).toEqual({
    ...{ name: 'the budget of tenant acme per month', counter: 'calls', spent: 1, limit: 2 },
    resetsAt: expect.stringMatching(/^20\d\d-\d\d-01T00:00:00/),
  });
  // A budget of all tenants is the operator's.
  expect(createAlertEvent({ ...alert, budget: { per: 'month', calls: 2 } }, spender, 'clerk-1').tenant).toBeNull();
});

it.each([
  [{ rates: { antropic: { requests: 5, per: '1m' } } }, 'no provider is named antropic. Did you mean anthropic?'],
  [{ rates: { anthropic: { per: '1m' } } }, '`rates.anthropic` must have a limit: requests or tokens.'],
  [{ rates: { anthropic: { requests: 5, per: '1s' } } }, 'per must be at least 10 seconds'],
  [{ budgets: [{ per: 'day' }] }, 'must have a limit: calls, tokens or usd. Example: { tenant'],
  [{ budgets: [{ per: 'week', usd: 5 }] }, 'per must be'],
  [{ budgets: [{ per: 'day', tokens: 0.5 }] }, 'tokens must be'],
] as const)('%j is an invalid option of a worker', async (options, message) => {
  const worker = createWorker({
    agents: [defineAgent({ name: 'clerk', model: 'claude-haiku-5-5' })],
    providers: [anthropicProvider({ apiKey: 'k' })],
    address: '127.0.0.1:1',
    ...(options as Partial<LonghandWorkerOptions>),
  });
  await expect(worker).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining(message),
  });
});

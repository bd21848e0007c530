/** Circuits that workers share by their store. */

import { expect, it } from 'vitest';
import { createEndpointHealth, type EndpointHealth } from '../../../src/models/endpoints/endpoint-health.js';
import type { ModelCallResult } from '../../../src/models/wire/provider.js';
import { createCircuitStore } from '../../../src/store/circuits/circuit-store.js';
import { alsoOnPostgres, describeStores } from '../../support/stores.js';

const rules = { failures: 2, pauseMs: 1_000, longestPauseMs: 60_000 };
const endpoint = 'anthropic/claude-opus-5-5';

const outage: ModelCallResult = {
  ok: false,
  failure: { kind: 'overloaded', message: '', status: 529, retryAfterMs: null, settle: 'nothing', usage: null },
};

const answer: ModelCallResult = {
  ok: true,
  reply: {
    content: [],
    stopReason: 'end_turn',
    model: 'claude-opus-5-5',
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  } as unknown as Extract<ModelCallResult, { ok: true }>['reply'],
};

async function breakCircuit(health: EndpointHealth): Promise<void> {
  for (let call = 0; call < rules.failures; call += 1) {
    await health.admit(endpoint);
    health.report(endpoint, outage);
  }
}

describeStores((open) => {
  it('opens for all workers, admits one probe, and closes for all', async () => {
    let now = 1_000_000;
    const store = await open();
    const shared = createCircuitStore(store, 'default');
    const [first, second, third] = [1, 2, 3].map(() => createEndpointHealth(rules, shared, () => now)) as [
      EndpointHealth,
      EndpointHealth,
      EndpointHealth,
    ];
    expect(await second.admit(endpoint)).toBe(0);
    await breakCircuit(first);
    await expect.poll(() => shared.read(endpoint)).not.toBeNull();
    expect(await third.admit(endpoint)).toBe(1_000);
    expect(await third.admit('anthropic/another')).toBe(0);
    now += 1_000;
    // Each has read the circuit before one of them claims the probe.
    const waits = await Promise.all([first, second, third].map((each) => each.admit(endpoint)));
    expect(waits.sort((a, b) => a - b)).toEqual([0, 2_000, 2_000]);
    second.report(endpoint, answer);
    first.report(endpoint, answer);
    await expect.poll(() => shared.read(endpoint)).toBeNull();
    now += 1_000;
    expect(await Promise.all([first, second, third].map((each) => each.admit(endpoint)))).toEqual([0, 0, 0]);
  });

  it('is not shared with another namespace', async () => {
    const store = await open();
    await breakCircuit(createEndpointHealth(rules, createCircuitStore(store, 'default')));
    expect(await createEndpointHealth(rules, createCircuitStore(store, 'other')).admit(endpoint)).toBe(0);
  });
}, alsoOnPostgres);

it('a worker whose store does not answer continues with what it knows', async () => {
  const fail = () => Promise.reject(new Error('no store'));
  const health = createEndpointHealth(rules, { read: fail, claim: fail, open: fail, close: fail }, () => 0);
  await breakCircuit(health);
  expect(await health.admit(endpoint)).toBe(1_000);
  health.report(endpoint, answer);
  expect(await health.admit(endpoint)).toBe(0);
});

/** L6 on a running chain: a provider that reports false usage gets no more calls than the limit pays for. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, delegate, type Json } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { look, replyWithLook } from '../../support/tools.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

const looker = defineAgent({
  name: 'looker',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [look],
  maxTokens: 2_000,
  limits: { steps: 40, stallThreshold: 50 },
});

/** False usage, used in turn. Without a check, each would be charged nothing or almost nothing. */
const lies: readonly { readonly start?: Json; readonly end?: Json }[] = [
  {},
  { start: {}, end: {} },
  { start: null, end: null },
  { start: { input_tokens: '9', output_tokens: '9' }, end: { output_tokens: '9' } },
  { start: { input_tokens: -5_000, output_tokens: -5_000 }, end: { output_tokens: -5_000 } },
  { start: { input_tokens: 0, output_tokens: 0 }, end: { input_tokens: 0, output_tokens: 0 } },
  { start: { input_tokens: 5e18, output_tokens: 1 }, end: { output_tokens: 5e18 } },
  // For a task of 100 KB and a reply with text.
  { start: { input_tokens: 1, output_tokens: 1 }, end: { output_tokens: 1 } },
  // From a proxy that copies the first event and drops the usage of the last one.
  { start: { input_tokens: 30_000, output_tokens: 1 } },
];

function replies(): (request: unknown) => ScriptedReply {
  let made = 0;
  return () => {
    const place = made++;
    return { ...replyWithLook(place), usageOnWire: lies[place % lies.length] ?? {} };
  };
}

test('calls without plausible usage use up the limit and are reported in a notice', async () => {
  await withWorker({ agents: [looker], replies: replies() }, async ({ longhand, models }) => {
    const task = `Look around. ${'Look well. '.repeat(9_000)}`;
    const chain = await longhand.start(looker, task, { limits: { costUsd: 6, tokens: 10_000_000, steps: 30 } });
    const result = await chain.result();
    const { state, steps, notices } = await chain.read();
    // 100 KB at the highest input price cost about a quarter of a dollar.
    expect(result.outcome).toBe('cost_budget');
    expect(models.requests.length).toBeGreaterThan(lies.length);
    expect(models.requests.length).toBeLessThan(25);
    expect(state.charged.usd).toBeLessThanOrEqual(6);
    expect(steps.every(({ charged }) => charged !== undefined)).toBe(true);
    expect(state.usage).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, thinking: 0 });
    expect(notices.filter(({ code }) => code === 'usage_unreported')).toHaveLength(1);
    const view = await chain.view(createViewer('developer'));
    expect(JSON.stringify(view.steps)).toContain('no plausible usage');
  });
});

test('a sub-chain whose provider reports no usage is charged to the budget of its parent', async () => {
  const aide = defineAgent({
    name: 'aide',
    instructions: 'You are aide.',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
  });
  const boss = defineAgent({
    ...{ name: 'boss', instructions: 'You are boss.', model: 'claude-sonnet-5-5', strategy: 'tools' },
    tools: [delegate(aide)],
  });
  let calls = 0;
  const script = (): ScriptedReply => {
    calls += 1;
    if (calls === 1) return { text: 'I ask.', calls: [{ name: 'aide', input: { task: 'Look.' } }] };
    return calls === 2 ? { text: 'Seen.', usageOnWire: {} } : { text: 'Done.' };
  };
  await withWorker({ agents: [boss, aide], replies: script }, async ({ longhand }) => {
    const chain = await longhand.start(boss, 'Look');
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const { state } = await chain.read();
    expect(state.subChainTotals.tokens).toBeGreaterThan(16_000);
    expect(state.subChainTotals.usd).toBeGreaterThan(0.16);
  });
});

test('a price map with a negative price ends the chain before its first model call', async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, '{ "claude-sonnet-5-5": { "input_cost_per_token": -0.000002 } }');
  await withWorker({ agents: [looker], worker: { prices } }, async ({ longhand }) => {
    const chain = await longhand.start(looker, 'Look around');
    const result = await chain.result();
    expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'not_prepared' });
    expect(result.reason).toContain('input_cost_per_token is -0.000002');
  });
});

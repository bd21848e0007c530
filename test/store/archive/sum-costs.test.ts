/** The cost of archived chains by tenant, agent, model and tool. */

import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { ModelUse } from '../../../src/core/model/call-cost.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { costGroupings } from '../../../src/core/record/index.js';
import { reactDefaults } from '../../../src/core/strategies/strategy.js';
import type { ChainFigures } from '../../../src/entries/client.js';
import type { Store } from '../../../src/entries/store.js';
import { eraseChains } from '../../../src/store/archive/erase.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { sumCosts } from '../../../src/store/archive/sum-costs.js';
import type { CostQuery } from '../../../src/store/db/queries.js';
import { namespace, playedSegment } from '../../support/archived.js';
import {
  agentOf,
  answers,
  asks,
  look,
  modelFailure,
  poll,
  someInput,
  somePrice,
  someTools,
  tool,
  toolFailure,
  unreadable,
  usage,
} from '../../support/core-builders.js';
import { ask, charged, delegated, delegatingAgent, lineage, reported } from '../../support/core-delegation.js';
import { completes, finishes, planAgent, replyWithCalls } from '../../support/core-plans.js';
import { type Play, prepared } from '../../support/core-play.js';
import { by, modelOf, routedAgent, routeTo, strong } from '../../support/core-routing.js';
import { describeStores } from '../../support/stores.js';

const day = (of: number) => Date.UTC(2026, 10, of, 8);

/** A chain of one call and an answer; each reply takes 1,100 tokens and 0.003 US dollars. */
function errand(more: Partial<typeof someInput> = {}, agent = agentOf()): Play {
  const play = prepared(agent, { ...someInput, ...more });
  play.replied(asks(look()));
  play.after(100).returned('1.1');
  play.replied(answers('Done.'));
  return play;
}

const llm = (model: string) =>
  tool('llm', {
    cost: {
      ...{ kind: 'model', maxTokens: 1_000, instructionBytes: 0 },
      models: [
        {
          ...{ name: model, provider: 'some-provider', id: `${model}-1`, price: somePrice, maxTokens: 8_000 },
          ...{ contextTokens: null, takesTemperature: false },
        },
      ],
    },
  });

const sum = (store: Store, query: Partial<CostQuery>) => sumCosts(store, { namespace, by: 'tenant', ...query });
const named = async (store: Store, query: Partial<CostQuery>) =>
  (await sum(store, query)).groups.map(({ period, name }) => (period === null ? name : `${period} ${name}`));

describeStores((open) => {
  it('counts the charge of a chain and of its sub-chains once each', async () => {
    const store = await open();
    const parent = delegated(delegatingAgent(), [ask()], { ...someInput, tenant: 'acme' });
    reported(parent, 'chain-1/1.1', { charged: charged({ tokens: 2_200, usd: 0.006 }) });
    parent.replied(answers('Done.'));
    expect(parent.result.subtree).toMatchObject({ chains: 1, costUsd: 0.006 });
    const below = { tenant: 'acme', lineage: lineage({ path: [{ ...lineage().path[0]!, chainId: 'chain-1' }] }) };
    await putRun(store, playedSegment('chain-1/1.1', errand(below)));
    await putRun(store, playedSegment('chain-1', parent));
    const { groups, total } = await sum(store, {});
    expect(groups).toMatchObject([{ name: 'acme', chains: 2, steps: 4, tokens: 4_400, costUsd: 0.012 }]);
    expect(total).toEqual({
      chains: 2,
      running: 0,
      steps: 4,
      tokens: 4_400,
      reservedTokens: 0,
      costUsd: 0.012,
      unpriced: 0,
      outcomes: { success: 2 },
    });
  });

  it('counts how chains ended by strategy and plan template, so that both can be compared', async () => {
    const store = await open();
    const put = (chainId: string, play: Play) => putRun(store, playedSegment(chainId, play));
    const failed = prepared(agentOf({ strategy: reactDefaults }));
    for (let reply = 0; reply < 3; reply++) failed.replied(unreadable());
    const plan = { name: 'upgrade', tasks: [{ id: 'a', description: 'Do a.', dependsOn: [], tools: [], confirm: [] }] };
    const planned = prepared(planAgent({ reflection: false }), { ...someInput, plan });
    replyWithCalls(planned, completes('a'), finishes('Done.'));
    const cancelled = prepared(planAgent(), { ...someInput, plan });
    cancelled.cancelledBy('ana');
    cancelled.take({ type: 'modelFailed', call: cancelled.modelCall.call, failure: modelFailure('cancelled') });
    await put('r-1', errand({}, agentOf({ strategy: reactDefaults })));
    await put('r-2', failed);
    await put('t-1', errand());
    await put('p-1', planned);
    await put('p-2', cancelled);
    const counted = async (by: CostQuery['by']) =>
      (await sum(store, { by })).groups.map((group) => [group.name, 'outcomes' in group ? group.outcomes : null]);
    expect(Object.fromEntries(await counted('strategy'))).toEqual({
      react: { success: 1, failure: 1 },
      tools: { success: 1 },
      plan: { success: 1, cancelled: 1 },
    });
    expect(Object.fromEntries(await counted('template'))).toEqual({
      null: { success: 2, failure: 1 },
      upgrade: { success: 1, cancelled: 1 },
    });
  });

  it('counts and sums up by prompt, each version for itself', async () => {
    const store = await open();
    const put = (chainId: string, play: Play) => putRun(store, playedSegment(chainId, play));
    const promptOf = (version: string) => agentOf({ prompt: { name: 'clerk', version } });
    await put('o-1', errand({}, promptOf('0ld')));
    await put('o-2', errand({}, promptOf('0ld')));
    await put('n-1', errand({}, promptOf('1new')));
    await put('p-1', errand());
    const { groups } = await sum(store, { by: 'prompt' });
    expect(groups).toMatchObject([
      { name: 'clerk@0ld', chains: 2, costUsd: 0.012, outcomes: { success: 2 } },
      { name: null, chains: 1, costUsd: 0.006 },
      { name: 'clerk@1new', chains: 1, costUsd: 0.006 },
    ]);
  });

  it('sums up by tenant, agent and model, the highest cost first, and names chains without a price or a report of usage', async () => {
    const store = await open();
    const put = (chainId: string, play: Play, startedAt = day(2)) =>
      putRun(store, playedSegment(chainId, play, { startedAt }));
    const free = agentOf({ name: 'free', model: { name: 'own-model', price: null }, limits: { costUsd: null } });
    await put('a-1', errand({ tenant: 'acme' }));
    await put('a-2', errand({ tenant: 'acme', agent: 'free' }, free), day(3));
    await put('i-1', errand({ tenant: 'initech' }));
    const silent = prepared(agentOf(), { ...someInput, tenant: 'initech' });
    silent.replied({ ...answers('Done.'), usage: { ...noUsage, output: 100 } });
    await put('i-2', silent);
    await put('n-1', errand(), day(20));
    const { groups, total } = await sum(store, {});
    expect(groups.map(({ name }) => name)).toEqual(['initech', 'acme', null]);
    expect(groups[1]).toMatchObject({ chains: 2, tokens: 4_400, costUsd: 0.006, unpriced: 1, reservedTokens: 0 });
    const reserved = silent.state.charged.tokens;
    expect(groups[0]).toMatchObject({ chains: 2, tokens: 2_200 + reserved, reservedTokens: reserved, unpriced: 0 });
    expect(total).toMatchObject({ chains: 5, unpriced: 1, reservedTokens: reserved });
    expect(await named(store, { by: 'agent' })).toEqual(['clerk', 'free']);
    expect((await sum(store, { by: 'model' })).groups).toMatchObject([
      { name: 'some-model', chains: 4 },
      { name: 'own-model', chains: 1, costUsd: null },
    ]);
    expect((await sum(store, { since: day(3), until: day(20) })).total).toMatchObject({ chains: 1, costUsd: null });
    expect((await sum(store, { namespace: 'other' })).groups).toEqual([]);
  });

  it('sums up by day, week and month in UTC, by the start of the chains', async () => {
    const store = await open();
    const last = Date.UTC(2026, 10, 1, 23, 59);
    const starts = [last, day(2), day(2), day(8), day(9), Date.UTC(2026, 11, 31)];
    for (const [at, startedAt] of starts.entries()) {
      await putRun(store, playedSegment(`chain-${at}`, errand({ tenant: 'acme' }), { startedAt }));
    }
    const counted = async (per: CostQuery['per']) => {
      const { groups } = await sum(store, { by: 'agent', per });
      return groups.map((group) => [group.period, 'chains' in group ? group.chains : null]);
    };
    expect(await counted('day')).toEqual([
      ['2026-11-01', 1],
      ['2026-11-02', 2],
      ['2026-11-08', 1],
      ['2026-11-09', 1],
      ['2026-12-31', 1],
    ]);
    // The second of November 2026 is a Monday.
    expect(await counted('week')).toEqual([
      ['2026-10-26', 1],
      ['2026-11-02', 3],
      ['2026-11-09', 1],
      ['2026-12-28', 1],
    ]);
    expect(await counted('month')).toEqual([
      ['2026-11-01', 5],
      ['2026-12-01', 1],
    ]);
  });

  it('sums up the calls of tools over all runs of a chain, without a run that a reset left behind', async () => {
    const store = await open();
    const first = prepared(agentOf());
    first.replied(asks(look(), poll()));
    first.after(500).returned('1.1');
    first.after(500).broke('1.2', toolFailure('ToolError'));
    const put = (play: Play, runId: string, previousRunId?: string) =>
      putRun(store, playedSegment('chain-1', play, { runId, ...(previousRunId ? { previousRunId } : {}) }));
    await put(first, 'first');
    await put(errand().after(5_000), 'left', 'first');
    await put(errand().after(9_000), 'last', 'first');
    const report = await sum(store, { by: 'tool' });
    expect(report).toEqual({
      by: 'tool',
      groups: [
        { period: null, name: 'look', calls: 2, failures: 0, durationMs: 600, costUsd: null },
        { period: null, name: 'poll', calls: 1, failures: 1, durationMs: 1_000, costUsd: null },
      ],
      total: { calls: 3, failures: 1, durationMs: 1_600, costUsd: null },
    });
    expect(await named(store, { by: 'tool', per: 'month' })).toEqual(['1970-01-01 look', '1970-01-01 poll']);
  });

  it('sums up what the models cost that calls of tools asked', async () => {
    const store = await open();
    for (const chainId of ['chain-1', 'chain-2']) {
      const play = prepared(agentOf({ tools: [llm('fast'), ...someTools] }));
      play.replied(asks({ tool: 'llm', input: { prompt: 'Why?' } }, look()));
      const use = { part: 0, model: 'fast-1', provider: 'some-provider', settle: 'usage', durationMs: 9 } as const;
      const uses = [{ ...use, usage: usage(500, 100) }];
      play.take({ type: 'toolReturned', call: '1.1', observation: { content: 'No.', clippedFrom: null, uses } });
      play.returned('1.2');
      play.replied(answers('Done.'));
      await putRun(store, playedSegment(chainId, play));
    }
    const { groups, total } = await sum(store, { by: 'tool' });
    expect(groups).toMatchObject([
      { name: 'llm', calls: 2, costUsd: 0.004 },
      { name: 'look', calls: 2, costUsd: null },
    ]);
    expect(total).toMatchObject({ calls: 4, costUsd: 0.004 });
  });

  it('books what was paid on the model that was called: a fallback, a role, a model that a tool asked', async () => {
    const store = await open();
    const search = tool('search', { cost: { kind: 'fee', usd: 0.02 } });
    const clerk = routedAgent({
      roles: { summarizer: 'local' },
      others: [strong, modelOf('local', { price: somePrice })],
      fallbacks: ['strong'],
      agent: { tools: [llm('asked'), search, ...someTools], limits: { steps: 2 } },
    });
    const play = prepared(clerk);
    play.failed(modelFailure('overloaded', { settle: 'usage', usage: usage(400, 0), route: routeTo('fast') }));
    play.replied(by('strong', asks({ tool: 'llm', input: { prompt: 'Why?' } }, { tool: 'search', input: {} })));
    const use = { part: 0, provider: 'some-provider', settle: 'usage', durationMs: 9 } as const;
    const observe = (call: string, uses: readonly ModelUse[]) =>
      play.take({ type: 'toolReturned', call, observation: { content: 'No.', clippedFrom: null, uses } });
    observe('1.1', [{ ...use, model: 'asked-1', usage: usage(500, 100) }]);
    observe('1.2', [{ ...use, model: null, usage: null, usd: 0.01 }]);
    play.replied(by('fast', asks(look())));
    play.returned('2.1');
    expect(play.modelCall.purpose).toBe('closing');
    play.replied(by('local', answers('A summary.'), { role: 'summarizer' }));
    await putRun(store, playedSegment('chain-1', play));
    await putRun(store, playedSegment('chain-2', errand()));
    const { groups, total } = await sum(store, { by: 'model' });
    const one = { period: null, chains: 1, running: 0, reservedTokens: 0, unpriced: 0 };
    expect(groups).toEqual([
      { ...one, name: 'strong', calls: 1, tokens: 1_100, costUsd: 0.03 },
      { ...one, name: null, calls: 1, tokens: 0, costUsd: 0.01 },
      { ...one, name: 'some-model', calls: 2, tokens: 2_200, costUsd: 0.006 },
      { ...one, name: 'fast', calls: 2, tokens: 1_500, costUsd: 0.0038 },
      { ...one, name: 'local', calls: 1, tokens: 1_100, costUsd: 0.003 },
      { ...one, name: 'asked', calls: 1, tokens: 600, costUsd: 0.002 },
    ]);
    const { steps: _, outcomes: __, ...whole } = (await sum(store, { by: 'agent' })).total as ChainFigures;
    expect(total).toEqual({ ...whole, calls: 8 });
    expect(whole).toMatchObject({ chains: 2, tokens: 6_500, costUsd: 0.0548 });
  });

  it('keeps the figures of erased chains, and ignores an erasure without a chain', async () => {
    const store = await open();
    await putRun(store, playedSegment('chain-1', errand({ tenant: 'acme' })));
    for (const chainId of ['chain-1', 'chain-2']) {
      await eraseChains(store, { chainId }, { namespace, by: null, now: 1 });
    }
    expect((await sum(store, {})).groups).toMatchObject([{ name: 'acme', chains: 1, costUsd: 0.006 }]);
    expect((await sum(store, { by: 'tool' })).total).toMatchObject({ calls: 1 });
    expect((await sum(store, { by: 'model' })).groups).toMatchObject([{ name: 'some-model', calls: 2 }]);
  });
});

describeStores(
  (open) => {
    it('sums up 10,000 chains in less than 300 ms', async () => {
      const store = await open();
      await fillArchive(store, 10_000);
      for (const by of costGroupings) {
        let fastestMs = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 5; round += 1) {
          const startedAt = performance.now();
          const { groups } = await sum(store, { by, since: 0, per: 'day' });
          fastestMs = Math.min(fastestMs, performance.now() - startedAt);
          expect(groups.length).toBeGreaterThan(6);
        }
        expect(fastestMs, `by ${by}`).toBeLessThan(300);
      }
    });
  },
  ['file'],
);

/** Copies of a chain, with three tools, for 40 tenants and 20 agents over a month. */
async function fillArchive(store: Store, chains: number): Promise<void> {
  await putRun(store, playedSegment('chain', errand()));
  const numbers = sql`with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < ${chains})`;
  await store.write(async (tx) => {
    await sql`insert into archive_chains (id, namespace, chain_id, last_run, agent, model, tenant, root, status, outcome,
        started_at, closed_at, steps, origin_steps, tokens, reserved_tokens, unpriced_tokens, cost_usd, facts, head)
      ${numbers} select n, namespace, chain_id || n, n, 'agent-' || (n % 20), model, 'tenant-' || (n % 40), root, status,
        outcome, ${day(1)} + n * 240000, closed_at, steps, origin_steps, tokens, reserved_tokens, unpriced_tokens, cost_usd, facts, head
      from numbers, archive_chains where id = 1`.execute(tx);
    await sql`insert into archive_runs (id, chain, run_id, closed, closed_at, facts_before, head_before, facts, head, turns,
        bytes, archived_at)
      ${numbers} select n, n, run_id, closed, closed_at, 0, '', facts, head, turns, bytes, archived_at
      from numbers, archive_runs where id = 1`.execute(tx);
    await sql`insert into archive_tools (run, tool, calls, failures, duration_ms)
      select archive_runs.id, tool.column1, 3, 1, 250 from archive_runs, (values ('read'), ('write'), ('search')) as tool`.execute(
      tx,
    );
    await sql`insert into archive_models (run, model, calls, tokens, reserved_tokens, unpriced_tokens, cost_usd)
      select archive_runs.id, called.column1, 3, 100, 0, 0, 0.01
      from archive_runs, (values ('fast'), ('strong')) as called where true on conflict do nothing`.execute(tx);
  });
  const { total } = await sum(store, {});
  expect(total).toMatchObject({ chains, costUsd: chains * 0.006 });
}

/** `longhand cost`: sums for people, spreadsheets and programs. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CostReportFlags, reportCosts } from '../../../src/cli/archive/cost.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { openStore } from '../../../src/store/db/open.js';
import { playedSegment } from '../../support/archived.js';
import { agentOf, answers, asks, look, someInput, unreadable } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';
import { printed } from '../../support/printed.js';
import { type Fresh, freshFile } from '../../support/stores.js';

const startedAt = Date.UTC(2026, 10, 2, 8);
let fresh: Fresh;
beforeEach(async () => {
  fresh = await freshFile();
  vi.stubEnv('LONGHAND_STORE', fresh.where);
  vi.stubEnv('TEMPORAL_NAMESPACE', '');
  const store = await openStore(fresh.where);
  const put = async (chainId: string, tenant: string | null, agent = agentOf(), usage = {}) => {
    const play = prepared(agent, { ...someInput, tenant });
    play.replied(asks(look()));
    play.after(2_500).returned('1.1');
    const reply = answers('Done.');
    play.replied({ ...reply, usage: { ...reply.usage!, ...usage } });
    await putRun(store, playedSegment(chainId, play, { startedAt }));
  };
  await put('a-1', '=acme');
  await put('a-2', '=acme', agentOf({ limits: { costUsd: null }, model: { price: null } }));
  await put('n-1', null, agentOf({ model: { maxTokens: 2_000 } }), { input: 0 });
  await store.close();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await fresh.remove();
});

const report = (flags: Partial<CostReportFlags> = {}) =>
  printed((terminal) => reportCosts(terminal, { by: 'tenant', ...flags }));

it('prints the sums with a total, and what is unknown about them', async () => {
  const { out } = await report();
  const [head, ...lines] = out.trimEnd().split('\n');
  expect(head?.split(/ +/)).toEqual(['TENANT', 'CHAINS', 'STEPS', 'TOKENS', 'COST']);
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['no tenant', '1', '2', '4,309', '$0.03'],
    ['=acme', '2', '4', '4,400', '$0.006'],
    ['total', '3', '6', '8,709', '$0.03'],
    ['Price unknown: 1 chain. Tokens are included, the cost is not.'],
    [expect.stringMatching(/^Reservations: 3,209 tokens, charged for calls that reported no plausible usage/)],
  ]);
});

it('prints a table for spreadsheets, without formulas', async () => {
  const { out } = await report({ csv: true, per: 'week' });
  const [head, ...rows] = out.trimEnd().split('\r\n');
  expect(head).toBe('week,tenant,chains,steps,tokens,cost_usd,reserved_tokens,chains_without_price,running_chains');
  expect(rows[1]).toBe("2026-11-02,'=acme,2,4,4400,0.006,0,1,0");
  await expect(report({ until: 'soon' })).rejects.toThrow(matchError('usage', '--until soon'));
  await expect(report({ csv: true, json: true })).rejects.toThrow(matchError('usage', 'cannot be combined'));
});

it('prints how chains ended, by strategy and by plan template', async () => {
  const store = await openStore(fresh.where);
  const failed = prepared(agentOf());
  for (let reply = 0; reply < 3; reply++) failed.replied(unreadable());
  await putRun(store, playedSegment('f-1', failed, { startedAt }));
  await store.close();
  const { out } = await report({ by: 'strategy' });
  const [head, ...lines] = out.trimEnd().split('\n');
  expect(head?.split(/ +/)).toEqual(['STRATEGY', 'CHAINS', 'SUCCESS', 'STEPS', 'TOKENS', 'COST', 'OUTCOMES']);
  expect(lines[0]?.split(/ {2,}/)).toEqual([
    'tools',
    '4',
    '75 %',
    '9',
    expect.any(String),
    expect.any(String),
    'failure 1',
  ]);
  const [heads = '', row = ''] = (await report({ by: 'template', csv: true })).out.split('\r\n');
  const cells = Object.fromEntries(heads.split(',').map((name, at) => [name, row.split(',')[at]]));
  expect(cells).toMatchObject({ template: '', chains: '4', ended: '4', success: '3', failure: '1', stalled: '0' });
  expect(Number(cells.success_rate)).toBe(0.75);
});

it('prints JSON with the query, and the calls of tools', async () => {
  const { out } = await report({ json: true, by: 'tool', since: '2026-11-01', per: 'month' });
  const figures = { calls: 3, failures: 0, durationMs: 7_500, costUsd: null };
  expect(JSON.parse(out)).toEqual({
    by: 'tool',
    per: 'month',
    since: '2026-11-01T00:00:00.000Z',
    until: null,
    groups: [{ period: '2026-11-01', name: 'look', ...figures }],
    total: figures,
  });
  expect((await report({ by: 'tool', per: 'month' })).out).toMatch(/2026-11 +look +3 +0 +7\.5 s/);
  expect((await report({ until: '2026-11-01' })).out).toBe('No archived chain matches.\n');
});

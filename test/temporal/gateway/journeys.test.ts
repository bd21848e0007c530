/** Journeys of people who reach chains over HTTP alone: a user watches, an auditor explains, a user chooses a simpler view. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { WatchEvent } from '../../../src/entries/client.js';
import type { Scope } from '../../../src/entries/http.js';
import type { Store } from '../../../src/entries/store.js';
import type { ReasoningView } from '../../../src/entries/view.js';
import { type Agent, defineAgent, defineTool } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { type TestGateway, withGateway } from '../../support/gateway.js';
import { createKey } from '../../support/gateway-keys.js';
import type { Script } from '../../support/messages-server.js';
import { reacts } from '../../support/reacting-model.js';
import type { CompleteReply } from '../../support/scripted-reply.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';

const file = useFileStore();

const queryReports = defineTool({
  name: 'expense_reports',
  description: 'Queries expense reports',
  kind: 'database',
  inputSchema: z.object({ where: z.string() }),
  effects: 'read',
  view: { summary: 'Found {count} reports, total {total}' },
  execute: () => ({ count: 47, total: 23_450, reports: [{ id: 4521, amount: 4_200, employee: 'ana.lopez@acme.com' }] }),
});
const auditor = defineAgent({
  name: 'expense_auditor',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [queryReports],
  limits: { steps: 12 },
});

const checkCredit = defineTool({
  name: 'credit_check',
  description: 'Returns a credit score',
  inputSchema: z.object({ applicant: z.number() }),
  effects: 'read',
  execute: () => ({ score: 580 }),
});
const decideRisk = defineTool({
  name: 'risk_assessment',
  description: 'Computes a risk level',
  kind: 'skill',
  inputSchema: z.object({ score: z.number(), debtToIncome: z.number() }),
  effects: 'read',
  execute: () => ({ level: 'HIGH' }),
});
const loanOfficer = defineAgent({
  name: 'loan_officer',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [checkCredit, decideRisk],
});

const call = (text: string, name: string, input: Record<string, string | number>): CompleteReply => ({
  text,
  calls: [{ name, input }],
});

async function withAgents(
  agent: Agent,
  replies: Script,
  use: (gateway: TestGateway, test: ChainTest & { readonly store: Store }) => Promise<void>,
): Promise<void> {
  const { store } = file;
  await withWorker({ agents: [agent], replies, worker: { store } }, async (test) => {
    const connection = { address: getTemporalAddress(), taskQueue: test.taskQueue };
    await withGateway({ connection, store, authentication: { keys: true } }, (gateway) =>
      use(gateway, { ...test, store }),
    );
  });
}

const keyOf = (
  store: Store,
  scopes: readonly Scope[],
  more: { readonly views?: readonly string[]; readonly user?: string; readonly reach?: 'all' } = {},
) => createKey(store, { tenant: 'acme', scopes, ...more });

describe('a finance manager watches a sensitive operation', () => {
  it('sees each step while it runs, as a line, with progress, and an answer with its reasons', async () => {
    const replies = reacts(
      {
        needs: ['Queries expense reports', 'Review all expense reports of Q3'],
        until: '4521',
        reply: call('I query the reports of the third quarter.', 'expense_reports', { where: "quarter='Q3'" }),
      },
      {
        needs: ['4200'],
        reply: { text: 'FLAGGED: report 4521, a dinner for $4,200, is 8 times the usual amount of this employee.' },
      },
    );
    await withAgents(auditor, replies, async (gateway, { store }) => {
      const manager = gateway.connect(await keyOf(store, ['start', 'read'], { user: 'maria' }));
      const { chainId } = await manager.startChain({
        agent: 'expense_auditor',
        task: 'Review all expense reports of Q3.',
      });
      const events: WatchEvent[] = [];
      for await (const { data } of manager.followChain({ chainId })) events.push(data as WatchEvent);
      expect(events.map(({ type }) => type)).toEqual([
        'view-opened',
        ...Array(events.length - 2).fill('step-changed'),
        'view-completed',
      ]);
      const steps = events.flatMap((event) => (event.type === 'step-changed' ? [event] : []));
      expect(steps.some(({ progress }) => progress.some((line) => line.includes('of at most 12')))).toBe(true);
      const text = JSON.stringify(events);
      expect(text).toContain('Found 47 reports, total 23,450');
      expect(text).toContain('FLAGGED: report 4521');
      // A line has no data of the result, and masked data nowhere.
      expect(text).not.toContain('ana.lopez@acme.com');
    });
  });

  it('gets the same steps as documented reasoning events', async () => {
    const replies = [call('I query the reports.', 'expense_reports', { where: 'all' }), { text: 'Nothing to flag.' }];
    await withAgents(auditor, replies, async (gateway, { store }) => {
      const developer = gateway.connect(await keyOf(store, ['start', 'read'], { views: ['developer'] }));
      const { chainId } = await developer.startChain({ agent: 'expense_auditor', task: 'Review.' });
      const events: string[] = [];
      for await (const { data } of developer.followReasoning({ chainId })) {
        expect(data.task_id).toBe(chainId);
        if (data.type === 'reasoning') expect(data.step.visibility.level).toBe('full');
        events.push(`${data.type === 'reasoning' ? data.step.type : data.type} ${data.chain_status}`);
      }
      expect(events).toEqual([
        ...['thinking tool_calling', 'tool_call tool_calling', 'tool_result thinking'],
        ...['synthesis completed', 'view-completed completed'],
      ]);
    });
  });
});

describe('a compliance officer explains a decision', () => {
  it('finds the decisions, reads one in full, which is recorded, and exports a report and a file that verifies', async () => {
    const replies = reacts(
      {
        needs: ['Returns a credit score', '78291'],
        until: '580',
        reply: call('Credit first.', 'credit_check', { applicant: 78_291 }),
      },
      {
        needs: ['Computes a risk level', 'debtToIncome'],
        until: 'HIGH',
        reply: call('The score is below 620.', 'risk_assessment', { score: 580, debtToIncome: 0.48 }),
      },
      { reply: { text: 'Recommendation = DENY: credit score < 620, debt to income > 0.43.' } },
    );
    await withAgents(loanOfficer, replies, async (gateway, { store }) => {
      const service = gateway.connect(await keyOf(store, ['start', 'read']));
      const { chainId } = await service.startChain({ agent: 'loan_officer', task: 'Review application 78291.' });
      await service.getResult({ chainId, wait: 30 });
      const officer = gateway.connect(
        await keyOf(store, ['read', 'audit'], { views: ['auditor'], user: 'olga', reach: 'all' }),
      );
      await expect
        .poll(async () =>
          (await officer.searchChains({ agent: 'loan_officer', text: 'application' })).items.map((row) => row.chainId),
        )
        .toEqual([chainId]);
      const chain: ReasoningView = await officer.getChain({ chainId });
      const tools = chain.steps.flatMap((step) =>
        step.level === 'full' && step.kind === 'tool_call' ? [step.tool] : [],
      );
      expect(tools).toEqual(['credit_check', 'risk_assessment']);
      expect(chain.answer).toContain('DENY');
      const report = await (await officer.exportChain({ chainId })).text();
      expect(report).toContain('risk_assessment');
      const exported = await (await officer.exportChain({ chainId, format: 'json' })).text();
      expect(JSON.parse(exported)).toMatchObject({ chainId });
      const log = await officer.queryAudit({ chainId, type: 'content_viewed' });
      expect(log.items.map(({ entry }) => entry.who?.by)).toContain('olga');
      expect(log.items.length).toBeGreaterThanOrEqual(3);
    });
  });
});

describe('a user finds the view too detailed', () => {
  it('switches thoughts off, sees the simpler view from then on, and still opens single steps', async () => {
    const replies = reacts(
      {
        needs: ['expense_reports'],
        until: '47',
        reply: call('A thought in detail.', 'expense_reports', { where: 'all' }),
      },
      { reply: { text: 'Done.' } },
    );
    await withAgents(auditor, replies, async (gateway, { store }) => {
      const user = gateway.connect(await keyOf(store, ['start', 'read'], { user: 'tom' }));
      const { chainId } = await user.startChain({ agent: 'expense_auditor', task: 'Review.' });
      await user.getResult({ chainId, wait: 30 });
      const list = (view: ReasoningView) =>
        view.steps.filter(({ level }) => level !== 'hidden').map(({ kind }) => kind);
      const before = list(await user.getChain({ chainId }));
      expect(before).toContain('thinking');
      const all = await user.getPreferences({});
      await user.putPreferences({ ...all, thinking: false });
      expect(await user.getPreferences({})).toEqual({ ...all, thinking: false });
      expect(list(await user.getChain({ chainId }))).not.toContain('thinking');
      expect(list(await user.getChain({ chainId, expand: 'all' }))).toContain('thinking');
    });
  });
});

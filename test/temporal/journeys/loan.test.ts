/**
 * A compliance officer audits a loan: the written policy of the worker names the sources that may be used and the factors that may
 * not. Both models answer from their request alone: without the policy or its reasons in it, they make the mistake.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openStore } from '../../../src/entries/store.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import type { Script } from '../../support/messages-server.js';
import { sendCommand } from '../../support/people.js';
import { getTemporalAddress } from '../../support/temporal.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-loan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const applicant = z.object({ applicant_id: z.number() });
const ran: string[] = [];
const source = (name: string, result: object, kind = 'external') =>
  defineTool({
    ...{ name, kind, description: `Returns the ${name.replaceAll('_', ' ')} of an applicant`, inputSchema: applicant },
    effects: 'read',
    execute: () => {
      ran.push(name);
      return { ...result };
    },
  });

const loanOfficer = defineAgent({
  name: 'loan_officer',
  model: 'claude-sonnet-5-5',
  tools: [
    source('neighbourhood_statistics', { average_income: 21_000 }),
    source('credit_check', { score: 580 }),
    source('income_verification', { annual_income: 42_000 }),
    source('debt_calculator', { debt_to_income: 0.48 }),
    source('risk_assessment', { risk_level: 'HIGH' }, 'skill'),
  ],
});

const text = `Approved sources: credit_check, income_verification, debt_calculator, risk_assessment.
Prohibited factor: the neighbourhood of the applicant.
An answer for more than 100,000 euros needs a person.`;

/** The model of the policy knows the policy only from its request. */
function judge(system: string, sent: string): object {
  const source = /Call [\d.]+ of the step: <text-\w+>\n(\w+)/.exec(sent)?.[1];
  const approved = /Approved sources: ([^.]+)\./.exec(system)?.[1] ?? '';
  if (source !== undefined && !approved.includes(source))
    return { verdict: 'deny', reasons: [`${source} is no approved source.`] };
  const answer = sent.split('Answer of the step: ')[1] ?? '';
  if (system.includes('Prohibited factor: the neighbourhood') && answer.includes('neighbourhood'))
    return { verdict: 'deny', reasons: ['The neighbourhood is a prohibited factor.'] };
  if (system.includes('100,000 euros needs a person') && answer.includes('250,000'))
    return { verdict: 'ask', reasons: ['It is for more than 100,000 euros.'] };
  return { verdict: 'allow', reasons: ['Approved sources only.'] };
}

/** The agent's model takes the easy way until its request has a reason against it. */
const reply: Script = ({ body }) => {
  const [system, sent] = [JSON.stringify(body.system), JSON.stringify(body.messages)];
  if (system.includes('written policy')) {
    const policyText = (body.system as readonly { readonly text: string }[]).map((block) => block.text).join('\n');
    return { text: JSON.stringify(judge(policyText, JSON.parse(sent).at(-1).content.at(-1).text)) };
  }
  const call = (name: string, why: string) => ({ text: why, calls: [{ name, input: { applicant_id: 78_291 } }] });
  if (!sent.includes('neighbourhood_statistics is no approved source'))
    return call('neighbourhood_statistics', 'The neighbourhood matters.');
  if (!sent.includes('580')) return call('credit_check', 'I need the credit score.');
  if (!sent.includes('42000')) return call('income_verification', 'Credit score is below threshold (620).');
  if (!sent.includes('0.48')) return call('debt_calculator', 'I compare the debt with the income.');
  if (!sent.includes('HIGH')) return call('risk_assessment', 'DTI ratio exceeds maximum (0.43).');
  const amount = sent.includes('250,000') ? '250,000 euros: ' : '';
  return sent.includes('is a prohibited factor')
    ? { text: `${amount}DENY: credit_score < 620, DTI > 0.43` }
    : { text: `${amount}DENY: a bad neighbourhood` };
};

const worker = { approvals: { policy: { text, model: 'claude-haiku-5-5' } } };

it('the chain, the audit log and its report prove that approved sources were used and no prohibited factor', async () => {
  ran.splice(0);
  const where = join(folder, 'store.db');
  const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: where };
  const store = await openStore(where);
  await withWorker(
    { agents: [loanOfficer], replies: reply, worker: { ...worker, store } },
    async ({ longhand, models }) => {
      const chain = await longhand.start(loanOfficer, 'Loan Application Review - Application #78291', {
        tenant: 'bank',
      });
      expect(await chain.result()).toMatchObject({
        outcome: 'success',
        answer: 'DENY: credit_score < 620, DTI > 0.43',
        steps: 7,
      });
      expect(ran).toEqual(['credit_check', 'income_verification', 'debt_calculator', 'risk_assessment']);
      const { notices, steps, state } = await chain.read();
      const denied = { step: 1, verdict: 'deny', asked: { call: 'aside-1', model: 'claude-haiku-5-5' } };
      const checks = notices.filter(({ code }) => code === 'policy_checked');
      expect(checks.map(({ verdict }) => verdict)).toEqual([
        'deny',
        'allow',
        'allow',
        'allow',
        'allow',
        'deny',
        'allow',
      ]);
      expect(checks[0]).toMatchObject({ ...denied, text: expect.stringContaining('is no approved source') });
      expect(steps[0]?.calls[0]).toMatchObject({ status: 'denied' });
      expect(state.modelTotals.map(({ model, calls }) => [model, calls])).toEqual([
        ['claude-sonnet-5-5', 7],
        ['claude-haiku-5-5', 7],
      ]);
      expect(models.rejected).toEqual([]);
      expect(await chain.readPrompt('aside-1', createViewer('auditor'))).toMatchObject({
        ...{ kind: 'sent', purpose: 'policy', proof: 'proven' },
      });
      const shown = await longhandHere(['chain', 'show', chain.chainId], env);
      expect(shown.stdout).toContain('The written policy denies the step. The neighbourhood is a prohibited factor.');
      await expect
        .poll(async () => (await longhandHere(['audit', 'query', '--tenant', 'bank', '--json'], env)).stdout, {
          timeout: 30_000,
        })
        .toContain('chain_ended');
      const report = await longhandHere(['audit', 'export', '--chain', chain.chainId, '--format', 'markdown'], env);
      expect(report.stdout).toContain('### Written policy');
      expect(report.stdout).toMatch(/\| 1 +\| deny +\| .*neighbourhood_statistics is no approved source/);
      expect(report.stdout).toMatch(/\| 6 +\| deny +\| .*prohibited factor/);
      expect(report.stdout).toContain('[TOOL: credit_check] applicant_id=78291 -> score=580');
    },
  );
  await store.close();
});

it('an answer that the policy leaves to a person waits for one', async () => {
  await withWorker({ agents: [loanOfficer], replies: reply, worker }, async ({ longhand }) => {
    const chain = await longhand.start(loanOfficer, 'Loan of 250,000 euros, application #78291');
    await expect
      .poll(async () => (await chain.read()).state.paused?.reason ?? '', { timeout: 30_000 })
      .toContain('100,000');
    await sendCommand(longhand, chain.chainId, 'resume', { by: 'ana', reason: 'I agree.' });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: expect.stringContaining('DENY') });
  });
});

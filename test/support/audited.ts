/** Chains for the audit log, and exports of a log. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyExport, type Witnesses } from '../../src/core/audit/verify-export.js';
import { foldRecordedTurns } from '../../src/core/engine/fold-turns.js';
import type { Store } from '../../src/entries/store.js';
import { auditRun } from '../../src/store/audit/audit-run.js';
import { type AuditExportOptions, prepareExport, writeExport } from '../../src/store/audit/export.js';
import { type AuditKey, createAuditKey, createSignatureCheck } from '../../src/store/audit/key.js';
import { aRun } from './audit.js';
import { agentOf, answers, asks, look, someInput, tool } from './core-builders.js';
import { decides, needs, rules, steers } from './core-people.js';
import { type Play, prepared } from './core-play.js';

export interface Loan {
  readonly tenant?: string | null;
  readonly task?: string;
}

/** A loan application: checked with three tools, and denied after an approval. */
export function loan({ tenant = 'acme', task = 'Review loan application 78291.' }: Loan = {}): Play {
  const agent = agentOf({
    name: 'loan_officer',
    instructions: 'Review the application by the policy. Deny above a debt-to-income ratio of 0.43.',
    tools: [
      tool('credit_check', { kind: 'api' }),
      tool('income_verification'),
      tool('risk_assessment', { kind: 'skill' }),
      tool('record_decision', { effects: 'unsafe', attempts: 1 }),
      tool('social_media_search'),
    ],
  });
  const play = prepared(agent, { ...someInput, agent: 'loan_officer', tenant, user: 'eve', roles: ['clerk'], task });
  play.replied(asks({ tool: 'credit_check', input: { applicant_id: 78_291 } }));
  play.after(2_000).returned('1.1', { score: 580 });
  const second = asks({ tool: 'income_verification', input: {} }, { tool: 'risk_assessment', input: { dti: 0.48 } });
  play.replied({
    ...second,
    reading: { ...second.reading, thought: 'The credit score is below the threshold (620).' },
  });
  play.returned('2.1', { annual_income: 42_000 });
  play.returned('2.2', { risk_level: 'HIGH' });
  play.take(steers('Mind the policy of | June `2026`.', { by: 'ana' }));
  const third = needs([rules({ roles: ['credit'], reason: 'It is final.' })], {
    tool: 'record_decision',
    input: { decision: 'DENY', reason: '=cmd()' },
  });
  play.replied({ ...third, reading: { ...third.reading, thought: 'The DTI ratio exceeds the maximum (0.43).' } });
  play.take(decides('3.1', { kind: 'approve' }, { by: 'ana', roles: ['credit'], reason: 'As the policy requires.' }));
  play.returned('3.1', 'Recorded — Zürich "78291"\n\u2028end');
  play.replied(answers('Recommendation: DENY, based on credit_score < 620 and DTI > 0.43.'));
  return play;
}

/** A short chain next to the loan application. */
export function errand(tenant: string | null = 'acme'): Play {
  const play = prepared(agentOf(), { ...someInput, tenant });
  play.replied(asks(look()));
  play.returned('1.1');
  play.replied(answers('Done.'));
  return play;
}

export async function auditChain(store: Store, chainId: string, play: Play): Promise<void> {
  const run = {
    ...aRun,
    chainId,
    runId: `run of ${chainId}`,
    turns: foldRecordedTurns(play.turns).turns,
    before: null,
  };
  await store.write((tx) => auditRun(tx, run));
}

export function someKey(): AuditKey {
  return createAuditKey(join(mkdtempSync(join(tmpdir(), 'longhand-key-')), 'audit.pem'));
}

export const exportNow = 1_760_000_000_000;

/** Returns the files of an export by name. */
export async function exportOf(
  store: Store,
  key: AuditKey | null,
  filter: Partial<AuditExportOptions['filter']> = {},
): Promise<Map<string, string>> {
  const options: AuditExportOptions = {
    filter: { namespace: 'default', ...filter },
    format: 'jsonl',
    who: { by: 'ana', roles: [] },
    at: exportNow,
    longhand: '0.1.0',
    key,
    prompts: null,
  };
  const files = new Map<string, string>();
  const logs = await prepareExport(store, options);
  await writeExport(store, logs, options, (file, text) => void files.set(file, (files.get(file) ?? '') + text));
  return files;
}

export function verified(
  files: ReadonlyMap<string, string>,
  trusted: readonly string[] | null = null,
  { keys: more = {}, ...witnesses }: Witnesses & { readonly keys?: Readonly<Record<string, string>> } = {},
) {
  return verifyExport(files, ({ keys }) => createSignatureCheck({ ...more, ...keys }, trusted), undefined, witnesses);
}

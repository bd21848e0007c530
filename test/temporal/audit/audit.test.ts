/** The audit log of a chain on a real server is derived from its history, is verified, and names readers of unmasked content. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { openStore } from '../../../src/entries/store.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { auditRun } from '../../../src/store/audit/audit-run.js';
import { queryAudit } from '../../../src/store/audit/read.js';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { acts, answers } from '../../support/react-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-audit-chain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a person up',
  inputSchema: z.object({ name: z.string(), ssn: z.string().meta({ sensitive: true }) }),
  effects: 'read',
  audit: 'full',
  execute: ({ ssn }) => ({ score: 580, ssn }),
});
const clerk = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'react', tools: [lookUp] });

it('the audit log of a chain has its events, is verified, and records who read unmasked content', async () => {
  const lookUpReply = acts('I look her up.', 'look_up', { name: 'Ada', ssn: 'SSN-471-11' });
  const where = join(folder, 'store.db');
  await withWorker(
    { agents: [clerk], replies: [lookUpReply, answers('That is enough.', 'Deny.')] },
    async ({ longhand }) => {
      const chain = await longhand.start(clerk, 'May Ada have a loan?', { tenant: 'acme', user: 'eve' });
      await chain.result();
      const recorded = await readRecordedChain(await resolveChainSource(longhand.client, chain.chainId));
      const [run] = recorded.runs;
      if (run === undefined) throw new Error('The chain has no run.');
      const { turns } = foldRecordedTurns(run.turns);
      const store = await openStore(where);
      const auditedRun = { namespace: 'default', chainId: chain.chainId, ...run, turns, before: null };
      expect(await store.write((tx) => auditRun(tx, auditedRun))).toBe(7);
      const { entries } = await queryAudit(store.db, { tenant: 'acme' }, { limit: 10 });
      expect(entries.map(({ entry }) => entry.type).toReversed()).toEqual([
        'chain_started',
        'agent_prepared',
        'model_called',
        'tool_called',
        'tool_ended',
        'model_called',
        'chain_ended',
      ]);
      const contents = JSON.stringify(entries.map(({ contents }) => contents));
      expect(contents).toContain('Ada');
      expect(contents).not.toContain('SSN-471-11');
      expect(entries[0]?.entry).toMatchObject({ what: { outcome: 'success', head: recorded.chain.state.head } });
      await store.close();

      const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: where };
      const show = (role: string) => longhandHere(['chain', 'show', chain.chainId, '--as', role], env);
      expect(await show('developer')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('SSN-471-11') });
      expect(await show('auditor')).toMatchObject({ code: 0, stdout: expect.stringContaining('SSN-471-11') });
      const rejected = await longhandHere(['chain', 'show', chain.chainId, '--as', 'auditor'], {
        ...env,
        LONGHAND_STORE: 'postgres://127.0.0.1:1/none',
      });
      expect(rejected).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Nothing is shown') });
      const queried = await longhandHere(['audit', 'query', '--type', 'content_viewed', '--json'], env);
      expect(JSON.parse(queried.stdout)).toMatchObject({
        tenant: 'acme',
        chainId: chain.chainId,
        agent: 'clerk',
        what: { role: 'auditor', command: 'chain show' },
      });
      const again = await openStore(where);
      expect(await verifyStore(again, 'default', null)).toMatchObject({ findings: [], entries: 8 });
      await again.close();
    },
  );
});

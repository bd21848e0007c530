/** Reads of unmasked content over HTTP and in a terminal: each chain that is shown is an entry of the audit log. */

import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { callAgent, createActor, delegateOnce, playRoles } from '../../support/delegating.js';
import { withGateway } from '../../support/gateway.js';
import { createKey } from '../../support/gateway-keys.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';

const file = useFileStore();

const clerk = createActor('clerk');
const expert = createActor('expert', { tools: [clerk] });
const lead = createActor('lead', { tools: [expert] });
const replies = playRoles({
  lead: delegateOnce(callAgent('expert')),
  expert: delegateOnce(callAgent('clerk')),
  clerk: () => ({ text: 'Found.' }),
});

it('records the sub-chains that a view or an export shows unmasked, at every depth, and no others', async () => {
  const { store, where } = file;
  await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
    const root = await longhand.start('lead', 'Find tea', { tenant: 'acme' });
    await root.result();
    const { chainId } = root;
    await withGateway({ longhand, store, authentication: { keys: true } }, async ({ connect }) => {
      const readAs = async (by: string, views: readonly string[]) =>
        connect(await createKey(store, { tenant: 'acme', user: by, reach: 'all', scopes: ['read', 'audit'], views }));
      const listViewed = async (by: string) => {
        const log = await (await readAs('olga', ['end_user'])).queryAudit({ type: 'content_viewed', person: by });
        return log.items.map(({ entry }) => [entry.chainId, entry.tenant, entry.agent]).reverse();
      };
      const shown = [
        [chainId, 'acme', 'lead'],
        [`${chainId}/1.1`, 'acme', 'expert'],
        [`${chainId}/1.1/1.1`, 'acme', 'clerk'],
      ];
      const flat = await readAs('flat', ['auditor']);
      await flat.getChain({ chainId });
      expect(await listViewed('flat')).toEqual(shown.slice(0, 1));
      const near = await readAs('near', ['auditor']);
      await near.getChain({ chainId, depth: 1 });
      expect(await listViewed('near')).toEqual(shown.slice(0, 2));
      const deep = await readAs('deep', ['auditor']);
      await deep.getChain({ chainId, depth: 10 });
      expect(await listViewed('deep')).toEqual(shown);
      const exporting = await readAs('exporting', ['auditor']);
      await exporting.exportChain({ chainId });
      expect(await listViewed('exporting')).toEqual(shown);
      const masked = await readAs('masked', ['developer']);
      await masked.getChain({ chainId, depth: 10 });
      expect(await listViewed('masked')).toEqual([]);
      const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: where };
      const printed = await longhandHere(['chain', 'show', chainId, '--as', 'auditor', '--depth', '10'], env);
      expect([printed.code, printed.stderr]).toEqual([0, '']);
      expect(await listViewed(userInfo().username)).toEqual(shown);
    });
  });
});

/** A chain that was not started by the client is sealed for its tenant as well: the worker learns the tenant from the start. */

import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { expect, it } from 'vitest';
import { isSealed } from '../../../src/contract/payloads.js';
import { createFixedKeySource } from '../../../src/encryption/master-keys.js';
import { createSealer } from '../../../src/encryption/sealer.js';
import { connect, type MasterKeys } from '../../../src/entries/client.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { ownActivities } from '../../support/own-agents.js';
import { createPayingAgent, done } from '../../support/paying-agent.js';
import { getTemporalAddress } from '../../support/temporal.js';

const encryption: MasterKeys = { current: 'k', keys: { k: { key: randomBytes(32).toString('base64') } } };
const sealer = createSealer(createFixedKeySource(encryption));

interface FoundPayload {
  readonly event: number;
  readonly tenant: string | null;
}

/** Returns all sealed payloads of a history, wherever they are in its events. */
function listSealed(value: unknown, event: number): readonly FoundPayload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  const payload = value as Payload;
  if (payload.metadata != null && payload.data != null)
    return isSealed(payload) ? [{ event, tenant: sealer.open(payload.data).tenant }] : [];
  return Object.values(value).flatMap((each) => listSealed(each, event));
}

async function withPlainClient(body: (client: Client) => Promise<void>): Promise<void> {
  const connection = await Connection.connect({ address: getTemporalAddress() });
  await body(new Client({ connection })).finally(() => connection.close());
}

async function readSealed(client: Client, chainId: string): Promise<readonly FoundPayload[]> {
  const { events } = await client.workflow.getHandle(chainId).fetchHistory();
  return (events ?? []).flatMap((event, at) => listSealed(event, at + 1));
}

const { agent } = createPayingAgent();
const worker = {
  workflowsPath: fileURLToPath(new URL('../../support/own-workflows.ts', import.meta.url)),
  activities: ownActivities,
  encryption,
};
const withSealingWorker = (body: (test: ChainTest) => Promise<void>) =>
  withWorker({ agents: [agent], replies: [done], worker }, body);

it('a chain that another language starts with plain JSON is sealed for its tenant after the start', async () => {
  await withSealingWorker(async ({ taskQueue }) => {
    await withPlainClient(async (client) => {
      const workflowId = `plain-${randomUUID()}`;
      const input = { agent: 'payer', task: 'Confirm that all is done.', tenant: 'acme' };
      const started = await client.workflow.start('agent', { workflowId, taskQueue, args: [input] });
      await expect.poll(async () => (await started.describe()).status.name).toBe('COMPLETED');
      const found = await readSealed(client, workflowId);
      expect(found.length).toBeGreaterThan(3);
      expect(found.filter(({ tenant }) => tenant !== 'acme')).toEqual([]);
    });
  });
});

it('a chain that a workflow of the user runs is sealed for its tenant, the input of its start included', async () => {
  await withSealingWorker(async ({ taskQueue }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue, encryption });
    try {
      const chainId = `chain-${randomUUID()}`;
      const own = await longhand.client.workflow.start('runOne', {
        ...{ taskQueue, workflowId: `own-${randomUUID()}` },
        args: ['payer', 'Confirm that all is done.', { chainId, tenant: 'acme' }],
      });
      expect(await own.result()).toMatchObject({ outcome: 'success' });
      await withPlainClient(async (client) => {
        const found = await readSealed(client, chainId);
        const { events } = await client.workflow.getHandle(chainId).fetchHistory();
        const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
        expect(listSealed(input, 1)).toEqual([{ event: 1, tenant: 'acme' }]);
        const later = found.filter(({ event }) => event > 1);
        expect(later.length).toBeGreaterThan(3);
        expect(later.filter(({ tenant }) => tenant !== 'acme')).toEqual([]);
      });
    } finally {
      await longhand.close();
    }
  });
});

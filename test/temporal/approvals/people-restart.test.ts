/** The server restarts between sending and accepting a decision: the decision is not lost and is accepted once. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startDevServer } from '../../../src/cli/server/dev-server.js';
import { connect } from '../../../src/entries/client.js';
import { expectOneTruth } from '../../support/chain-test.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { calls, createPayingAgent, done, pay } from '../../support/paying-agent.js';
import { waitForRequests } from '../../support/people.js';
import { startWorkerAt } from '../../support/worker-at.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-restart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { agent, payments } = createPayingAgent();

it('a restart of the server between sending and accepting loses no decision', async () => {
  const dbFile = join(folder, 'temporal.db');
  const models = await startMessagesServer([calls(pay('Ada')), done]);
  let server = await startDevServer({ headless: true, dbFile });
  const port = Number(server.address.split(':')[1]);
  const longhand = await connect({ address: server.address });
  let running = await startWorkerAt(server.address, agent, models.url);
  try {
    const chain = await longhand.start(agent, 'Pay');
    await waitForRequests(longhand, chain.chainId, '1.1');
    await running.stop();

    const approving = chain.approve('1.1', { by: 'ana' });
    const handle = longhand.client.workflow.getHandle(chain.chainId);
    // The server has the decision, and no worker runs.
    await expect.poll(async () => (await handle.describe()).raw.pendingWorkflowTask ?? null).not.toBeNull();
    await server.stop();
    server = await startDevServer({ headless: true, dbFile, port });
    expect(await approving).toMatchObject({ status: 'sent' });
    expect(payments).toEqual([]);

    running = await startWorkerAt(server.address, agent, models.url);
    expect((await chain.result()).outcome).toBe('success');
    expect(payments).toEqual(['Ada 5']);
    const [call] = (await chain.read()).steps[0]?.calls ?? [];
    expect(call?.requests).toMatchObject([{ decisions: [{ kind: 'approved', by: 'ana' }] }]);
    await expectOneTruth(longhand, chain);
  } finally {
    await running.stop();
    await longhand.close();
    await server.stop();
    await models.close().catch(() => {});
  }
});

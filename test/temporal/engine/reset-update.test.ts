/** L1 after a reset in Temporal: commands of the earlier run are applied again in the new one, also by readers. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { messageNames } from '../../../src/contract/names.js';
import { connect } from '../../../src/entries/client.js';
import { defineAgent } from '../../../src/index.js';
import { expectOneTruth, withWorker } from '../../support/chain-test.js';
import { resetToStart } from '../../support/reset.js';
import { formatStopText } from '../../support/stop-text.js';
import { getTemporalAddress } from '../../support/temporal.js';

const agent = defineAgent({ name: 'talker', model: 'claude-sonnet-5-5', strategy: 'tools' });

it('a cancel by update is applied again after a reset, by the workflow and by readers', async () => {
  const replies = [{ hang: true, afterEvents: 1 }] as const;
  await withWorker({ agents: [agent], replies }, async ({ taskQueue, models }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue });
    const { chainId } = await longhand.start(agent, 'Talk');
    await expect.poll(() => models.requests.length).toBe(1);
    const handle = longhand.client.workflow.getHandle(chainId);
    await handle.executeUpdate(messageNames.cancel, { args: [{ id: randomUUID(), by: 'Ada', reason: 'enough' }] });

    await resetToStart(longhand, chainId);
    const again = longhand.getHandle(chainId);
    await expect.poll(async () => formatStopText((await again.read()).state)).toBe('Cancelled by Ada: enough.');
    await handle.cancel();
    expect(await again.result()).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
    await expectOneTruth(longhand, again);
    await longhand.close();
  });
});

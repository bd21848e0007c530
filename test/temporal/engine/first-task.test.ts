/** L1: commands that arrive before the first task of a chain are applied in their order. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { done } from '../../support/paying-agent.js';
import { sendCommand, sendSignal } from '../../support/people.js';

const agent = defineAgent({ name: 'listener', model: 'claude-sonnet-5-5', strategy: 'tools' });

it('signals of several names that arrive before the first task keep their order', async () => {
  await withWorker({ agents: [agent], replies: [done] }, async ({ longhand, worker, startWorker }) => {
    await worker.stop();
    const chainId = `chain-${randomUUID()}`;
    const chain = await longhand.start(agent, 'Listen', { chainId });
    await sendSignal(longhand, chainId, 'pause');
    await sendSignal(longhand, chainId, 'steer', { text: 'One' });
    await sendSignal(longhand, chainId, 'resume');
    await sendSignal(longhand, chainId, 'pause', { at: { step: 7 } });
    await sendSignal(longhand, chainId, 'steer', { text: 'Two' });
    await startWorker();
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const read = await chain.read();
    expect(read.messages.map(({ text }) => text)).toEqual(['One', 'Two']);
    expect(read.notices.map(({ code }) => code)).toEqual(['paused', 'resumed', 'breakpoint_set']);
  });
});

it('updates and signals that arrive before the first task are all accepted', async () => {
  await withWorker({ agents: [agent], replies: [done] }, async ({ longhand, worker, startWorker }) => {
    await worker.stop();
    const chainId = `chain-${randomUUID()}`;
    const chain = await longhand.start(agent, 'Listen', { chainId });
    const updates = [
      sendCommand(longhand, chainId, 'pause', { at: { step: 7 } }),
      sendCommand(longhand, chainId, 'steer', { text: 'Two' }),
      sendCommand(longhand, chainId, 'pause', { at: { step: 8 } }),
    ];
    await sendSignal(longhand, chainId, 'steer', { text: 'One' });
    await startWorker();
    await Promise.all(updates);
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const read = await chain.read();
    expect(read.messages.map(({ text }) => text)).toEqual(['One', 'Two']);
  });
});

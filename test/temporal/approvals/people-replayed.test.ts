/**
 * L1: a replay delivers results in the same workflow task as the first execution, also if the task had no commands and a
 * message of a person follows at once: the SDK would treat such a task as a heartbeat and deliver its results later.
 */

import { expect, it } from 'vitest';
import { calls, done, pay } from '../../support/paying-agent.js';
import { playScene } from '../../support/paying-scene.js';
import { findRejection } from '../../support/people.js';

it('results of a workflow task keep their place in the history when a command follows', async () => {
  const gates = new Map<string, () => void>();
  const gate = (whom: string) =>
    new Promise<void>((resolve) => {
      gates.set(whom, resolve);
    });
  // Each task replays the chain.
  const temporal = { maxCachedWorkflows: 0 };
  const replies = [calls(pay('Ada'), pay('Bea'), pay('Cy')), done];
  await playScene(
    { pay: gate, temporal },
    replies,
    async ({ waitForRequests, send, chain, listCalls, test, chainId }) => {
      await waitForRequests('1.1', '1.2', '1.3');
      await send('approve', { call: '1.1' });
      await send('approve', { call: '1.2' });
      const endCall = async (whom: string, index: number) => {
        await expect.poll(() => gates.has(whom)).toBe(true);
        gates.get(whom)?.();
        await expect.poll(async () => (await listCalls(1))[index]?.status).toBe('ok');
      };
      await endCall('Ada', 0);
      await endCall('Bea', 1);
      expect(await findRejection(test.longhand, chainId, 'approve', { call: '9.9' })).toMatchObject({
        code: 'call_not_found',
      });
      await send('deny', { call: '1.3' });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      // Every model call found the state of the chain that its input refers to.
      expect((await chain.read()).notices).toEqual([]);
    },
  );
});

/** A handle refers to the chain, not to one of its runs: it works across runs, a reset, an outage and deletion. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { ChainNotFoundError, type ConnectOptions, connect, type Longhand } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { matchError } from '../../support/match-error.js';
import { deleteRun, resetToStart } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';

const file = useFileStore();

const look = defineTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  effects: 'read',
  execute: () => 'a key',
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({}),
  effects: 'unsafe',
  execute: () => 'paid',
});
const payer = defineAgent({ name: 'payer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, pay] });

const calls = (name: string): ScriptedReply => ({ text: `I ${name}.`, calls: [{ name, input: {} }] });
const outage = Object.assign(new Error('14 UNAVAILABLE'), {
  code: 14,
  details: 'no server',
  metadata: { get: () => [] },
});

/** A client whose chains are not read again at the end of the test. */
async function withClient(options: ConnectOptions, use: (longhand: Longhand) => Promise<void>): Promise<void> {
  const longhand = await connect({ address: getTemporalAddress(), ...options });
  try {
    await use(longhand);
  } finally {
    await longhand.close();
  }
}

async function waitForRequest(longhand: Longhand, chainId: string): Promise<string> {
  return vi.waitUntil(async () => (await longhand.getHandle(chainId).listRequests())[0]?.call);
}

describe('a joined chain', () => {
  it('that continues as new can be approved and cancelled', async () => {
    const replies = [calls('look'), calls('pay'), { hang: true } as const];
    const worker = { continueAfter: { steps: 1 } };
    await withWorker({ agents: [payer], replies, worker }, async ({ longhand, models }) => {
      const { chainId } = await longhand.start(payer, 'Pay', { chainId: `joined-${randomUUID()}` });
      const call = await waitForRequest(longhand, chainId);
      const joined = await longhand.start(payer, 'Pay', { chainId, ifExists: 'join' });
      expect((await joined.approve(call, { by: 'ann' })).status).toBe('accepted');
      await expect.poll(() => models.requests.length).toBe(3);
      expect((await joined.cancel({ by: 'ann' })).status).toBe('accepted');
      expect(await joined.result()).toMatchObject({ outcome: 'cancelled', steps: 2 });
    });
  });
});

describe('the prompt of a model call', () => {
  it('is the one that the provider received, for developers and auditors only', async () => {
    await withWorker({ agents: [payer], replies: [calls('look'), { text: 'Seen.' }] }, async ({ longhand, models }) => {
      const chain = await longhand.start(payer, 'Look');
      await chain.result();
      const prompt = await chain.readPrompt(2, createViewer('auditor'));
      const sent = models.requests[1]?.body;
      expect(prompt).toMatchObject({ kind: 'sent', call: 'model-2', proof: 'proven', provider: expect.any(String) });
      expect(prompt.kind === 'sent' && JSON.stringify(prompt.request.messages)).toContain('a key');
      expect(sent?.tools).toHaveLength(prompt.kind === 'sent' ? prompt.request.tools.length : 0);
      expect(sent?.messages).toHaveLength(prompt.kind === 'sent' ? prompt.request.messages.length : 0);
      expect(await chain.readPrompt('model-1', createViewer('developer'))).toMatchObject({ step: 1, proof: 'proven' });
      await expect(chain.readPrompt(1, createViewer('end_user'))).rejects.toThrow(matchError('not_visible'));
      await expect(chain.readPrompt(9, createViewer('auditor'))).rejects.toThrow(matchError('call_not_found'));
    });
  });
});

describe('a result', () => {
  it('is waited for again after an outage while the chain runs', async () => {
    await withWorker({ agents: [payer], replies: [calls('pay'), { text: 'Paid.' }] }, async ({ longhand }) => {
      const chain = await longhand.start(payer, 'Pay');
      const call = await waitForRequest(longhand, chain.chainId);
      const poll = vi.spyOn(longhand.client.connection.workflowService, 'getWorkflowExecutionHistory');
      poll.mockRejectedValueOnce(outage);
      const result = chain.result();
      // The failed wait, the reading of the chain, and the second wait.
      await expect.poll(() => poll.mock.calls.length).toBeGreaterThanOrEqual(3);
      await chain.approve(call, { by: 'ann' });
      expect(await result).toMatchObject({ outcome: 'success', answer: 'Paid.' });
    });
  });

  it('is that of the new run after a reset, also while it is waited for', async () => {
    const replies = [{ hang: true } as const, { text: 'Second.' }, { text: 'Third.' }];
    await withWorker({ agents: [payer], replies }, async ({ taskQueue, models }) => {
      await withClient({ taskQueue }, async (longhand) => {
        const chain = await longhand.start(payer, 'Pay');
        await expect.poll(() => models.requests.length).toBe(1);
        const poll = vi.spyOn(longhand.client.connection.workflowService, 'getWorkflowExecutionHistory');
        const result = chain.result();
        await expect.poll(() => poll.mock.calls.length).toBe(1);
        await resetToStart(longhand, chain.chainId);
        expect(await result).toMatchObject({ outcome: 'success', answer: 'Second.' });
        await resetToStart(longhand, chain.chainId);
        expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Third.' });
        expect((await chain.read()).steps.at(-1)?.answer).toBe('Third.');
      });
    });
  });

  it('of a chain of which the archive has only earlier runs is an error without a server', async () => {
    const replies = [calls('look'), calls('pay'), { text: 'Paid.' }];
    const worker = { store: file.store, continueAfter: { steps: 1 } };
    await withWorker({ agents: [payer], replies, worker }, async (test) => {
      const chain = await test.longhand.start(payer, 'Pay');
      const call = await waitForRequest(test.longhand, chain.chainId);
      const address = `127.0.0.1:${await findFreePort()}`;
      await withClient({ address, store: file.store, onServerUnavailable: () => {} }, async (longhand) => {
        await expect.poll(() => longhand.archive?.findChain(chain.chainId)).not.toBeNull();
        await expect(longhand.getHandle(chain.chainId).result()).rejects.toMatchObject({ cause: { code: 14 } });
      });
      await chain.approve(call, { by: 'ann' });
      await chain.result();
    });
  });
});

describe('a started chain that the server has deleted', () => {
  it.each([true, false])('is read from the archive, or not found: archived %j', async (isArchived) => {
    const worker = isArchived ? { store: file.store } : {};
    await withWorker({ agents: [payer], replies: [{ text: 'Paid.' }], worker }, async ({ taskQueue }) => {
      await withClient({ taskQueue, store: isArchived ? file.store : null }, async (longhand) => {
        const chain = await longhand.start(payer, 'Pay');
        const [result, description] = [await chain.result(), await chain.describe()];
        if (isArchived) await expect.poll(() => longhand.archive?.findChain(chain.chainId)).not.toBeNull();
        await deleteRun(longhand, chain.chainId, description.runId);
        if (isArchived) {
          expect([await chain.result(), await chain.describe()]).toEqual([result, description]);
        } else {
          await expect(chain.result()).rejects.toThrow(ChainNotFoundError);
          await expect(chain.describe()).rejects.toThrow(ChainNotFoundError);
        }
      });
    });
  });
});

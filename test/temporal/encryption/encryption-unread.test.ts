/** Chains with missing keys do not hide other chains in lists, the inbox and the archive. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { listInbox } from '../../../src/client/list/inbox.js';
import { isSealed } from '../../../src/contract/payloads.js';
import type { Longhand } from '../../../src/entries/client.js';
import { defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhand as command } from '../../support/command.js';
import { createActor, playRoles } from '../../support/delegating.js';
import { sendCommand, waitForRequests } from '../../support/people.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';

useOwnServer();

const folder = mkdtempSync(join(tmpdir(), 'longhand-unread-'));
afterAll(() => rmSync(folder, { recursive: true }));

const keys = JSON.stringify({ current: 'theirs', keys: { theirs: { key: randomBytes(32).toString('base64') } } });
const send = defineTool({
  name: 'send',
  description: 'Sends it',
  inputSchema: z.object({}),
  effects: 'unsafe',
  execute: () => 'sent',
});
const replies = playRoles({
  clerk: ({ step }) => (step === 1 ? { calls: [{ name: 'send', input: {} }] } : { text: 'It is sent.' }),
});

/** Runs a chain that waits for approval and has received a message. */
async function withWaitingChain(
  env: string,
  during: (chainId: string, longhand: Longhand) => Promise<void>,
): Promise<void> {
  const before = process.env.LONGHAND_ENCRYPTION_KEY;
  process.env.LONGHAND_ENCRYPTION_KEY = env;
  try {
    await withWorker({ agents: [createActor('clerk', { tools: [send] })], replies }, async ({ longhand }) => {
      const chain = await longhand.start('clerk', 'Send the secret parcel', { tenant: 'acme' });
      await waitForRequests(longhand, chain.chainId, '1.1');
      await sendCommand(longhand, chain.chainId, 'steer', { text: 'Soon, please.' });
      await during(chain.chainId, longhand);
      await chain.approve('1.1');
      await chain.result();
    });
  } finally {
    process.env.LONGHAND_ENCRYPTION_KEY = before;
  }
}

it('a chain whose key is missing is listed as unreadable and does not hide other chains', async () => {
  const env = {
    TEMPORAL_ADDRESS: getTemporalAddress(),
    LONGHAND_ENCRYPTION_KEY: '',
    LONGHAND_STORE: join(folder, 'store.db'),
  };
  const runCommand = (...args: readonly string[]) => command(args, env).end;
  await withWaitingChain(keys, async (sealed) => {
    await withWaitingChain('', async (plain, longhand) => {
      const { connection } = longhand.client;
      const query = `WorkflowId = '${sealed}'`;
      const memo = async () => {
        const { executions } = await connection.workflowService.listWorkflowExecutions({
          namespace: 'default',
          query,
        });
        return Object.values(executions?.[0]?.memo?.fields ?? {}).map(isSealed);
      };
      await expect.poll(memo).toEqual([true]);
      await expect.poll(async () => (await listInbox(longhand.client)).map(({ chainId }) => chainId)).toEqual([plain]);
      const listed = await runCommand('chain', 'list', '--json');
      expect([listed.code, listed.stderr]).toEqual([0, '']);
      expect(JSON.parse(listed.stdout)).toMatchObject([
        { chainId: plain, task: 'Send the secret parcel', waits: 'waiting' },
        {
          chainId: sealed,
          agent: 'clerk',
          tenant: 'acme',
          task: '',
          outcome: null,
          unreadable: expect.stringContaining('is encrypted'),
        },
      ]);
      const shown = await runCommand('chain', 'list');
      expect(shown.stdout).toMatch(/clerk +● unreadable .*This chain is encrypted/);
      const waits = await runCommand('inbox', '--json');
      expect([waits.code, waits.stderr]).toEqual([
        0,
        expect.stringMatching(`^${sealed} cannot be read and may wait as well: This chain is`),
      ]);
      expect(JSON.parse(waits.stdout).chains).toMatchObject([{ chainId: plain }]);
      const found = await runCommand('chain', 'show', sealed);
      expect([found.code, found.stderr]).toEqual([1, expect.stringContaining('Set LONGHAND_ENCRYPTION_KEYS')]);
    });
    await expect
      .poll(async () => JSON.parse((await runCommand('archive', 'sweep', '--json')).stdout))
      .toMatchObject({ archived: expect.any(Number), failed: [] });
  });
  await expect
    .poll(async () => JSON.parse((await runCommand('archive', 'sweep', '--json')).stdout))
    .toMatchObject({ alreadyArchived: 1, failed: [{ reason: expect.stringContaining('is encrypted') }] });
  const ended = JSON.parse((await runCommand('chain', 'list', '--json')).stdout);
  expect(ended).toMatchObject([
    { outcome: 'success', task: 'Send the secret parcel' },
    { outcome: 'success', unreadable: expect.any(String) },
  ]);
});

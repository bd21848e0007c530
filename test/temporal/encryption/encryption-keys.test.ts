/** Keys that are missing or change while chains run: no chain advances without its key, and all content stays readable. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { parseEnvelope } from '../../../src/encryption/envelope.js';
import { createKeyFile, updateKeyFile } from '../../../src/encryption/key-file.js';
import { addMasterKey, createMasterKeys } from '../../../src/encryption/master-keys.js';
import { connect, type Longhand, type MasterKeys } from '../../../src/entries/client.js';
import { defineTool } from '../../../src/index.js';
import { expectOneTruth, withWorker } from '../../support/chain-test.js';
import { createActor, createMeeting, playRoles } from '../../support/delegating.js';
import { encryptedRun } from '../../support/encrypted-run.js';
import { listEventTypes, sendCommand } from '../../support/people.js';
import { getTemporalAddress } from '../../support/temporal.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const createKeys = (): MasterKeys => ({ current: 'k', keys: { k: { key: randomBytes(32).toString('base64') } } });

it.each([
  ['without a key', false],
  ['with another key of the same name', createKeys()],
] as const)(
  'a worker %s does not advance a chain, which waits for a worker with its key',
  { timeout: 60_000 },
  async (_, other) => {
    const encryption = createKeys();
    const replies = playRoles({ clerk: () => ({ text: 'Done.' }) });
    await withWorker({ agents: [createActor('clerk')], replies, worker: { encryption: other } }, async (test) => {
      const { taskQueue, worker, startWorker } = test;
      const longhand = await connect({ address: getTemporalAddress(), taskQueue, encryption });
      try {
        const chain = await longhand.start('clerk', 'Do it', { tenant: 'acme' });
        await expect.poll(() => listEventTypes(longhand, chain.chainId)).toContain('workflowTaskFailedEventAttributes');
        expect(await listEventTypes(longhand, chain.chainId)).not.toContain('activityTaskScheduledEventAttributes');
        await worker.stop();
        await startWorker({ encryption });
        expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Done.' });
        // A reader without the key gets an error.
        if (!encryptedRun) {
          const unread = await test.longhand
            .getHandle(chain.chainId)
            .describe()
            .catch((error: Error) => error.message);
          expect(unread).toMatch(/^This chain is encrypted, but no key is configured. Set LONGHAND_ENCRYPTION_KEYS/);
        }
      } finally {
        await longhand.close();
      }
    });
  },
);

it('a running chain continues with the new key after a rotation', {
  timeout: 60_000,
}, async () => {
  const file = join(folder, 'keys.json');
  const before = createMasterKeys(new Date());
  createKeyFile(file, before);
  const open = createMeeting(2);
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    inputSchema: z.object({}),
    effects: 'read',
    execute: async (_, { signal }) => {
      await open(signal);
      return 'waited';
    },
  });
  const replies = playRoles({
    clerk: ({ step, all }) =>
      step === 1 ? { calls: [{ name: 'wait', input: {} }] } : { text: `Steered: ${all.includes('sooner')}` },
  });
  const previous = process.env.LONGHAND_ENCRYPTION_KEYS;
  const previousText = process.env.LONGHAND_ENCRYPTION_KEY;
  Object.assign(process.env, { LONGHAND_ENCRYPTION_KEYS: file, LONGHAND_ENCRYPTION_KEY: '' });
  try {
    await withWorker(
      { agents: [createActor('clerk', { tools: [wait] })], replies },
      async ({ longhand, taskQueue }) => {
        const chain = await longhand.start('clerk', 'Do it', { tenant: 'acme' });
        await expect.poll(async () => (await chain.read()).state.steps).toBe(1);
        const after = updateKeyFile(file, (keys) => addMasterKey(keys, new Date(), false));
        const later = await connect({ address: getTemporalAddress(), taskQueue });
        await sendCommand(later, chain.chainId, 'steer', { text: 'sooner' });
        await open();
        expect((await chain.result()).answer).toBe('Steered: true');
        expect(await readKeyIds(longhand, chain.chainId)).toEqual(new Set([before.current, after.current]));
        await expectOneTruth(later, later.getHandle(chain.chainId));
        await later.close();
      },
    );
  } finally {
    Object.assign(process.env, { LONGHAND_ENCRYPTION_KEYS: previous, LONGHAND_ENCRYPTION_KEY: previousText });
  }
});

/** Returns the ids of the master keys that encrypted the inputs in a history. */
async function readKeyIds({ client }: Longhand, chainId: string): Promise<ReadonlySet<string>> {
  const { events } = await client.workflow.getHandle(chainId).fetchHistory();
  const inputs = (events ?? []).flatMap((event) => [
    ...(event.workflowExecutionStartedEventAttributes?.input?.payloads ?? []),
    ...(event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.args?.payloads ?? []),
  ]);
  return new Set(inputs.map(({ data }) => parseEnvelope(data ?? new Uint8Array()).keyId));
}

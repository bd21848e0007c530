/** `longhand doctor` reports unusable encryption keys, and keys that do not decrypt the newest chain. */

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkEncryption } from '../../../src/cli/doctor/encryption.js';
import { createKeyFile } from '../../../src/encryption/key-file.js';
import type { MasterKeys } from '../../../src/entries/client.js';
import { withWorker } from '../../support/chain-test.js';
import { createActor, playRoles } from '../../support/delegating.js';
import { getTemporalAddress, useOwnServer } from '../../support/temporal.js';

useOwnServer();

const folder = mkdtempSync(join(tmpdir(), 'longhand-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const createKey = () => ({ key: randomBytes(32).toString('base64') });
const ours: MasterKeys = { current: 'ours', keys: { ours: createKey() } };

function writeKeys(name: string, keys: MasterKeys): string {
  const path = join(folder, name);
  createKeyFile(path, keys);
  return path;
}

function check(path = '', text = '') {
  const env = { LONGHAND_ENCRYPTION_KEYS: path, LONGHAND_ENCRYPTION_KEY: text };
  return checkEncryption({ TEMPORAL_ADDRESS: getTemporalAddress(), ...env });
}

it('doctor reports whether the configured keys decrypt the newest chain', async () => {
  const before = process.env.LONGHAND_ENCRYPTION_KEY;
  process.env.LONGHAND_ENCRYPTION_KEY = JSON.stringify(ours);
  try {
    await withWorker(
      { agents: [createActor('clerk')], replies: playRoles({ clerk: () => ({ text: 'Done.' }) }) },
      async ({ longhand }) => {
        const chain = await longhand.start('clerk', 'Do it');
        await chain.result();
        // The server lists the chain some tenths of a second later.
        await expect
          .poll(() => check())
          .toMatchObject({ status: 'missing', found: 'no key; the newest chain is encrypted' });
        const path = writeKeys('ours.json', ours);
        expect(await check(path)).toMatchObject({
          status: 'ok',
          found: expect.stringContaining('key ours of 1, which open'),
        });
        expect(await check('', JSON.stringify(ours))).toMatchObject({ status: 'ok' });
        expect(await check(writeKeys('other.json', { current: 'other', keys: { other: createKey() } }))).toMatchObject({
          status: 'missing',
          found: 'The content is encrypted with the master key ours, but the configured keys are other.',
          remedy: expect.stringMatching(/^Add that key to the key file/),
        });
        expect(
          (await check(writeKeys('same-name.json', { current: 'ours', keys: { ours: createKey() } }))).found,
        ).toContain('does not open it');
        chmodSync(path, 0o644);
        expect(await check(path)).toMatchObject({
          status: 'missing',
          remedy: expect.stringContaining(`chmod 600 ${path}`),
        });
        expect(await check(join(folder, 'none.json'))).toMatchObject({
          status: 'missing',
          found: expect.stringContaining('not found'),
        });
      },
    );
  } finally {
    process.env.LONGHAND_ENCRYPTION_KEY = before;
  }
});

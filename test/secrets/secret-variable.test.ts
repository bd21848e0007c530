/** Settings that are secrets, as files or variables, in the places that read them. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveEncryption } from '../../src/encryption/encryption.js';
import { createMasterKeys } from '../../src/encryption/master-keys.js';
import { readSecretVariable } from '../../src/secrets/secret-variable.js';
import { isStoreConfigured, readStoreUrl } from '../../src/store/db/store-location.js';
import { matchError } from '../support/match-error.js';

let folder: string;
const at = () => ({ LONGHAND_SECRETS: folder });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-secrets-'));
  writeFileSync(join(folder, 'LONGHAND_STORE'), 'postgres://longhand:from-a-file@db/longhand\n');
  writeFileSync(join(folder, 'LONGHAND_ENCRYPTION_KEY'), JSON.stringify(createMasterKeys(new Date(0))));
  writeFileSync(join(folder, 'EMPTY'), ' \n');
  mkdirSync(join(folder, 'UNREADABLE'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('a secret setting is read from its file, and from the variable where there is no file or an empty one', () => {
  const env = { ...at(), LONGHAND_STORE: 'memory:', EMPTY: ' x ', OTHER: 'y', BLANK: ' ' };
  const names = ['LONGHAND_STORE', 'EMPTY', 'OTHER', 'BLANK', 'NONE'];
  expect(names.map((name) => readSecretVariable(name, env))).toEqual([
    'postgres://longhand:from-a-file@db/longhand',
    'x',
    'y',
    undefined,
    undefined,
  ]);
  expect(readSecretVariable('LONGHAND_STORE', { LONGHAND_STORE: 'memory:' })).toBe('memory:');
});

it('a secret file that cannot be read is an error, and no value from elsewhere replaces it', () => {
  const env = { ...at(), UNREADABLE: 'from the environment' };
  expect(() => readSecretVariable('UNREADABLE', env)).toThrow(matchError('invalid_environment', 'EISDIR'));
});

it('the address of the store may be a file, and counts as configured', () => {
  expect(readStoreUrl(at())).toBe('postgres://longhand:from-a-file@db/longhand');
  expect([isStoreConfigured(at()), isStoreConfigured({ LONGHAND_STORE: 'none' }), isStoreConfigured({})]).toEqual([
    true,
    true,
    false,
  ]);
  expect(readStoreUrl({ LONGHAND_STORE: 'none' })).toBeNull();
});

it('the encryption keys may be a file among the secrets, with any permissions', () => {
  const encryption = resolveEncryption(undefined, at());
  expect(encryption?.keyLocation).toBe('LONGHAND_ENCRYPTION_KEY');
  expect(resolveEncryption(undefined, {})).toBeNull();
});

/** Where secrets are read, in which order, and which values count as missing. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFolderSecrets } from '../../src/entries/worker.js';
import { createDefaultSecrets } from '../../src/secrets/secret-provider.js';

const scope = { tenant: null };
let folder: string;

beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'longhand-secrets-')), 'run');
  mkdirSync(folder);
  writeFileSync(join(folder, 'IN_FILE'), 'from a file\n');
  writeFileSync(join(folder, 'EMPTY'), '\n');
  mkdirSync(join(folder, 'A_FOLDER'));
  writeFileSync(join(folder, '..', 'OUTSIDE'), 'out of reach');
});
afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

it('a secret is read from the environment', async () => {
  const { get } = createDefaultSecrets({ KEY: ' k ', EMPTY: ' ' });
  expect([await get('KEY', scope), await get('EMPTY', scope), await get('NONE', scope)]).toEqual(['k', null, null]);
});

it('a secret is read from the folder first, if one is named', async () => {
  const { get } = createDefaultSecrets({
    LONGHAND_SECRETS: folder,
    IN_FILE: 'from the environment',
    EMPTY: 'x',
    OTHER: 'y',
  });
  const names = ['IN_FILE', 'EMPTY', 'OTHER', 'NONE'];
  expect(await Promise.all(names.map((name) => get(name, scope)))).toEqual(['from a file', 'x', 'y', null]);
});

it('a secret is read again at each request', async () => {
  const { get } = createFolderSecrets(folder);
  writeFileSync(join(folder, 'ROTATED'), 'old');
  expect(await get('ROTATED', scope)).toBe('old');
  writeFileSync(join(folder, 'ROTATED'), 'new');
  expect(await get('ROTATED', scope)).toBe('new');
});

it('a secret is never read from outside of the folder', async () => {
  const { get } = createFolderSecrets(folder);
  for (const name of ['../OUTSIDE', '..', '.', '', 'x/../../OUTSIDE']) expect(await get(name, scope)).toBeNull();
});

it('a folder in place of a file rejects, and a missing folder has no secrets', async () => {
  await expect(createFolderSecrets(folder).get('A_FOLDER', scope)).rejects.toThrow('EISDIR');
  expect(await createFolderSecrets(join(folder, 'IN_FILE')).get('KEY', scope)).toBeNull();
});

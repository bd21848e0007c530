/** The store's check of `longhand doctor`, which changes nothing. */

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { prepareStore } from '../../../src/cli/access/command-store.js';
import { checkStore } from '../../../src/cli/doctor/store.js';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { migrations } from '../../../src/store/db/migrations/index.js';
import { connectStore } from '../../../src/store/db/open.js';
import { describeStores } from '../../support/stores.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-doctor-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeStores(
  (open) => {
    it('reports the location, the size and the version of the store', async () => {
      const store = await open();
      const check = await checkStore({ LONGHAND_STORE: await open.where() });
      expect(check).toMatchObject({ status: 'ok', remedy: null });
      expect(check.found).toMatch(/^(sqlite|postgres):.*, [\d.]+ [KM]B: up to date$/);
      await store.write((tx) => tx.deleteFrom('longhand_migrations').where('name', '=', '0001-tables').execute());
      const behind = await checkStore({ LONGHAND_STORE: await open.where(), LONGHAND_BLOBS: '/blobs' });
      expect(behind.found).toContain('large contents in /blobs: migrated when a worker starts');
      const row = { name: '9999-future', applied_at: 1 };
      await store.write((tx) => tx.insertInto('longhand_migrations').values(row).execute());
      expect(await checkStore({ LONGHAND_STORE: await open.where() })).toMatchObject({
        status: 'warning',
        found: expect.stringContaining('migrated by a newer Longhand (9999-future)'),
      });
    });

    it('accepts a database without tables', async () => {
      const store = await connectStore(await open.where());
      await store.db.connection().execute(async () => {});
      await store.close();
      const { found } = await checkStore({ LONGHAND_STORE: await open.where() });
      expect(found).toContain('migrated when a worker starts');
      expect(migrations.length).toBeGreaterThan(0);
    });
  },
  ['file', 'postgres'],
);

describe('without a usable store', () => {
  it('creates no file', async () => {
    const project = realpathSync(mkdtempSync(join(folder, 'project-')));
    writeFileSync(join(project, 'package.json'), '{}');
    const found = `sqlite:${join(project, '.longhand', 'longhand.db')}: created when a command runs an agent`;
    expect(await checkStore({}, project)).toMatchObject({ status: 'ok', found });
    expect(existsSync(join(project, '.longhand'))).toBe(false);
  });

  it('gives the reason for no archive, as the commands do', async () => {
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, '.longhand'), '');
    const { notice } = await prepareStore({}, folder);
    expect(await checkStore({}, folder)).toEqual({ name: 'Store', status: 'warning', found: 'none', remedy: notice });
    expect(notice).toContain(`No archive: ${join(realpathSync(folder), '.longhand')} is not a folder.`);
  });

  it('warns, with a remedy', async () => {
    writeFileSync(join(folder, 'poem'), 'No database at all. '.repeat(50));
    expect(await checkStore({ LONGHAND_STORE: join(folder, 'poem') })).toMatchObject({
      status: 'warning',
      found: 'cannot be used: corrupt',
      remedy: expect.stringContaining('Restore a backup'),
    });
    const nobody = `postgres://me:secret@127.0.0.1:${await findFreePort()}/longhand`;
    const check = await checkStore({ LONGHAND_STORE: nobody });
    expect(check).toMatchObject({ status: 'warning', found: 'cannot be used: unavailable' });
    expect(check.remedy).not.toContain('secret');
    expect(await checkStore({ LONGHAND_STORE: 'mysql://db' })).toMatchObject({ found: 'cannot be used: misnamed' });
  });
});

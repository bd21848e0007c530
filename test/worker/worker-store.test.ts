/** A worker has the store that it was given or that the environment names, and works without one that is down. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/db/open.js';
import { openWorkerStore } from '../../src/worker/worker-store.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-worker-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const silent = (sentence: string) => {
  throw new Error(`Nothing was to be said, but: ${sentence}`);
};

describe('the store of a worker', () => {
  it('is the one that it was given, which it leaves open', async () => {
    const given = await openStore('memory:');
    const { store, close } = await openWorkerStore(given, { LONGHAND_STORE: 'none' }, silent);
    expect(store).toBe(given);
    await close();
    await given.write(async () => {});
    await given.close();
  });

  it.each([
    ['where it was told', join(folder, 'told.db'), { LONGHAND_STORE: 'none' }, `sqlite:${join(folder, 'told.db')}`],
    ['where the environment says', undefined, { LONGHAND_STORE: 'memory:' }, 'memory'],
    ['in a file by default', undefined, { XDG_DATA_HOME: folder }, `sqlite:${join(folder, 'longhand', 'longhand.db')}`],
  ])('is opened %s', async (_, given, env, place) => {
    const { store, close } = await openWorkerStore(given, env, silent);
    expect(store?.location).toBe(place);
    await close();
    await expect(store?.write(async () => {})).rejects.toThrow('destroyed');
  });

  it('is none where nobody wants one', async () => {
    expect((await openWorkerStore(null, {}, silent)).store).toBeNull();
    expect((await openWorkerStore(undefined, { LONGHAND_STORE: 'none' }, silent)).store).toBeNull();
  });

  it('is there later, where it cannot be had now', async () => {
    writeFileSync(join(folder, 'in-the-way'), '');
    const said: string[] = [];
    const where = join(folder, 'in-the-way', 'store.db');
    const { store, close } = await openWorkerStore(where, {}, (sentence) => said.push(sentence));
    expect(said).toEqual([expect.stringContaining('cannot be made or written there')]);
    rmSync(join(folder, 'in-the-way'));
    await store?.write(async () => {});
    await close();
  });

  it('is refused where its name is none', async () => {
    await expect(openWorkerStore('mysql://db', {}, silent)).rejects.toMatchObject({ kind: 'misnamed' });
    await expect(openWorkerStore(undefined, { LONGHAND_STORE: 'mysql://db' }, silent)).rejects.toMatchObject({
      kind: 'misnamed',
    });
  });
});

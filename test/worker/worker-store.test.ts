/** A worker uses the store of its options or of the environment, and runs without an unavailable store. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/db/open.js';
import { openWorkerStore } from '../../src/worker/worker-store.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-worker-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const silent = (sentence: string) => {
  throw new Error(`Unexpected warning: ${sentence}`);
};

describe('the store of a worker', () => {
  it('is the given store, which stays open', async () => {
    const given = await openStore('memory:');
    const { store, close } = await openWorkerStore(given, { LONGHAND_STORE: 'none' }, silent);
    expect(store).toBe(given);
    await close();
    await given.write(async () => {});
    await given.close();
  });

  it.each([
    ['at the given path', join(folder, 'given.db'), { LONGHAND_STORE: 'none' }, `sqlite:${join(folder, 'given.db')}`],
    ['at the address of the environment', undefined, { LONGHAND_STORE: 'memory:' }, 'memory'],
  ])('is opened %s', async (_, given, env, place) => {
    const { store, close } = await openWorkerStore(given, env, silent);
    expect(store?.location).toBe(place);
    await close();
    await expect(store?.write(async () => {})).rejects.toThrow('destroyed');
  });

  it('is used only if it is named: a program stores nothing that nobody asked for', async () => {
    const env = { HOME: folder, XDG_DATA_HOME: folder };
    expect((await openWorkerStore(undefined, env, silent)).store).toBeNull();
    expect(readdirSync(folder)).not.toContain('longhand');
  });

  it('is null when it is switched off', async () => {
    const env = { LONGHAND_STORE: join(folder, 'unused.db') };
    for (const none of [false, null] as const) expect((await openWorkerStore(none, env, silent)).store).toBeNull();
    expect((await openWorkerStore(undefined, { LONGHAND_STORE: 'none' }, silent)).store).toBeNull();
  });

  it('is used once it becomes available', async () => {
    writeFileSync(join(folder, 'in-the-way'), '');
    const warnings: string[] = [];
    const where = join(folder, 'in-the-way', 'store.db');
    const { store, close } = await openWorkerStore(where, {}, (sentence) => warnings.push(sentence));
    expect(warnings).toEqual([expect.stringContaining('Cannot create or write the store')]);
    rmSync(join(folder, 'in-the-way'));
    await store?.write(async () => {});
    await close();
  });

  it('is rejected when its address is invalid', async () => {
    await expect(openWorkerStore('mysql://db', {}, silent)).rejects.toMatchObject({ code: 'store_misnamed' });
    await expect(openWorkerStore(undefined, { LONGHAND_STORE: 'mysql://db' }, silent)).rejects.toMatchObject({
      code: 'store_misnamed',
    });
  });
});

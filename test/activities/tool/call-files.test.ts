/** Files in a tool's result: replaced by descriptions, stored, without secrets; a failing store fails no call. */

import { describe, expect, it } from 'vitest';
import { createStoreGuard } from '../../../src/activities/context/store-guard.js';
import { createFileCollector } from '../../../src/activities/tool/call-files.js';
import type { CallStore } from '../../../src/activities/tool/call-store.js';
import { createSecretMasker, noSecretMasker } from '../../../src/core/redact/known-secrets.js';
import { file } from '../../../src/index.js';
import type { BlobStore } from '../../../src/store/blobs/blobs.js';
import { computeDigest } from '../../../src/store/blobs/pieces.js';
import { StoreError } from '../../../src/store/db/errors.js';
import { createPng } from '../../support/pictures.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const png = createPng(80, 60);

/** A store that records what it gets. */
function storeWith(put: BlobStore['put'] | null, written: string[] = []) {
  const recording: BlobStore['put'] = async (_owner, content, mediaType) => {
    written.push(Buffer.from(content as Uint8Array).toString('latin1'));
    return { digest: computeDigest(content as Uint8Array), bytes: 1, mediaType };
  };
  const blobs = { put: put ?? recording } as BlobStore;
  const owner = { namespace: 'default', chainId: 'chain-1' };
  const store: CallStore = { blobs, owner, guard: createStoreGuard(), log };
  return { store, written };
}

describe('files in a result', () => {
  it('become descriptions at any place, and references in their order', async () => {
    const files = createFileCollector(noSecretMasker);
    const { store, written } = storeWith(null);
    const returned = { page: file({ name: 'page.png', data: png }), rows: [file({ name: 'rows.csv', data: 'a,b' })] };
    const value = files.take(returned);
    expect(value).toEqual({
      page: expect.stringMatching(/^page\.png \(image\/png, \d+ bytes, 80 × 60\)$/),
      rows: ['rows.csv (text/csv, 3 bytes)'],
    });
    const { parts } = await files.store(store, value);
    expect(parts.files?.map(({ name, digest }) => [name, digest])).toEqual([
      ['page.png', computeDigest(png)],
      ['rows.csv', computeDigest(Buffer.from('a,b'))],
    ]);
    expect(written).toEqual([png.toString('latin1'), 'a,b']);
  });

  it('lose the secrets of the call in their names, types and bytes', async () => {
    const files = createFileCollector(createSecretMasker(['canary-1234']));
    const { store, written } = storeWith(null);
    const given = { name: 'canary-1234.txt', data: 'key=canary-1234', mediaType: 'text/canary-1234' };
    const value = files.take([file(given)]);
    const { parts } = await files.store(store, value);
    expect(JSON.stringify([value, parts, written])).not.toContain('canary');
    expect(written).toEqual(['key=[redacted:secret]']);
  });

  it('that are not stored are reported in place, and fail no call', async () => {
    const tooLarge = () => Promise.reject(new StoreError('tooLarge', 'The content exceeds the limit.'));
    const down = () => Promise.reject(new Error('down'));
    const results = [
      [storeWith(tooLarge).store, 'The content exceeds the limit.'],
      [storeWith(down).store, 'the store is unavailable'],
      [{ ...storeWith(null).store, blobs: null }, 'this worker has no store'],
    ] as const;
    for (const [store, why] of results) {
      const files = createFileCollector(noSecretMasker);
      const taken = files.take({ page: file({ name: 'page.png', data: png }) });
      const { value, parts } = await files.store(store, taken);
      expect(value).toEqual({ page: expect.stringMatching(new RegExp(`80 × 60\\), not stored: ${why}$`)) });
      expect(parts).toEqual({});
    }
  });

  it('of equal descriptions are distinct: only the one that was not stored is reported', async () => {
    const files = createFileCollector(noSecretMasker);
    const puts = [() => Promise.reject(new Error('down')), storeWith(null).store.blobs?.put];
    const { store } = storeWith((...content) => puts.shift()?.(...content) ?? Promise.reject(new Error('no third')));
    const twins = [file({ name: 'a.txt', data: 'x' }), file({ name: 'a.txt', data: 'y' })];
    const { value, parts } = await files.store(
      { ...store, guard: (put) => put().catch(() => null) },
      files.take(twins),
    );
    expect(value).toEqual([expect.stringContaining('not stored'), 'a.txt (text/plain, 1 bytes)']);
    expect(parts.files).toHaveLength(1);
  });

  it('are at most 20', async () => {
    const files = createFileCollector(noSecretMasker);
    const many = Array.from({ length: 22 }, (_, number) => file({ name: `${number}.txt`, data: 'x' }));
    const { value, parts } = await files.store(storeWith(null).store, files.take(many));
    expect(parts.files).toHaveLength(20);
    expect(value).toMatchObject({ 21: '21.txt (text/plain, 1 bytes), not stored: the result has more than 20 files' });
  });
});

it('a file without a name or data is rejected where it is created', () => {
  expect(() => file({ name: 'a' } as never)).toThrow('Invalid file: expected { name, data }');
});

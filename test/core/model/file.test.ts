/** Files of tasks and results: what describes them, which a model reads, and how many tokens they take at most. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canReadFile, checkStoredFile, countFileTokens, formatFile, isFileList } from '../../../src/core/model/file.js';
import { describeFile } from '../../../src/core/model/file-content.js';
import type { StoredFile } from '../../../src/index.js';
import { messagesFiles } from '../../../src/models/wire/call-content.js';
import { createPdf, createPng } from '../../support/pictures.js';

const digest = `sha256:${'0'.repeat(64)}`;
const image = (width: number, height: number, more: Partial<StoredFile> = {}): StoredFile => {
  return { name: 'a.png', mediaType: 'image/png', bytes: 1_000, pixels: { width, height }, digest, ...more };
};
const pdf = (pages: number): StoredFile => ({
  name: 'a.pdf',
  mediaType: 'application/pdf',
  bytes: 1_000,
  pages,
  digest,
});

it('a file is described by its content, in one line', () => {
  const receipt = describeFile({ name: 'receipt.png', data: createPng(800, 600), mediaType: 'text/plain' });
  expect(formatFile(receipt)).toMatch(/^receipt\.png \(image\/png, [\d.]+ KB, 800 × 600\)$/);
  expect(formatFile(describeFile({ name: 'terms.PDF', data: createPdf(1, 'packed') }))).toMatch(
    /^terms\.PDF \(application\/pdf, \d+ bytes, 1 page\)$/,
  );
  expect(describeFile({ name: 'rows.csv', data: new Uint8Array(3) })).toMatchObject({ mediaType: 'text/csv' });
  expect(describeFile({ name: 'a', data: new Uint8Array(3) })).toMatchObject({ mediaType: 'application/octet-stream' });
});

it('the name of a file is one line of bounded length for any name that its creator states', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.string({ maxLength: 300 }), (name, mediaType) => {
      const file = { ...describeFile({ name, data: new Uint8Array(1), mediaType }), digest };
      expect(checkStoredFile.is(file)).toBe(true);
      expect(formatFile(file)).not.toMatch(/[\n\r]/);
    }),
  );
});

it('a list of files from outside is checked: its length, its digests, its numbers', () => {
  expect(isFileList([image(1, 1), pdf(2)])).toBe(true);
  expect(isFileList(Array.from({ length: 21 }, () => pdf(1)))).toBe(false);
  for (const wrong of [{ digest: 'sha256:0' }, { bytes: -1 }, { pages: 1.5 }, { name: 'x'.repeat(201) }, { pixels: 5 }])
    expect(isFileList([{ ...pdf(1), ...wrong }])).toBe(false);
});

it.each([
  [image(800, 600), true],
  [image(8_001, 10), false],
  [image(800, 600, { bytes: 4_000_000 }), false],
  [image(800, 600, { mediaType: 'image/tiff' }), false],
  [{ ...image(1, 1), pixels: undefined } as unknown as StoredFile, false],
  [pdf(100), true],
  [pdf(101), false],
  [{ ...pdf(1), pages: undefined } as unknown as StoredFile, false],
])('the Messages API takes %j: %s', (file, isTaken) => {
  expect(canReadFile(file, messagesFiles)).toBe(isTaken);
  expect(canReadFile(file, [])).toBe(false);
  expect(countFileTokens([file], messagesFiles) > 0).toBe(isTaken);
});

it('the bound of an image is never below what a provider counts', () => {
  const side = fc.integer({ min: 1, max: 8_000 });
  fc.assert(
    fc.property(side, side, (width, height) => {
      const bound = countFileTokens([image(width, height)], messagesFiles);
      const byPixels = Math.min(1_600, Math.ceil((width * height) / 750));
      const bySquares = Math.min(4_784, Math.ceil(width / 28) * Math.ceil(height / 28));
      expect(bound).toBeGreaterThanOrEqual(Math.max(byPixels, bySquares));
      expect(bound).toBeLessThanOrEqual(4_800);
    }),
  );
});

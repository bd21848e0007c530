/** The bytes of a file state its media type, the pixels of an image, and the pages of a PDF. */

import { expect, it } from 'vitest';
import { detectMediaType, readPixelSize } from '../../../src/core/lib/file-info.js';
import { countPdfPages } from '../../../src/core/lib/pdf-pages.js';
import { createPdf, createPng } from '../../support/pictures.js';

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

const gif = bytes('GIF89a\x40\x01\xc8\x00rest');
const jpeg = bytes(
  `\xff\xd8\xff\xe0\x00\x10JFIF${'\0'.repeat(10)}\xff\xff\xc2\x00\x11\x08\x00\xc8\x01\x40\x03${'\0'.repeat(9)}`,
);
const webp = (chunk: string) => bytes(`RIFF\0\0\0\0WEBP${chunk}`);

it.each([
  ['image/png', createPng(320, 200)],
  ['image/gif', gif],
  ['image/jpeg', jpeg],
  ['image/webp', webp('VP8X\x0a\0\0\0\0\0\0\0\x3f\x01\0\xc7\0\0')],
  ['image/webp', webp('VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xc8\0')],
  ['image/webp', webp('VP8L\0\0\0\0\x2f\x3f\xc1\x31\0')],
])('the header of %s states its type and its pixels', (mediaType, data) => {
  expect(detectMediaType(data)).toBe(mediaType);
  expect(readPixelSize(data, mediaType)).toEqual({ width: 320, height: 200 });
});

it('an image that ends in its header, and any other content, has no pixels', () => {
  for (const data of [createPng(9, 9).subarray(0, 10), gif.subarray(0, 6), jpeg.subarray(0, 20), webp('VP9 ')]) {
    const mediaType = detectMediaType(data) ?? '';
    expect(readPixelSize(data, mediaType)).toBeNull();
  }
  expect(detectMediaType(bytes('Just a text'))).toBeNull();
  expect(detectMediaType(new Uint8Array())).toBeNull();
});

it.each([
  [1, 'plain'],
  [7, 'plain'],
  [1, 'packed'],
  [250, 'packed'],
] as const)('a PDF of %i pages, %s, is counted', (pages, layout) => {
  expect(countPdfPages(createPdf(pages, layout))).toBe(pages);
});

it('a PDF whose pages are unclear has no number: an encrypted one, a damaged one, one that unpacks to too much', () => {
  const plain = createPdf(2, 'plain');
  expect(countPdfPages(Buffer.concat([plain, Buffer.from('trailer << /Encrypt 9 0 R >>')]))).toBeNull();
  const damaged = createPdf(2, 'packed');
  damaged.fill(0xff, damaged.indexOf('stream') + 8, damaged.indexOf('endstream'));
  expect(countPdfPages(damaged)).toBeNull();
  expect(countPdfPages(createPdf(400_000, 'packed'))).toBeNull();
  expect(countPdfPages(bytes('%PDF-1.4\n%%EOF'))).toBeNull();
});

/**
 * A page as it is stored: JSON, compressed, with a checksum over what is stored, so that damage is found before anything
 * is made of it. Whether the facts are those that the workflow held, the digests in them say.
 */

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { Page } from './pages.js';

export interface PackedPage {
  readonly data: Buffer;
  /** SHA-256 of the data, in hexadecimal. */
  readonly checksum: string;
}

/** Ever smaller pages take ever longer to make: a better one than this is a hundredth smaller. */
const quality = 9;
/** All of a page counts as context: results that look alike lie far from one another. */
const windowBits = 22;

export async function packPage(page: Page): Promise<PackedPage> {
  const text = Buffer.from(JSON.stringify(page));
  const data = await compress(text, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: windowBits,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
  return { data, checksum: checksumOf(data) };
}

/** Null for a page that is not as it was stored. */
export async function unpackPage({ data, checksum }: PackedPage): Promise<Page | null> {
  if (checksumOf(data) !== checksum) return null;
  try {
    return JSON.parse((await decompress(data)).toString('utf8')) as Page;
  } catch {
    return null;
  }
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

function checksumOf(data: Uint8Array): string {
  return hash('sha256', data, 'hex');
}

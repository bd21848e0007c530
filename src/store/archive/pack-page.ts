/**
 * The stored form of a page: its lists in columns, as JSON, compressed, with a checksum over the stored bytes that detects
 * damage before anything is parsed. Only the digests in the facts prove that they are the workflow's facts.
 */

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { Json } from '../../core/lib/index.js';
import type { ActivityAttempts, Fact } from '../../core/model/index.js';
import type { ChainFileTurn, ModelCallHead } from '../../core/record/index.js';
import { type Columns, packColumns, unpackColumns } from './columns.js';
import type { Page } from './pages.js';

export interface PackedPage {
  readonly data: Buffer;
  /** SHA-256 of the data, in hexadecimal. */
  readonly checksum: string;
}

/** The stored form of a page. It never changes: a new form gets a new number. */
interface StoredPage {
  readonly form: 1;
  readonly run?: Page['run'];
  /** Each turn with the number of its facts instead of the facts. */
  readonly turns: Columns;
  readonly facts: Columns;
  readonly heads: Columns;
  readonly activities: readonly string[];
  readonly attempts: Columns;
}

/** Higher qualities take several times as long to make a page a few percent smaller. */
const compressionQuality = 9;
/** Covers a whole page: similar results lie far from one another. */
const windowBits = 22;

export async function packPage(page: Page): Promise<PackedPage> {
  const text = Buffer.from(JSON.stringify(toStoredPage(page)));
  const data = await compress(text, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: compressionQuality,
      [constants.BROTLI_PARAM_LGWIN]: windowBits,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
  return { data, checksum: computeChecksum(data) };
}

/** Null for a page that is damaged or has an unknown form. */
export async function unpackPage({ data, checksum }: PackedPage): Promise<Page | null> {
  if (computeChecksum(data) !== checksum) return null;
  try {
    const stored = JSON.parse((await decompress(data)).toString('utf8')) as StoredPage;
    return stored.form === 1 ? fromStoredPage(stored) : null;
  } catch {
    return null;
  }
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

function toStoredPage({ run, turns, heads, attempts }: Page): StoredPage {
  return {
    form: 1,
    ...(run === undefined ? {} : { run }),
    turns: packList(turns.map(({ facts, ...turn }) => ({ ...turn, facts: facts.length }))),
    facts: packList(turns.flatMap(({ facts }) => facts)),
    heads: packList(heads),
    activities: Object.keys(attempts),
    attempts: packList(Object.values(attempts)),
  };
}

function fromStoredPage({ run, turns, facts, heads, activities, attempts }: StoredPage): Page {
  const all = unpackList<Fact>(facts);
  let taken = 0;
  return {
    ...(run === undefined ? {} : { run }),
    turns: unpackList<Omit<ChainFileTurn, 'facts'> & { readonly facts: number }>(turns).map((turn) => {
      const { facts: count, scheduled, ...rest } = turn;
      taken += count;
      return { ...rest, facts: all.slice(taken - count, taken), scheduled };
    }),
    heads: unpackList<ModelCallHead>(heads),
    attempts: Object.fromEntries(
      unpackList<ActivityAttempts>(attempts).map((activityAttempts, at) => [activities[at] ?? '', activityAttempts]),
    ),
  };
}

/** All members are JSON values. */
function packList(values: readonly object[]): Columns {
  return packColumns(values as unknown as readonly Json[]);
}

function unpackList<T>(columns: Columns): readonly T[] {
  return unpackColumns(columns) as unknown as readonly T[];
}

function computeChecksum(data: Uint8Array): string {
  return hash('sha256', data, 'hex');
}

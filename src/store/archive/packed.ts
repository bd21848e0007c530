/**
 * A page as it is stored: its lists in columns, as JSON, compressed, with a checksum over what is stored, so that damage
 * is found before anything is made of it. Whether the facts are those that the workflow held, the digests in them say.
 */

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { Json } from '../../core/lib/json.js';
import type { Attempts } from '../../core/model/activity.js';
import type { Fact } from '../../core/model/fact.js';
import type { FiledTurn, Head } from '../../core/record/chain-file.js';
import { type Columns, columnsOf, valuesOf } from './columns.js';
import type { Page } from './pages.js';

export interface PackedPage {
  readonly data: Buffer;
  /** SHA-256 of the data, in hexadecimal. */
  readonly checksum: string;
}

/** What a page is written as. The form is kept for ever: another one gets another number. */
interface Written {
  readonly form: 1;
  readonly run?: Page['run'];
  /** Each without its facts, and how many it had. */
  readonly turns: Columns;
  readonly facts: Columns;
  readonly heads: Columns;
  readonly activities: readonly string[];
  readonly attempts: Columns;
}

/** Better ones take several times as long to make a page a few hundredths smaller. */
const quality = 9;
/** All of a page counts as context: results that look alike lie far from one another. */
const windowBits = 22;

export async function packPage(page: Page): Promise<PackedPage> {
  const text = Buffer.from(JSON.stringify(written(page)));
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

/** Null for a page that is not as it was stored, or of a form that is not known. */
export async function unpackPage({ data, checksum }: PackedPage): Promise<Page | null> {
  if (checksumOf(data) !== checksum) return null;
  try {
    const said = JSON.parse((await decompress(data)).toString('utf8')) as Written;
    return said.form === 1 ? read(said) : null;
  } catch {
    return null;
  }
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

function written({ run, turns, heads, attempts }: Page): Written {
  return {
    form: 1,
    ...(run === undefined ? {} : { run }),
    turns: columns(turns.map(({ facts, ...turn }) => ({ ...turn, facts: facts.length }))),
    facts: columns(turns.flatMap(({ facts }) => facts)),
    heads: columns(heads),
    activities: Object.keys(attempts),
    attempts: columns(Object.values(attempts)),
  };
}

function read({ run, turns, facts, heads, activities, attempts }: Written): Page {
  const all = listed<Fact>(facts);
  let taken = 0;
  return {
    ...(run === undefined ? {} : { run }),
    turns: listed<Omit<FiledTurn, 'facts'> & { readonly facts: number }>(turns).map((turn) => {
      const { facts: count, asked, ...rest } = turn;
      taken += count;
      return { ...rest, facts: all.slice(taken - count, taken), asked };
    }),
    heads: listed<Head>(heads),
    attempts: Object.fromEntries(listed<Attempts>(attempts).map((each, at) => [activities[at] ?? '', each])),
  };
}

/** All of it came out of JSON, or goes into it. */
function columns(values: readonly object[]): Columns {
  return columnsOf(values as unknown as readonly Json[]);
}

function listed<T>(columns: Columns): readonly T[] {
  return valuesOf(columns) as unknown as readonly T[];
}

function checksumOf(data: Uint8Array): string {
  return hash('sha256', data, 'hex');
}

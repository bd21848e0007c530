/** The index of words: SQLite's full text without the text, Postgres' vectors of words. */

import { type RawBuilder, sql } from 'kysely';
import type { StoreKind } from '../db/store-kind.js';
import type { Tx } from './tx.js';

export async function putWords(tx: Tx, kind: StoreKind, run: number, words: ReadonlySet<string>): Promise<void> {
  const all = [...words];
  if (kind === 'postgres') {
    await sql`insert into archive_words (run, words) values (${run}, array_to_tsvector(${all}::text[]))`.execute(tx);
  } else {
    await sql`insert into archive_words (rowid, words) values (${run}, ${all.join(' ')})`.execute(tx);
  }
}

/** In Postgres they go with their runs. */
export async function forgetWords(tx: Tx, kind: StoreKind, runs: readonly number[]): Promise<void> {
  const column = kind === 'postgres' ? sql.ref('run') : sql.ref('rowid');
  for (const run of runs) await sql`delete from archive_words where ${column} = ${run}`.execute(tx);
}

/** The numbers of the runs in which a word begins so. */
export function runsWith(kind: StoreKind, word: string): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`select run from archive_words where words @@ ${`'${word}':*`}::tsquery`;
  return sql`select rowid from archive_words where archive_words match ${`"${word}"*`}`;
}

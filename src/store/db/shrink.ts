/**
 * Gives back to the disk what was freed in a file of SQLite's: a part in each transaction, so that others write in between.
 * Run once, the pragma would free one page, because nothing asks it for more.
 */

import { sql } from 'kysely';
import type { Store } from './store.js';

/** Pages, of 4 KB each. */
const together = 500;

/** @throws StoreError */
export async function shrink(store: Store): Promise<void> {
  if (store.kind !== 'sqlite') return;
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const free = await store.write(async (tx) => {
      const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(tx);
      const found = rows[0]?.freelist_count ?? 0;
      for (let page = 0; page < Math.min(found, together); page += 1) await sql`pragma incremental_vacuum`.execute(tx);
      return found;
    });
    if (free <= together || free >= before) return;
    before = free;
  }
}

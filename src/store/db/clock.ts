/** The clock that all users of a store share, so that machines need not agree on the time. */

import { type Kysely, sql } from 'kysely';
import type { Store, Tables } from './store.js';

/** Returns milliseconds since 1970. @param db the store's, or a transaction of it */
export async function readDatabaseClock(db: Kysely<Tables>, { kind }: Pick<Store, 'kind'>): Promise<number> {
  // All users of a file share its machine's clock.
  if (kind === 'sqlite') return Date.now();
  const { rows } = await sql<{ at: number }>`select floor(extract(epoch from clock_timestamp()) * 1000) as at`.execute(
    db,
  );
  return rows[0]?.at ?? Date.now();
}

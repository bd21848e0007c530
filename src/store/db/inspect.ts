/** How a store is, for who looks after it. Looks, and changes nothing. */

import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { appliedTo } from './migrate.js';
import { migrations } from './migrations/index.js';
import { connectStore } from './open.js';
import { placeOf } from './place.js';
import type { Store } from './store.js';

export type Inspected =
  /** It is made when a worker first starts. */
  | { readonly kind: 'notYet'; readonly place: string }
  | {
      readonly kind: 'there';
      readonly place: string;
      readonly bytes: number;
      /** Migrations that are applied when it is next opened. */
      readonly toCome: number;
      /** A migration that this version does not know: a newer one has been there. */
      readonly newer: string | null;
    };

/** @throws {StoreError} */
export async function inspectStore(where: string): Promise<Inspected> {
  const place = placeOf(where);
  if (place.kind === 'file' && statSync(place.path, { throwIfNoEntry: false }) === undefined) {
    return { kind: 'notYet', place: place.shown };
  }
  const store = await connectStore(where);
  try {
    const applied = (await appliedTo(store.db, store.kind)) ?? [];
    const known = migrations.map(({ name }) => name);
    return {
      kind: 'there',
      place: store.place,
      bytes: await sizeOf(store),
      toCome: known.filter((name) => !applied.includes(name)).length,
      newer: applied.find((name) => !known.includes(name)) ?? null,
    };
  } finally {
    await store.close();
  }
}

/** Of a database that is shared, all of it. */
async function sizeOf({ db, kind }: Store): Promise<number> {
  const query =
    kind === 'postgres'
      ? sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
      : sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
  return (await query.execute(db)).rows[0]?.bytes ?? 0;
}

/** The two databases, and where what they call a thing differs. */

import { sql } from 'kysely';

export type StoreKind = 'sqlite' | 'postgres';

/** The type of a column of bytes, for a migration. */
export function bytesColumn(kind: StoreKind) {
  return kind === 'postgres' ? sql`bytea` : sql`blob`;
}

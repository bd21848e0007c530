/** A lock by name, held until the transaction ends: for what one statement cannot say. */

import { sql, type Transaction } from 'kysely';
import type { Store } from './store.js';
import type { Tables } from './tables.js';

/**
 * Contract: who takes several takes them in one order, or two of them wait for each other and one is tried again.
 *
 * @param name begins with the part of the store that it belongs to, `blob:…`
 */
export async function lockUntilEnd(tx: Transaction<Tables>, { kind }: Store, name: string): Promise<void> {
  // In SQLite whoever writes is alone as it is.
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

/** A lock that many may hold at once, and nobody while another holds it by `lockUntilEnd`. */
export async function shareUntilEnd(tx: Transaction<Tables>, { kind }: Store, name: string): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`.execute(tx);
}

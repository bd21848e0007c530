/** Who sweeps now, and how far the last sweep has come. */

import type { Store } from '../db/store.js';

export interface SweepClaim {
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How long it is another's business, unless it ends before. */
  readonly leaseMs: number;
  /** Whoever else does it. */
  readonly force?: boolean;
}

/**
 * When the last sweep began that came to its end; 0 for none. Null while another one is under way.
 *
 * @throws StoreError
 */
export async function claimSweep(store: Store, { namespace, now, leaseMs, force }: SweepClaim): Promise<number | null> {
  return store.write(async (tx) => {
    await tx
      .insertInto('archive_sweeps')
      .values({ namespace, watermark: 0, taken_until: 0 })
      // Changing nothing, it takes the row's lock.
      .onConflict((there) => there.column('namespace').doUpdateSet({ namespace }))
      .execute();
    const { watermark, taken_until } = await tx
      .selectFrom('archive_sweeps')
      .where('namespace', '=', namespace)
      .selectAll()
      .executeTakeFirstOrThrow();
    // One that is taken for longer than anybody takes it was taken by a clock that was ahead.
    if (!force && taken_until > now && taken_until <= now + leaseMs) return null;
    await tx
      .updateTable('archive_sweeps')
      .set({ taken_until: now + leaseMs })
      .where('namespace', '=', namespace)
      .execute();
    return Math.min(watermark, now);
  });
}

/** @throws StoreError */
export async function completeSweep(
  store: Store,
  { namespace, watermark }: { readonly namespace: string; readonly watermark: number },
): Promise<void> {
  await store.write((tx) =>
    tx.updateTable('archive_sweeps').set({ watermark, taken_until: 0 }).where('namespace', '=', namespace).execute(),
  );
}

/** The claim of a sweep, so that one process sweeps at a time, and the progress of the last sweep. */

import type { Store } from '../db/store.js';

export interface SweepClaim {
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The time after which another process may claim the sweep, unless this one completes earlier. */
  readonly leaseMs: number;
  /** Claims the sweep even if another process has it. */
  readonly force?: boolean;
}

/**
 * Claims the sweep. Returns the start of the last completed sweep, 0 without one; null while another one is running.
 *
 *
 * @throws StoreError
 */
export async function claimSweep(store: Store, { namespace, now, leaseMs, force }: SweepClaim): Promise<number | null> {
  return store.write(async (tx) => {
    await tx
      .insertInto('archive_sweeps')
      .values({ namespace, watermark: 0, taken_until: 0 })
      // An update that changes nothing locks the row.
      .onConflict((there) => there.column('namespace').doUpdateSet({ namespace }))
      .execute();
    const { watermark, taken_until } = await tx
      .selectFrom('archive_sweeps')
      .where('namespace', '=', namespace)
      .selectAll()
      .executeTakeFirstOrThrow();
    // A claim longer than any lease was made by a clock that was ahead.
    if (!force && taken_until > now && taken_until <= now + leaseMs) return null;
    await tx
      .updateTable('archive_sweeps')
      .set({ taken_until: now + leaseMs })
      .where('namespace', '=', namespace)
      .execute();
    return Math.min(watermark, now);
  });
}

/** Ends the claim and records the progress. @throws StoreError */
export async function completeSweep(
  store: Store,
  { namespace, watermark }: { readonly namespace: string; readonly watermark: number },
): Promise<void> {
  await store.write((tx) =>
    tx.updateTable('archive_sweeps').set({ watermark, taken_until: 0 }).where('namespace', '=', namespace).execute(),
  );
}

/**
 * Places for the calls of a tool over all workers of a store.
 *
 * P1 All calls of a group are one line, in order of arrival. The first ones have a place, as many as the group may have.
 * P2 Each entry is a lease that its worker renews: that of a killed worker expires, and the next call has its place.
 * P3 An expired entry is deleted before a later call counts without it, so its worker cannot renew it: both would have a place.
 * P4 Leases follow the database's clock.
 */

import { randomUUID } from 'node:crypto';
import { readDatabaseClock } from '../db/clock.js';
import { lockExclusive, type Store } from '../db/store.js';

export interface FleetPlaces {
  /** Joins the line of a group, at its end. @throws StoreError */
  readonly join: (group: string) => Promise<LineEntry>;
  /** Milliseconds after which an entry must have been renewed. */
  readonly leaseMs: number;
}

export interface LineEntry {
  /** Returns the number of calls before it; null where its lease has expired. @throws StoreError */
  readonly countBefore: () => Promise<number | null>;
  /** Returns whether it is still in the line. @throws StoreError */
  readonly renew: () => Promise<boolean>;
  /** @throws StoreError */
  readonly leave: () => Promise<void>;
}

/** Milliseconds for which a killed worker keeps its places. */
const defaultLeaseMs = 30_000;

interface FleetOptions {
  /** Of Temporal: its workers share places. */
  readonly namespace: string;
  readonly leaseMs?: number;
  /** For tests; default: the database's clock. */
  readonly now?: () => number;
}

export function createFleetPlaces(
  store: Store,
  { namespace, leaseMs = defaultLeaseMs, now }: FleetOptions,
): FleetPlaces {
  const getTime = (db: Store['db']) => (now === undefined ? readDatabaseClock(db, store) : Promise.resolve(now()));
  return {
    leaseMs,
    join: async (group) => {
      const line = JSON.stringify([namespace, group]);
      const id = randomUUID();
      const position = await store.write(async (tx) => {
        // A position becomes visible before the next one is taken.
        await lockExclusive(tx, store, `places:${line}`);
        const { last } = await tx
          .selectFrom('tool_places')
          .select((eb) => eb.fn.max('position').as('last'))
          .where('line', '=', line)
          .executeTakeFirstOrThrow();
        const next = Number(last ?? 0) + 1;
        const expires_at = (await getTime(tx)) + leaseMs;
        await tx.insertInto('tool_places').values({ id, line, position: next, expires_at }).execute();
        return next;
      });
      const listEntries = () =>
        store.db
          .selectFrom('tool_places')
          .select(['id', 'expires_at'])
          .where('line', '=', line)
          .where('position', '<=', position)
          .execute();
      return {
        countBefore: async () => {
          const at = await getTime(store.db);
          const found = await listEntries();
          if (!found.some((entry) => entry.id === id)) return null;
          // A clock that was set back must not keep the places of the dead.
          const isAlive = (time: number) => time > at && time <= at + leaseMs;
          if (found.every(({ expires_at }) => isAlive(expires_at))) return found.length - 1;
          await store.write(async (tx) => {
            const current = await getTime(tx);
            await tx
              .deleteFrom('tool_places')
              .where('line', '=', line)
              .where((eb) => eb.or([eb('expires_at', '<=', current), eb('expires_at', '>', current + leaseMs)]))
              .execute();
          });
          const left = await listEntries();
          return left.some((entry) => entry.id === id) ? left.length - 1 : null;
        },
        renew: async () => {
          const { numUpdatedRows } = await store.write(async (tx) => {
            const current = await getTime(tx);
            return tx
              .updateTable('tool_places')
              .set({ expires_at: current + leaseMs })
              .where('id', '=', id)
              .where('expires_at', '>', current)
              .executeTakeFirst();
          });
          return numUpdatedRows > 0n;
        },
        leave: async () => {
          await store.write((tx) => tx.deleteFrom('tool_places').where('id', '=', id).execute());
        },
      };
    },
  };
}

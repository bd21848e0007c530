/** Open circuits of endpoints, shared by the workers of a store: what one of them found out of order, no other one calls. */

import type { SharedCircuits } from '../../models/endpoints/endpoint-health.js';
import type { Store } from '../db/store.js';

/** @param namespace of Temporal: its workers share circuits */
export function createCircuitStore({ db, write }: Store, namespace: string): SharedCircuits {
  const toKey = (endpoint: string) => JSON.stringify([namespace, endpoint]);
  return {
    read: async (endpoint) => {
      const row = await db
        .selectFrom('open_circuits')
        .select(['until', 'pauses'])
        .where('endpoint', '=', toKey(endpoint))
        .executeTakeFirst();
      return row === undefined ? null : { kind: 'open', until: row.until, pauses: row.pauses };
    },
    claim: async (endpoint, seen, { until, pauses }) => {
      const { numUpdatedRows } = await write((tx) =>
        tx
          .updateTable('open_circuits')
          .set({ until, pauses })
          .where('endpoint', '=', toKey(endpoint))
          .where('until', '=', seen.until)
          .executeTakeFirst(),
      );
      return numUpdatedRows > 0n;
    },
    open: async (endpoint, { until, pauses }) => {
      await write((tx) =>
        tx
          .insertInto('open_circuits')
          .values({ endpoint: toKey(endpoint), until, pauses })
          .onConflict((conflict) => conflict.column('endpoint').doNothing())
          .execute(),
      );
    },
    close: async (endpoint) => {
      await write((tx) => tx.deleteFrom('open_circuits').where('endpoint', '=', toKey(endpoint)).execute());
    },
  };
}

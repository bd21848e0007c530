/** Open circuits of endpoints, shared by the workers of a store: what one of them found out of order, no other one calls. */

import type { Store } from '../db/store.js';

interface OpenCircuit {
  readonly kind: 'open';
  /** Milliseconds since 1970: the next probe. */
  readonly until: number;
  /** Pauses in a row. */
  readonly pauses: number;
}

export interface CircuitStore {
  readonly read: (endpoint: string) => Promise<OpenCircuit | null>;
  /** Replaces the circuit if it is still `seen`; returns whether it was. */
  readonly claim: (endpoint: string, seen: OpenCircuit, probe: OpenCircuit) => Promise<boolean>;
  /** An open circuit stays as it is. */
  readonly open: (endpoint: string, circuit: OpenCircuit) => Promise<void>;
  readonly close: (endpoint: string) => Promise<void>;
}

/** @param namespace of Temporal: its workers share circuits */
export function createCircuitStore({ db, write }: Store, namespace: string): CircuitStore {
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

/** The table of endpoints that are not called for a while, shared by workers. */

import type { Transaction } from 'kysely';

export interface CircuitTables {
  open_circuits: {
    /** Namespace, provider and model. */
    endpoint: string;
    /** Milliseconds since 1970: the next probe. */
    until: number;
    /** Pauses in a row. */
    pauses: number;
  };
}

export async function createCircuitTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('open_circuits')
    .addColumn('endpoint', 'text', (column) => column.primaryKey())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addColumn('pauses', 'integer', (column) => column.notNull())
    .execute();
}

/** The table of calls that have a place of a limited tool, or wait for one, over all workers of a store. */

import type { Transaction } from 'kysely';

export interface PlaceTables {
  tool_places: {
    id: string;
    /** Namespace and group. */
    line: string;
    /** Place in the line: the lower ones are before it. */
    position: number;
    /** Milliseconds since 1970. */
    expires_at: number;
  };
}

export async function createPlaceTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('tool_places')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('line', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('tool_places_position', ['line', 'position'])
    .execute();
}

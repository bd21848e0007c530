/** The table of users' preferences. */

import type { Transaction } from 'kysely';

export interface PreferenceTables {
  preferences: {
    namespace: string;
    /** Empty without a tenant. */
    tenant: string;
    person: string;
    /** The switches, as JSON. */
    switches: string;
  };
}

export async function createPreferenceTables({ schema }: Transaction<unknown>): Promise<void> {
  await schema
    .createTable('preferences')
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text', (column) => column.notNull())
    .addColumn('person', 'text', (column) => column.notNull())
    .addColumn('switches', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('preferences_key', ['namespace', 'tenant', 'person'])
    .execute();
}

/** One step of a store's tables from one version to the next. */

import type { Transaction } from 'kysely';
import type { StoreKind } from './store-kind.js';

export interface Migration {
  /** Four digits and a word, `0001-tables`: they are applied in this order. */
  readonly name: string;
  /** It knows no table's type: those of today may not be those that it found. */
  readonly up: (tx: Transaction<unknown>, kind: StoreKind) => Promise<void>;
}

export interface MigrationTables {
  longhand_migrations: { name: string; applied_at: number };
}

import type { Transaction } from 'kysely';
import type { Tables } from '../db/tables.js';

/** What `Store.write` gives to its work. */
export type Tx = Transaction<Tables>;

/** The tables of contents that are too large for a history, and of the chains that have them. */

import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { getBytesColumnType } from '../../store-dialect.js';
import type { StoreKind } from '../../store-option.js';

export interface BlobTables {
  /** One content. While it is written it has no digest, and cannot be found. */
  blobs: {
    id: string;
    digest: string | null;
    bytes: number;
    /** Number of chunks in `blob_chunks`; null when the content is in a folder. */
    chunks: number | null;
    created_at: number;
  };
  blob_chunks: { blob: string; number: number; content: Uint8Array };
  /** Only a chain with a reference may read the content. */
  blob_refs: {
    namespace: string;
    chain_id: string;
    digest: string;
    blob: string;
    media_type: string;
    stored_at: number;
  };
  /** One row: the id by which folders of contents recognize their store. */
  blob_home: { id: string };
}

export async function createBlobTables(tx: Transaction<unknown>, kind: StoreKind): Promise<void> {
  const { schema } = tx;
  await schema
    .createTable('blobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('digest', 'text', (column) => column.unique())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('chunks', 'integer')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('blob_chunks')
    .addColumn('blob', 'text', (column) => column.notNull().references('blobs.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('content', getBytesColumnType(kind), (column) => column.notNull())
    .addPrimaryKeyConstraint('blob_chunks_key', ['blob', 'number'])
    .execute();
  await schema
    .createTable('blob_refs')
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    // The constraint protects a content that a chain has even from a bug.
    .addColumn('blob', 'text', (column) => column.notNull().references('blobs.id'))
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('stored_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('blob_refs_key', ['namespace', 'chain_id', 'digest'])
    .execute();
  await schema.createIndex('blob_refs_blob').on('blob_refs').column('blob').execute();
  await schema
    .createTable('blob_home')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .execute();
  await sql`insert into blob_home (id) values (${randomUUID()})`.execute(tx);
}

/** References from chains to contents (B1). A content is not deleted while a chain refers to it (B2, blobs.ts). */

import type { Transaction } from 'kysely';
import { lockExclusive, type Store, type Tables } from '../db/store.js';

/** The chain that has a content. */
export interface BlobOwner {
  readonly namespace: string;
  readonly chainId: string;
}

export interface BlobInfo {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** References that are deleted in one transaction. */
export const referenceBatchSize = 100;

/** Records that the chain has the content, if it exists. The lock excludes a deletion and another writer of the content. */
export async function addBlobReference(
  tx: Transaction<Tables>,
  store: Store,
  owner: BlobOwner,
  blob: BlobInfo,
  now: number,
): Promise<boolean> {
  const { digest, mediaType } = blob;
  await lockExclusive(tx, store, `blob:${digest}`);
  const known = await tx.selectFrom('blobs').select('id').where('digest', '=', digest).executeTakeFirst();
  if (known === undefined) return false;
  await tx
    .insertInto('blob_refs')
    .values({
      namespace: owner.namespace,
      chain_id: owner.chainId,
      digest,
      blob: known.id,
      media_type: mediaType,
      stored_at: now,
    })
    // A later chain with the same id may store the same content again.
    .onConflict((there) => there.columns(['namespace', 'chain_id', 'digest']).doUpdateSet({ stored_at: now }))
    .execute();
  return true;
}

export interface UnreferencedBlob {
  readonly id: string;
  readonly digest: string | null;
  readonly chunks: number | null;
}

/** Deletes a batch of the chain's references, and the contents without any reference afterwards. */
export async function deleteBlobReferences(
  tx: Transaction<Tables>,
  store: Store,
  { namespace, chainId }: BlobOwner,
  until = Number.MAX_SAFE_INTEGER,
): Promise<{ readonly refs: number; readonly free: readonly UnreferencedBlob[] }> {
  const own = { namespace, chain_id: chainId };
  const refs = await tx
    .selectFrom('blob_refs')
    .select(['digest', 'blob'])
    .where((eb) => eb.and(own))
    .where('stored_at', '<=', until)
    .orderBy('digest')
    .limit(referenceBatchSize)
    .execute();
  if (refs.length === 0) return { refs: 0, free: [] };
  for (const { digest } of refs) await lockExclusive(tx, store, `blob:${digest}`);
  const digests = refs.map(({ digest }) => digest);
  await tx
    .deleteFrom('blob_refs')
    .where((eb) => eb.and(own))
    .where('digest', 'in', digests)
    .execute();
  const free = await tx
    .deleteFrom('blobs')
    .where('digest', 'in', digests)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('blob_refs').select('blob_refs.blob').whereRef('blob_refs.blob', '=', 'blobs.id'))),
    )
    .returning(['id', 'digest', 'chunks'])
    .execute();
  return { refs: refs.length, free };
}

/** References to contents: which chain has which content (B1), so that no content goes while a chain has it (B2, blobs.ts). */

import type { Transaction } from 'kysely';
import { lockExclusive, type Store, type Tables } from '../db/store.js';

/** Whose a content is. */
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

/** References that are taken away in one transaction. */
export const referenceBatchSize = 100;

/** Notes that the chain has it, if it is there. The lock keeps away who deletes it, and who writes the same. */
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
    // A chain that was begun anew under the same id may store what the one before it had.
    .onConflict((there) => there.columns(['namespace', 'chain_id', 'digest']).doUpdateSet({ stored_at: now }))
    .execute();
  return true;
}

export interface UnreferencedBlob {
  readonly id: string;
  readonly digest: string | null;
  readonly chunks: number | null;
}

/** So many references of the chain, and the contents that nobody has then. */
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

/** Bytes of contents beside everything else: one backup has all. Their pieces go with the content's row. */

import { StoreError } from '../db/errors.js';
import type { Store } from '../db/store.js';
import type { BlobBytes, Content } from './blob-bytes.js';

export function blobsInDatabase(store: Store): BlobBytes {
  return {
    place: store.place,
    write: async (id, pieces) => {
      let number = 0;
      // One transaction for each: nobody else waits for a slow reader.
      for await (const content of pieces) {
        const piece = { blob: id, number: number++, content };
        await store.write((tx) => tx.insertInto('blob_chunks').values(piece).execute());
      }
      return number;
    },
    writeIn: async (tx, blob, content) => {
      await tx.insertInto('blob_chunks').values({ blob, number: 0, content }).execute();
    },
    read: (id) => read(store, id),
    remove: async () => {},
    sweep: async () => {},
  };
}

async function* read({ db, place }: Store, id: string): Content {
  const chunks = db.selectFrom('blob_chunks').select('content').where('blob', '=', id);
  const { chunks: count } =
    (await db.selectFrom('blobs').select('chunks').where('id', '=', id).executeTakeFirst()) ?? {};
  for (let number = 0; number < (count ?? 1); number++) {
    const chunk = await chunks.where('number', '=', number).executeTakeFirst();
    if (chunk === undefined) {
      throw new StoreError(
        'missing',
        `The content is no longer in the store ${place}: it was deleted while it was read.`,
      );
    }
    yield chunk.content;
  }
}

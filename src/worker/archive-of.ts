/** The archive of a namespace, as the environment has it: for who archives beside a worker. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Archive } from '../activities/archive.js';
import { retentionFrom } from '../store/archive/retention.js';
import { blobsFrom } from '../store/blobs.js';
import type { Store } from '../store/store.js';

export interface ArchiveParts {
  readonly archive: Archive;
  /** Takes away what else is kept of a chain. */
  readonly forget: (chainId: string) => Promise<void>;
}

/**
 * Rules on who sees what, and on what is audited, are a worker's own: without them the strictest that are built in hold.
 *
 * @throws RangeError for a retention that cannot be used
 */
export function archiveOf(of: {
  readonly store: Store;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
}): ArchiveParts {
  const { store, namespace } = of;
  const blobs = blobsFrom(store, process.env);
  return {
    archive: { ...of, retention: retentionFrom(process.env), visibility: {}, audit: {} },
    forget: async (chainId) => void (await blobs.delete({ namespace, chainId })),
  };
}

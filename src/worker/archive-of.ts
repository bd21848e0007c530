/** The archive of a namespace, as the environment has it: for who archives beside a worker. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Archive } from '../activities/context/dependencies.js';
import type { VisibilityConfig } from '../core/view/visibility.js';
import { retentionFrom } from '../store/archive/retention.js';
import { blobsFrom } from '../store/blobs/blobs.js';
import type { Store } from '../store/db/store.js';

export interface ArchiveParts {
  readonly archive: Archive;
  /** Takes away what else was kept of a chain until it closed. */
  readonly forget: (chainId: string, closedAt: number) => Promise<void>;
}

/**
 * Rules on what is audited are a worker's own: without them all of it is.
 *
 * @throws RangeError for a retention that cannot be used
 */
export function archiveOf(of: {
  readonly store: Store;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
  /** Of the workers that archive there, where it is known. */
  readonly visibility?: VisibilityConfig;
}): ArchiveParts {
  const { store, namespace, visibility = {} } = of;
  const blobs = blobsFrom(store, process.env);
  return {
    archive: { ...of, retention: retentionFrom(process.env), visibility, audit: { visibility } },
    forget: async (chainId, until) => void (await blobs.delete({ namespace, chainId }, until)),
  };
}

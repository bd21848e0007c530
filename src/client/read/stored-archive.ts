/** An archive in its database. */

import type { ArchivedRuns } from '../../contract/index.js';
import type { CostReport } from '../../core/record/index.js';
import type { Preferences } from '../../core/view/index.js';
import {
  type ArchivePage,
  type ArchiveQuery,
  type BlobContent,
  type CostQuery,
  createArchiveReader,
  createPreferenceStore,
  isArchived,
  listWorkers,
  type OpenStore,
  openConfiguredBlobs,
  openStore,
  type PreferenceKey,
  queryArchive,
  type RegisteredWorker,
  sumCosts,
  toStore,
} from '../../store/index.js';

/** The bytes of a stored content. */
export interface ChainContent {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** An archive that exists. */
export interface StoredArchive extends ArchivedRuns {
  /** Whether the archive has the run, erased or not. */
  readonly has: (chainId: string, runId: string) => Promise<boolean>;
  readonly list: (query: Omit<ArchiveQuery, 'namespace'>) => Promise<ArchivePage>;
  /** Sums up the charges of archived chains by tenant, agent, model or tool. */
  readonly sumCosts: (query: Omit<CostQuery, 'namespace'>) => Promise<CostReport>;
  /** Returns the preferences of a user; all on where none are stored. */
  readonly readPreferences: (person: Omit<PreferenceKey, 'namespace'>) => Promise<Preferences>;
  /** Lists the workers of a queue that run with this store. */
  readonly listWorkers: (taskQueue: string) => Promise<readonly RegisteredWorker[]>;
  /** Returns a stored content of the first of these chains that has it; null for none. */
  readonly readContent: (chainIds: readonly string[], digest: string) => Promise<ChainContent | null>;
  /** Stores a content of a chain. @throws {StoreError} when the store's file does not exist */
  readonly writeContent: (chainId: string, content: Uint8Array, mediaType: string) => Promise<void>;
  /** Closes the store, unless the caller passed it. */
  readonly close: () => Promise<void>;
}

/** Opens the database at an address; the caller closes a store that it passes. */
export async function openStoredArchive(where: OpenStore | string, namespace: string): Promise<StoredArchive> {
  const store = typeof where === 'string' ? await openStore(where) : toStore(where);
  const { findRun, findChain } = createArchiveReader(store, namespace);
  return {
    findRun,
    findChain,
    has: (chainId, runId) => isArchived(store, { namespace, chainId }, runId),
    sumCosts: (query) => sumCosts(store, { ...query, namespace }),
    readPreferences: (person) => createPreferenceStore(store).read({ ...person, namespace }),
    listWorkers: (taskQueue) => listWorkers(store, { namespace, taskQueue }),
    readContent: async (chainIds, digest) => {
      const blobs = openConfiguredBlobs(store, process.env);
      for (const chainId of chainIds) {
        const blob = await blobs.get({ namespace, chainId }, digest);
        if (blob !== null) return { mediaType: blob.mediaType, bytes: await collectBytes(blob.content) };
      }
      return null;
    },
    writeContent: async (chainId, content, mediaType) => {
      await openConfiguredBlobs(store, process.env).put({ namespace, chainId }, content, mediaType);
    },
    list: (query) => queryArchive(store, { ...query, namespace }),
    close: async () => {
      if (typeof where === 'string') await store.close();
    },
  };
}

async function collectBytes(content: BlobContent): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

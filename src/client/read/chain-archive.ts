/** The archive for reading: opened on first use, never created by a reader. */

import { existsSync } from 'node:fs';
import type { ArchivedRuns } from '../../contract/archived-runs.js';
import { type CostReport, createEmptyReport } from '../../core/record/cost-report.js';
import { allPreferencesOn, type Preferences } from '../../core/view/visibility.js';
import { createArchiveReader } from '../../store/archive/archived-runs.js';
import { isArchived } from '../../store/archive/put-run.js';
import { type ArchivePage, type ArchiveQuery, queryArchive } from '../../store/archive/query-archive.js';
import { type CostQuery, sumCosts } from '../../store/archive/sum-costs.js';
import type { BlobContent } from '../../store/blobs/blob-backend.js';
import { openConfiguredBlobs } from '../../store/blobs/blobs.js';
import { StoreError } from '../../store/db/errors.js';
import { openStore } from '../../store/db/open.js';
import type { Store } from '../../store/db/store.js';
import { parseStoreLocation, readStoreUrl } from '../../store/db/store-location.js';
import { createPreferenceStore, type PreferenceKey } from '../../store/preferences/preferences.js';
import { listWorkers, type RegisteredWorker } from '../../store/workers/worker-registry.js';

/** The bytes of a stored content. */
export interface ChainContent {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The archive of one namespace. */
export interface ChainArchive extends ArchivedRuns {
  /** Address of the store, for display. */
  readonly place: string;
  /** False when the store's file does not exist. */
  readonly exists: boolean;
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

/**
 * @param requested a store, its address, or null for none. Default: `LONGHAND_STORE`, else none
 * @throws {StoreError} for an invalid address
 */
export function openChainArchive(
  requested: Store | string | null | undefined,
  env: NodeJS.ProcessEnv,
  namespace: string,
): ChainArchive | null {
  const where = requested === undefined ? readStoreUrl(env) : requested;
  if (where === null) return null;
  if (typeof where !== 'string')
    return createChainArchive(async () => where, { place: where.location, exists: true, namespace });
  const place = parseStoreLocation(where);
  const exists = place.kind !== 'file' || existsSync(place.path);
  let opened: Promise<Store> | null = null;
  const open = () => {
    opened ??= openStore(where).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const close = async () => {
    const store = await opened?.catch(() => null);
    await store?.close();
  };
  return { ...createChainArchive(open, { place: place.display, exists, namespace }), close };
}

function createChainArchive(
  open: () => Promise<Store>,
  { namespace, ...about }: Pick<ChainArchive, 'place' | 'exists'> & { readonly namespace: string },
): ChainArchive {
  const nothing = { chains: [], cursor: null };
  const { exists } = about;
  const runs = async () => createArchiveReader(await open(), namespace);
  return {
    ...about,
    findRun: async (chainId, runId) => (exists ? (await runs()).findRun(chainId, runId) : null),
    findChain: async (chainId) => (exists ? (await runs()).findChain(chainId) : null),
    has: async (chainId, runId) => exists && isArchived(await open(), { namespace, chainId }, runId),
    sumCosts: async (query) => (exists ? sumCosts(await open(), { ...query, namespace }) : createEmptyReport(query.by)),
    readPreferences: async (person) =>
      exists ? createPreferenceStore(await open()).read({ ...person, namespace }) : allPreferencesOn,
    listWorkers: async (taskQueue) => (exists ? listWorkers(await open(), { namespace, taskQueue }) : []),
    readContent: async (chainIds, digest) => {
      if (!exists) return null;
      const blobs = openConfiguredBlobs(await open(), process.env);
      for (const chainId of chainIds) {
        const blob = await blobs.get({ namespace, chainId }, digest);
        if (blob !== null) return { mediaType: blob.mediaType, bytes: await collectBytes(blob.content) };
      }
      return null;
    },
    writeContent: async (chainId, content, mediaType) => {
      if (!exists)
        throw new StoreError(
          'missing',
          `There is no store at ${about.place}. Set LONGHAND_STORE to the workers' store.`,
        );
      await openConfiguredBlobs(await open(), process.env).put({ namespace, chainId }, content, mediaType);
    },
    list: async (query) => (exists ? queryArchive(await open(), { ...query, namespace }) : nothing),
    close: async () => {},
  };
}

async function collectBytes(content: BlobContent): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * The archive, as a client reads it: opened when it is first needed, and never made by whoever only looks.
 */

import { existsSync } from 'node:fs';
import type { ArchivedRuns } from '../../contract/archived-runs.js';
import { createArchiveReader } from '../../store/archive/archived-runs.js';
import { isArchived } from '../../store/archive/put-run.js';
import { type ArchivePage, type ArchiveQuery, queryArchive } from '../../store/archive/query-archive.js';
import { openStore } from '../../store/db/open.js';
import type { Store } from '../../store/db/store.js';
import { parseStoreLocation, readStoreUrl } from '../../store/db/store-location.js';

/** Of one namespace. */
export interface ChainArchive extends ArchivedRuns {
  /** Where it lies, for people. */
  readonly place: string;
  /** Whether there is anything to be read in: a file that nobody has made is no archive. */
  readonly exists: boolean;
  /** Whether a run is there, whole or erased. */
  readonly has: (chainId: string, runId: string) => Promise<boolean>;
  readonly list: (query: Omit<ArchiveQuery, 'namespace'>) => Promise<ArchivePage>;
  /** Leaves open what it was given. */
  readonly close: () => Promise<void>;
}

/**
 * @param given a store, where one lies, or null for none. Default: what `LONGHAND_STORE` names, else a file among the
 *   user's data
 * @throws StoreError for what is no place of a store
 */
export function openChainArchive(
  given: Store | string | null | undefined,
  env: NodeJS.ProcessEnv,
  namespace: string,
): ChainArchive | null {
  const where = given === undefined ? readStoreUrl(env) : given;
  if (where === null) return null;
  if (typeof where !== 'string')
    return createChainArchive(async () => where, { place: where.location, exists: true, namespace });
  const place = parseStoreLocation(where);
  const isThere = place.kind !== 'file' || existsSync(place.path);
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
  return { ...createChainArchive(open, { place: place.display, exists: isThere, namespace }), close };
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
    list: async (query) => (exists ? queryArchive(await open(), { ...query, namespace }) : nothing),
    close: async () => {},
  };
}

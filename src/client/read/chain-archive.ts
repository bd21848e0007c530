/**
 * The archive, as a client reads it: opened when it is first needed, and never made by whoever only looks.
 */

import { existsSync } from 'node:fs';
import type { ArchivedRuns } from '../../contract/archived-runs.js';
import { archivedRuns } from '../../store/archive/archived-runs.js';
import { type ArchivePage, type ArchiveQuery, listArchived } from '../../store/archive/list-chains.js';
import { isArchived } from '../../store/archive/put-run.js';
import { openStore } from '../../store/db/open.js';
import { placeOf, storeFrom } from '../../store/db/place.js';
import type { Store } from '../../store/db/store.js';

/** Of one namespace. */
export interface ChainArchive extends ArchivedRuns {
  /** Where it lies, for people. */
  readonly place: string;
  /** Whether there is anything to be read in: a file that nobody has made is no archive. */
  readonly isThere: boolean;
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
export function chainArchive(
  given: Store | string | null | undefined,
  env: NodeJS.ProcessEnv,
  namespace: string,
): ChainArchive | null {
  const where = given === undefined ? storeFrom(env) : given;
  if (where === null) return null;
  if (typeof where !== 'string') return archiveIn(async () => where, { place: where.place, isThere: true, namespace });
  const place = placeOf(where);
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
  return { ...archiveIn(open, { place: place.shown, isThere, namespace }), close };
}

function archiveIn(
  open: () => Promise<Store>,
  { namespace, ...about }: Pick<ChainArchive, 'place' | 'isThere'> & { readonly namespace: string },
): ChainArchive {
  const nothing = { chains: [], cursor: null };
  const { isThere } = about;
  const runs = async () => archivedRuns(await open(), namespace);
  return {
    ...about,
    run: async (chainId, runId) => (isThere ? (await runs()).run(chainId, runId) : null),
    chain: async (chainId) => (isThere ? (await runs()).chain(chainId) : null),
    has: async (chainId, runId) => isThere && isArchived(await open(), { namespace, chainId }, runId),
    list: async (query) => (isThere ? listArchived(await open(), { ...query, namespace }) : nothing),
    close: async () => {},
  };
}

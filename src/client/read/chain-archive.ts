/** The archive for reading: opened on first use, never created by a reader. */

import { existsSync } from 'node:fs';
import { createEmptyReport } from '../../core/record/index.js';
import { allPreferencesOn } from '../../core/view/index.js';
import {
  type OpenStore,
  parseStoreLocation,
  readStoreUrl,
  type Store,
  StoreError,
  toStore,
} from '../../store/index.js';
import type { StoredArchive } from './stored-archive.js';

/** The archive of one namespace. */
export interface ChainArchive extends StoredArchive {
  /** Address of the store, for display. */
  readonly place: string;
  /** False when the store's file does not exist. */
  readonly exists: boolean;
}

/**
 * @param requested a store, its address, or null for none. Default: `LONGHAND_STORE`, else none
 * @throws {StoreError} for an invalid address
 */
export function openChainArchive(
  requested: OpenStore | string | null | undefined,
  env: NodeJS.ProcessEnv,
  namespace: string,
): ChainArchive | null {
  const found = requested === undefined ? readStoreUrl(env) : requested;
  if (found === null) return null;
  const where = typeof found === 'string' ? found : toStore(found);
  const place = typeof where === 'string' ? parseStoreLocation(where) : null;
  const exists = place?.kind !== 'file' || existsSync(place.path);
  let opened: Promise<StoredArchive> | null = null;
  // The database is loaded when it is read.
  const open = () => {
    opened ??= import('./stored-archive.js')
      .then(({ openStoredArchive }) => openStoredArchive(where, namespace))
      .catch((error: unknown) => {
        opened = null;
        throw error;
      });
    return opened;
  };
  const display = place?.display ?? (where as Store).location;
  return {
    place: display,
    exists,
    findRun: async (chainId, runId) => (exists ? (await open()).findRun(chainId, runId) : null),
    findChain: async (chainId) => (exists ? (await open()).findChain(chainId) : null),
    has: async (chainId, runId) => exists && (await open()).has(chainId, runId),
    sumCosts: async (query) => (exists ? (await open()).sumCosts(query) : createEmptyReport(query.by)),
    readPreferences: async (person) => (exists ? (await open()).readPreferences(person) : allPreferencesOn),
    listWorkers: async (taskQueue) => (exists ? (await open()).listWorkers(taskQueue) : []),
    readContent: async (chainIds, digest) => (exists ? (await open()).readContent(chainIds, digest) : null),
    writeContent: async (chainId, content, mediaType) => {
      if (!exists)
        throw new StoreError('missing', `There is no store at ${display}. Set LONGHAND_STORE to the workers' store.`);
      await (await open()).writeContent(chainId, content, mediaType);
    },
    list: async (query) => (exists ? (await open()).list(query) : { chains: [], cursor: null }),
    close: async () => {
      const archive = await opened?.catch(() => null);
      await archive?.close();
    },
  };
}

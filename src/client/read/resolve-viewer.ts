/**
 * The preferences of a viewer, for all readers: the handles of the client, and the commands of the command line. A viewer
 * without preferences of its own has those that are stored for its user.
 */

import type { Viewer } from '../../core/view/index.js';
import type { ChainArchive } from './chain-archive.js';

/** @param store null for none: all preferences are then on @throws {StoreError} when the preferences cannot be read */
export async function resolveViewer(
  viewer: Viewer,
  store: Pick<ChainArchive, 'readPreferences'> | null,
): Promise<Viewer> {
  const { user, tenant } = viewer;
  if (viewer.preferences !== undefined || user === null || store === null) return viewer;
  return { ...viewer, preferences: await store.readPreferences({ user, tenant }) };
}

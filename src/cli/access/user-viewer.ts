/** `--user` and `--tenant` of the commands that show a chain: the viewer has the stored preferences of that user. */

import { allPreferencesOn, type Preferences } from '../../core/view/visibility.js';
import { isStoreError } from '../../store/db/errors.js';
import { readStoreUrl } from '../../store/db/store-location.js';
import { createPreferenceStore } from '../../store/preferences/preferences.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from './chain-viewer.js';
import { getNamespace, withStore } from './open.js';

export interface UserViewFlags extends ViewFlags {
  readonly user?: string;
  readonly tenant?: string;
}

/** @throws UsageError when the rules cannot be read or are invalid; StoreError when the preferences cannot be read */
export async function createUserViewer({ user, tenant, ...flags }: UserViewFlags): Promise<ChainViewer> {
  const of = tenant === undefined ? {} : { tenant };
  if (user === undefined) return createChainViewer(flags, of);
  return createChainViewer(flags, { ...of, user, preferences: await readPreferences(user, tenant ?? null) });
}

/** All are on without a store: a reader creates none. */
async function readPreferences(user: string, tenant: string | null): Promise<Preferences> {
  if (readStoreUrl(process.env) === null) return allPreferencesOn;
  try {
    return await withStore((store) => createPreferenceStore(store).read({ namespace: getNamespace({}), tenant, user }));
  } catch (error) {
    if (isStoreError(error) && error.kind === 'missing' && !process.env.LONGHAND_STORE) return allPreferencesOn;
    throw error;
  }
}

/** The preferences of users: five switches for each user of a tenant. A user without stored ones has all on. */

import { isObject, type Json } from '../../core/lib/index.js';
import { allPreferencesOn, type Preferences } from '../../core/view/index.js';
import type { PreferenceKey } from '../db/queries.js';
import type { Store } from '../db/store.js';

export interface PreferenceStore {
  readonly read: (key: PreferenceKey) => Promise<Preferences>;
  readonly put: (key: PreferenceKey, preferences: Preferences) => Promise<void>;
  /** Deletes the preferences of a person in all tenants, or of all persons of a tenant. */
  readonly erase: (
    owner: Pick<PreferenceKey, 'namespace'> & ({ readonly user: string } | { readonly tenant: string }),
  ) => Promise<void>;
}

export function createPreferenceStore({ db, write }: Store): PreferenceStore {
  return {
    read: async ({ namespace, tenant, user }) => {
      const stored = await db
        .selectFrom('preferences')
        .select('switches')
        .where('namespace', '=', namespace)
        .where('tenant', '=', tenant ?? '')
        .where('person', '=', user)
        .executeTakeFirst();
      return stored === undefined ? allPreferencesOn : toPreferences(JSON.parse(stored.switches) as Json);
    },
    put: async ({ namespace, tenant, user }, preferences) => {
      const switches = JSON.stringify(preferences);
      await write((tx) =>
        tx
          .insertInto('preferences')
          .values({ namespace, tenant: tenant ?? '', person: user, switches })
          .onConflict((conflict) => conflict.columns(['namespace', 'tenant', 'person']).doUpdateSet({ switches }))
          .execute(),
      );
    },
    erase: async ({ namespace, ...owner }) => {
      await write((tx) => {
        const all = tx.deleteFrom('preferences').where('namespace', '=', namespace);
        return (
          'user' in owner ? all.where('person', '=', owner.user) : all.where('tenant', '=', owner.tenant)
        ).execute();
      });
    },
  };
}

/** Switches that are missing are on. */
function toPreferences(switches: Json): Preferences {
  const isOn = (name: keyof Preferences) => !isObject(switches) || switches[name] !== false;
  return {
    progressSummary: isOn('progressSummary'),
    thinking: isOn('thinking'),
    externalCalls: isOn('externalCalls'),
    internalCalls: isOn('internalCalls'),
    finalReasoning: isOn('finalReasoning'),
  };
}

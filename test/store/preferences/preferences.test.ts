/** The preferences of users, for each tenant and user. */

import { expect, it } from 'vitest';
import { allPreferencesOn } from '../../../src/core/view/preferences.js';
import type { PreferenceKey } from '../../../src/store/db/queries.js';
import { createPreferenceStore } from '../../../src/store/preferences/preferences.js';
import { alsoOnPostgres, describeStores } from '../../support/stores.js';

const key: PreferenceKey = { namespace: 'default', tenant: 'acme', user: 'ana' };
const quiet = { ...allPreferencesOn, thinking: false };

describeStores((open) => {
  it('keeps the five switches of each user of each tenant, and has all on for other users', async () => {
    const { read, put } = createPreferenceStore(await open());
    expect(await read(key)).toEqual(allPreferencesOn);
    await put(key, { ...quiet, progressSummary: false });
    await put(key, quiet);
    expect(await read(key)).toEqual(quiet);
    for (const other of [{ user: 'bob' }, { tenant: null }, { tenant: 'other' }, { namespace: 'other' }])
      expect(await read({ ...key, ...other })).toEqual(allPreferencesOn);
  });

  it('erases those of a person, or of a tenant', async () => {
    const { read, put, erase } = createPreferenceStore(await open());
    const others: readonly PreferenceKey[] = [
      { ...key, tenant: null },
      { ...key, user: 'bob' },
    ];
    for (const each of [key, ...others]) await put(each, quiet);
    await erase({ namespace: 'default', user: 'ana' });
    expect(await Promise.all([key, ...others].map(read))).toEqual([allPreferencesOn, allPreferencesOn, quiet]);
    await erase({ namespace: 'default', tenant: 'acme' });
    expect(await read({ ...key, user: 'bob' })).toEqual(allPreferencesOn);
  });
}, alsoOnPostgres);

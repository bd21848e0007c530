/** `longhand preferences show` and `set`: the stored switches of a user. */

import { findNearest } from '../../core/lib/index.js';
import { allPreferencesOn, type Preferences } from '../../core/view/index.js';
import { createPreferenceStore, type PreferenceKey } from '../../store/index.js';
import { getNamespace, getSystemUser, withStore, withWrittenStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface PreferenceFlags {
  readonly user?: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

const names = Object.keys(allPreferencesOn) as (keyof Preferences)[];

export async function showPreferences(terminal: Terminal, flags: PreferenceFlags): Promise<number> {
  const preferences = await withStore((store) => createPreferenceStore(store).read(toKey(flags)));
  printPreferences(terminal, preferences, flags);
  return 0;
}

export async function setPreferences(
  terminal: Terminal,
  switches: readonly string[],
  flags: PreferenceFlags,
): Promise<number> {
  const changed: Partial<Preferences> = Object.fromEntries(switches.map(parseSwitch));
  const key = toKey(flags);
  const preferences = await withWrittenStore(async (store) => {
    const stored = createPreferenceStore(store);
    const next = { ...(await stored.read(key)), ...changed };
    await stored.put(key, next);
    return next;
  });
  printPreferences(terminal, preferences, flags);
  return 0;
}

function toKey(flags: PreferenceFlags): PreferenceKey {
  return { namespace: getNamespace(), tenant: flags.tenant ?? null, user: flags.user ?? getSystemUser() };
}

/** @throws UsageError */
function parseSwitch(text: string): readonly [keyof Preferences, boolean] {
  const [, name = '', value] = /^([^=]+)=(on|off)$/.exec(text) ?? [];
  const known = names.find((candidate) => candidate === name);
  if (known !== undefined) return [known, value === 'on'];
  if (value === undefined) throw new UsageError(`Invalid switch "${text}". Write thinking=off or thinking=on.`);
  const meant = findNearest(name, names);
  const fix = meant === null ? `Use one of ${names.join(', ')}.` : `You may mean ${meant}.`;
  throw new UsageError(`There is no switch ${name}. ${fix}`);
}

function printPreferences(terminal: Terminal, preferences: Preferences, { json }: PreferenceFlags): void {
  if (json) {
    terminal.write(formatJson(preferences));
    return;
  }
  const cells = names.map((name) => [{ text: name }, { text: preferences[name] ? 'on' : 'off' }]);
  terminal.write(formatTable([{ head: 'preference' }, { head: 'value' }], cells, terminal));
}

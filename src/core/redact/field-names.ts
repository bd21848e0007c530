/** Which fields of a value hold secrets by their names. */

import { isObject, type Json, own } from '../json.js';
import { secretKind } from './key-names.js';
import { looksGiven } from './secret-values.js';

/** Whether a text or number that stands under a name is hidden whole. */
export function isUnderSecretName(value: string | number, name: string, names: ReadonlySet<string>): boolean {
  const kind = name === '' ? null : secretKind(name, names);
  if (kind === null || value === '') return false;
  // `credentials: "include"` is an option of `fetch`; a shell's `PWD` is where it stands.
  if (kind.field && /^(?:include|omit|same-origin)$/.test(String(value))) return false;
  if (name === 'PWD' || name === 'OLDPWD') return false;
  // A piece of a text is a token too, and so is what a number counts.
  return !kind.bare || (typeof value === 'string' && looksGiven(value, kind));
}

/** The name that counts for a member: its key, or what the object or the field that the object is in says it is. */
export function nameOfMember(key: string, parent: Json, parentName: string): string {
  if (!isObject(parent)) return key;
  if (key.toLowerCase() === 'value') return settingName(parent) ?? key;
  // `secrets: { db: "…" }`, but not the schema of such a field.
  const holdsSecrets = /(?:secrets|passwords|cookies)$/i.test(parentName) && secretKind(parentName) !== null;
  return holdsSecrets && typeof own(parent, 'type') !== 'string' ? parentName : key;
}

/** Of a setting that is given as `{ "name": "DB_PASSWORD", "value": "…" }`. */
function settingName(setting: { readonly [key: string]: Json }): string | null {
  for (const key of ['name', 'key', 'Name', 'Key']) {
    const name = own(setting, key);
    if (typeof name === 'string') return name;
  }
  return null;
}

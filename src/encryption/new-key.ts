/** Makes master keys, and puts a new one before those that were. */

import { randomBytes } from 'node:crypto';
import { EncryptionError } from './errors.js';
import { keyBytes, type MasterKeys } from './master-keys.js';

/** A set of one. */
export function newKeys(now: Date): MasterKeys {
  const id = newId(now);
  return { current: id, keys: { [id]: newKey(now) } };
}

/** @param later leaves the current key as it is: the new one is known everywhere first, and used then */
export function withNewKey({ current, keys }: MasterKeys, now: Date, later: boolean): MasterKeys {
  const id = newId(now);
  return { current: later ? current : id, keys: { ...keys, [id]: newKey(now) } };
}

/** @throws {EncryptionError} for a key that is not there */
export function withCurrent({ keys }: MasterKeys, id: string): MasterKeys {
  if (!Object.hasOwn(keys, id)) {
    throw new EncryptionError('key_file', `There is no key ${id} in it; there are ${Object.keys(keys).join(', ')}.`);
  }
  return { current: id, keys };
}

/** The day tells people which is which; the rest keeps two of a day apart. */
function newId(now: Date): string {
  return `${now.toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
}

function newKey(now: Date): MasterKeys['keys'][string] {
  return { key: randomBytes(keyBytes).toString('base64'), created: now.toISOString() };
}

/**
 * The keys that wrap all others: by id, one of them for new content. A `KeySource` says where they come from; a rotation
 * puts a new one before the old ones.
 */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { isObject } from '../core/lib/json.js';
import { EncryptionError } from './errors.js';

/** As a key file holds it. Keys are 32 bytes in base64. */
export interface MasterKeys {
  /** The id of the key that new content is sealed with. */
  readonly current: string;
  readonly keys: Readonly<Record<string, MasterKey>>;
}

export interface MasterKey {
  readonly key: string;
  /** When it was made, as ISO 8601; for people. */
  readonly created?: string;
}

/** Contract: `current` may look for newer keys and is asked seldom; `find` is asked for each key that is not known yet. */
export interface KeySource {
  readonly current: () => { readonly id: string; readonly key: KeyObject };
  readonly find: (id: string) => KeyObject | null;
  readonly ids: () => readonly string[];
}

export const keyBytes = 32;
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws {EncryptionError} for keys that cannot be used, saying which and why, and never what it held */
export function toMasterKeys(value: unknown, where: string): MasterKeys {
  const wrong = (why: string) => new EncryptionError('key_file', `${where} ${why}. \`longhand keys new\` writes one.`);
  if (!isObject(value) || typeof value.current !== 'string' || !isObject(value.keys)) {
    throw wrong('is not {"current": id, "keys": {id: {"key": 32 bytes in base64}}}');
  }
  const keys: Record<string, MasterKey> = {};
  for (const [id, given] of Object.entries(value.keys)) {
    if (!idPattern.test(id)) throw wrong(`has a key whose id is not made of letters, digits, ".", "_" and "-"`);
    if (!isObject(given) || typeof given.key !== 'string' || Buffer.from(given.key, 'base64').length !== keyBytes) {
      throw wrong(`holds no key of ${keyBytes} bytes in base64 as ${id}`);
    }
    const created = typeof given.created === 'string' ? { created: given.created } : {};
    keys[id] = { key: given.key, ...created };
  }
  if (!Object.hasOwn(keys, value.current)) throw wrong('names a current key that it does not hold');
  return { current: value.current, keys };
}

/** Keys that stay as they are. @throws {EncryptionError} */
export function createFixedKeySource(given: MasterKeys): KeySource {
  const { current, keys } = toMasterKeys(given, 'What was given as master keys');
  return createKeySource(
    current,
    new Map(Object.entries(keys).map(([id, { key }]) => [id, createSecretKey(key, 'base64')] as const)),
  );
}

function createKeySource(id: string, keys: ReadonlyMap<string, KeyObject>): KeySource {
  const key = keys.get(id);
  if (key === undefined) throw new EncryptionError('key_file', `There is no key ${id}.`);
  return { current: () => ({ id, key }), find: (other) => keys.get(other) ?? null, ids: () => [...keys.keys()] };
}

/** A set of one. */
export function createMasterKeys(now: Date): MasterKeys {
  const id = createKeyId(now);
  return { current: id, keys: { [id]: createMasterKey(now) } };
}

/** @param later leaves the current key as it is: the new one is known everywhere first, and used then */
export function addMasterKey({ current, keys }: MasterKeys, now: Date, later: boolean): MasterKeys {
  const id = createKeyId(now);
  return { current: later ? current : id, keys: { ...keys, [id]: createMasterKey(now) } };
}

/** @throws {EncryptionError} for a key that is not there */
export function setCurrentKey({ keys }: MasterKeys, id: string): MasterKeys {
  if (!Object.hasOwn(keys, id)) {
    throw new EncryptionError('key_file', `There is no key ${id} in it; there are ${Object.keys(keys).join(', ')}.`);
  }
  return { current: id, keys };
}

/** The day tells people which is which; the rest keeps two of a day apart. */
function createKeyId(now: Date): string {
  return `${now.toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
}

function createMasterKey(now: Date): MasterKeys['keys'][string] {
  return { key: randomBytes(keyBytes).toString('base64'), created: now.toISOString() };
}

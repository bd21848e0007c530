/**
 * The keys that wrap all data keys: by id, one of them current for new content. A `KeySource` provides them; a rotation
 * adds a new current key.
 */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { isObject } from '../core/lib/index.js';
import { EncryptionError } from './errors.js';

/** The content of a key file. Keys are 32 bytes in base64. */
export interface MasterKeys {
  /** The id of the key that new content is sealed with. */
  readonly current: string;
  readonly keys: Readonly<Record<string, MasterKey>>;
}

export interface MasterKey {
  readonly key: string;
  /** Creation time as ISO 8601; for display. */
  readonly created?: string;
}

/**
 * Source of master keys. Contract: `current` may reload keys and is called rarely; `find` is called for each unknown
 * key.
 */
export interface KeySource {
  readonly current: () => { readonly id: string; readonly key: KeyObject };
  readonly find: (id: string) => KeyObject | null;
  readonly ids: () => readonly string[];
}

export const keyBytes = 32;
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Validates master keys. @throws {EncryptionError} that names the invalid key, never its content */
export function toMasterKeys(value: unknown, where: string): MasterKeys {
  const problem = (why: string) =>
    new EncryptionError('key_file', `${where} ${why}. \`longhand keys new\` creates a valid one.`);
  if (!isObject(value) || typeof value.current !== 'string' || !isObject(value.keys)) {
    throw problem('is not {"current": id, "keys": {id: {"key": 32 bytes in base64}}}');
  }
  const keys: Record<string, MasterKey> = {};
  for (const [id, given] of Object.entries(value.keys)) {
    if (!idPattern.test(id)) throw problem(`has a key whose id is not made of letters, digits, ".", "_" and "-"`);
    if (!isObject(given) || typeof given.key !== 'string' || Buffer.from(given.key, 'base64').length !== keyBytes) {
      throw problem(`has an invalid key ${id}: expected ${keyBytes} bytes in base64`);
    }
    const created = typeof given.created === 'string' ? { created: given.created } : {};
    keys[id] = { key: given.key, ...created };
  }
  if (!Object.hasOwn(keys, value.current)) throw problem('has no key for the id in "current"');
  return { current: value.current, keys };
}

/** Creates a source of fixed keys. @throws {EncryptionError} */
export function createFixedKeySource(masterKeys: MasterKeys): KeySource {
  const { current, keys } = toMasterKeys(masterKeys, 'The option `encryption`');
  return createKeySource(
    current,
    new Map(Object.entries(keys).map(([id, { key }]) => [id, createSecretKey(key, 'base64')] as const)),
  );
}

function createKeySource(id: string, keys: ReadonlyMap<string, KeyObject>): KeySource {
  const key = keys.get(id);
  if (key === undefined) throw new EncryptionError('key_file', `Key ${id} not found.`);
  return { current: () => ({ id, key }), find: (other) => keys.get(other) ?? null, ids: () => [...keys.keys()] };
}

/** Creates master keys with one new key. */
export function createMasterKeys(now: Date): MasterKeys {
  const id = createKeyId(now);
  return { current: id, keys: { [id]: createMasterKey(now) } };
}

/**
 * Adds a new key.
 *
 * @param later keeps the current key, so that all processes know the new key before it is used
 */
export function addMasterKey({ current, keys }: MasterKeys, now: Date, later: boolean): MasterKeys {
  const id = createKeyId(now);
  return { current: later ? current : id, keys: { ...keys, [id]: createMasterKey(now) } };
}

/** Sets the current key. @throws {EncryptionError} if the key does not exist */
export function setCurrentKey({ keys }: MasterKeys, id: string): MasterKeys {
  if (!Object.hasOwn(keys, id)) {
    throw new EncryptionError('key_file', `Key ${id} not found. The key file has ${Object.keys(keys).join(', ')}.`);
  }
  return { current: id, keys };
}

/** Creates an id: the date for people, and random characters to distinguish keys of one day. */
function createKeyId(now: Date): string {
  return `${now.toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
}

function createMasterKey(now: Date): MasterKeys['keys'][string] {
  return { key: randomBytes(keyBytes).toString('base64'), created: now.toISOString() };
}

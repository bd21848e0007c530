/**
 * The file of the master keys: read, written, and followed while a worker runs, so that `longhand keys rotate` needs no
 * restart.
 *
 * 1. Only its owner may read it: a file that others may read is rejected, and written ones are 0600 from their first byte.
 * 2. It is replaced whole: a reader meets the old keys or the new ones.
 * 3. A change is made to what was read: two changes at once do not lose each other's key.
 * 4. An unknown key is looked for in the file again, if the file was replaced: an id that no key has costs a look at the
 *    folder, and a key that came a moment ago is found.
 * 5. The current key is the one in the file whenever it is asked for. A file that is gone or broken takes no key away.
 */

import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createMissingKeyError, EncryptionError } from './errors.js';
import { type KeySource, type MasterKeys, toMasterKeys } from './master-keys.js';

/** @throws {EncryptionError} that says what to do */
export function readKeyFile(path: string): MasterKeys {
  return parseMasterKeys(readKeyText(path), `The key file ${path}`);
}

/** @param where names it in errors, which never quote it */
export function parseMasterKeys(text: string, where: string): MasterKeys {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new EncryptionError('key_file', `${where} is not JSON. \`longhand keys new\` writes one.`);
  }
  return toMasterKeys(value, where);
}

/** Makes the file. @throws {EncryptionError} when there is one, which is left as it is: without it nothing could be read */
export function createKeyFile(path: string, keys: MasterKeys): void {
  writeKeyFile(path, keys, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') throw error;
      throw new EncryptionError(
        'key_file',
        `${path} exists, and is left as it is. \`longhand keys rotate\` adds a key to it.`,
      );
    }
  });
}

/** Changes what the file holds, one at a time. @throws {EncryptionError} */
export function updateKeyFile(path: string, change: (keys: MasterKeys) => MasterKeys): MasterKeys {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', 0o600));
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw createUnwritableError(path, error);
    throw new EncryptionError('key_file', `Somebody else changes ${path} just now. If nobody does, remove ${lock}.`);
  }
  try {
    const changed = change(readKeyFile(path));
    writeKeyFile(path, changed, (temporary) => renameSync(temporary, path));
    return changed;
  } finally {
    rmSync(lock, { force: true });
  }
}

function writeKeyFile(path: string, keys: MasterKeys, put: (temporary: string) => void): void {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    put(temporary);
  } catch (error) {
    throw error instanceof EncryptionError ? error : createUnwritableError(path, error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readKeyText(path: string): string {
  try {
    const others = statSync(path).mode & 0o077;
    if (others !== 0 && process.platform !== 'win32') {
      throw new EncryptionError(
        'key_file',
        `The key file ${path} may be read by others than its owner: \`chmod 600 ${path}\`. Where it cannot be, give its text in LONGHAND_ENCRYPTION_KEY instead.`,
      );
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof EncryptionError) throw error;
    const why = getErrorCode(error) === 'ENOENT' ? 'is not there' : `cannot be read (${getErrorCode(error)})`;
    throw new EncryptionError(
      'key_file',
      `The key file ${path} ${why}. LONGHAND_ENCRYPTION_KEYS names it; \`longhand keys new\` writes one.`,
    );
  }
}

function createUnwritableError(path: string, error: unknown): EncryptionError {
  return new EncryptionError(
    'key_file',
    `The key file ${path} cannot be written (${getErrorCode(error)}): choose another folder.`,
  );
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Master keys out of a file that may change while a worker runs. @param besides keys from elsewhere; where there are any, theirs is the current one */
export function createFileKeySource(path: string, besides: MasterKeys | null): KeySource {
  // Before the file is read: what is put there meanwhile is found the next time.
  let seen = readFileVersion(path);
  let [current, keys] = loadKeys(path, besides);
  const look = () => {
    const version = readFileVersion(path);
    if (version === seen) return;
    try {
      [current, keys] = loadKeys(path, besides);
      // One that cannot be used is looked at again: somebody may mend it where it lies.
      seen = version;
    } catch {
      // Invariant 5. Who has just started would have been told.
    }
  };
  return {
    current: () => {
      look();
      const key = keys.get(current);
      if (key === undefined) throw createMissingKeyError(current, [...keys.keys()]);
      return { id: current, key };
    },
    find: (id) => {
      if (!keys.has(id)) look();
      return keys.get(id) ?? null;
    },
    ids: () => [...keys.keys()],
  };
}

/** Another one for each file that is put there. Empty where there is none that can be looked at. */
function readFileVersion(path: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true });
    return [dev, ino, mtimeNs, size].join(' ');
  } catch {
    return '';
  }
}

/** @throws {EncryptionError} */
function loadKeys(path: string, besides: MasterKeys | null): [current: string, keys: ReadonlyMap<string, KeyObject>] {
  const { current, keys } = readKeyFile(path);
  const all = Object.entries({ ...keys, ...besides?.keys });
  return [besides?.current ?? current, new Map(all.map(([id, { key }]) => [id, createSecretKey(key, 'base64')]))];
}

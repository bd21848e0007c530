/**
 * The file of the master keys: reads and writes it, and follows it while a worker runs, so that `longhand keys rotate`
 * needs no restart.
 *
 * 1. Only the owner may read it: a file that others may read is rejected, and new files have mode 0600 from their first
 *    byte.
 * 2. It is replaced atomically: a reader sees the old keys or the new ones.
 * 3. Changes are serialized by a lock: concurrent changes do not lose keys.
 * 4. An unknown key is looked up in the file again if the file was replaced: an unknown id costs one `stat`, and a new
 *    key is found.
 * 5. The current key is always the one in the file. A missing or broken file removes no loaded key.
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
import { getErrorCode } from '../core/lib/index.js';
import { createMissingKeyError, EncryptionError } from './errors.js';
import { type KeySource, type MasterKeys, toMasterKeys } from './master-keys.js';

/** Reads the key file. @throws {EncryptionError} */
export function readKeyFile(path: string): MasterKeys {
  return parseMasterKeys(readKeyText(path), `The key file ${path}`);
}

/**
 * Parses master keys.
 *
 * @param where names the source in errors, which never quote its content
 */
export function parseMasterKeys(text: string, where: string): MasterKeys {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new EncryptionError('key_file', `${where} is not JSON. \`longhand keys new\` creates a valid one.`);
  }
  return toMasterKeys(value, where);
}

/** Creates the file. @throws {EncryptionError} if it exists: replacing it would make all content unreadable */
export function createKeyFile(path: string, keys: MasterKeys): void {
  writeKeyFile(path, keys, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') throw error;
      throw new EncryptionError(
        'key_file',
        `The key file ${path} exists and was not changed. \`longhand keys rotate\` adds a key to it.`,
      );
    }
  });
}

/** Changes the keys in the file under a lock. @throws {EncryptionError} */
export function updateKeyFile(path: string, change: (keys: MasterKeys) => MasterKeys): MasterKeys {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', 0o600));
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw createUnwritableError(path, error);
    throw new EncryptionError(
      'key_file',
      `The key file ${path} is locked by another process. If none is running, remove ${lock}.`,
    );
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
        `The key file ${path} is readable by other users. Run \`chmod 600 ${path}\`, or set its text as LONGHAND_ENCRYPTION_KEY instead.`,
      );
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof EncryptionError) throw error;
    const problem =
      getErrorCode(error) === 'ENOENT' ? 'not found' : `cannot be read (${getErrorCode(error) || String(error)})`;
    throw new EncryptionError(
      'key_file',
      `Key file ${path} ${problem}. Check LONGHAND_ENCRYPTION_KEYS; \`longhand keys new\` creates a key file.`,
    );
  }
}

function createUnwritableError(path: string, error: unknown): EncryptionError {
  const code = getErrorCode(error) || String(error);
  const why =
    code === 'ENOENT' ? ': its folder does not exist. Create it first.' : ` (${code}). Choose another folder.`;
  return new EncryptionError('key_file', `The key file ${path} cannot be written${why}`);
}

/**
 * Creates a key source from a file that may change while a worker runs.
 *
 * @param others further keys; their current key takes precedence
 */
export function createFileKeySource(path: string, others: MasterKeys | null): KeySource {
  // Before the file is read: a replacement during the read is found by the next look-up.
  let loadedVersion = readFileVersion(path);
  let [current, keys] = loadKeys(path, others);
  const reload = () => {
    const version = readFileVersion(path);
    if (version === loadedVersion) return;
    try {
      [current, keys] = loadKeys(path, others);
      // Only after success: an invalid file may be repaired in place.
      loadedVersion = version;
    } catch {
      // Invariant 5. At the start, the same error would have been thrown.
    }
  };
  return {
    current: () => {
      reload();
      const key = keys.get(current);
      if (key === undefined) throw createMissingKeyError(current, [...keys.keys()]);
      return { id: current, key };
    },
    find: (id) => {
      if (!keys.has(id)) reload();
      return keys.get(id) ?? null;
    },
    ids: () => [...keys.keys()],
  };
}

/** Returns a value that changes with the file; empty if it cannot be read. */
function readFileVersion(path: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true });
    return [dev, ino, mtimeNs, size].join(' ');
  } catch {
    return '';
  }
}

/** @throws {EncryptionError} */
function loadKeys(path: string, others: MasterKeys | null): [current: string, keys: ReadonlyMap<string, KeyObject>] {
  const { current, keys } = readKeyFile(path);
  const all = Object.entries({ ...keys, ...others?.keys });
  return [others?.current ?? current, new Map(all.map(([id, { key }]) => [id, createSecretKey(key, 'base64')]))];
}

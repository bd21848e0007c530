/**
 * Master keys out of a file that may change while a worker runs: after `longhand keys rotate` nothing needs to be
 * started anew.
 *
 * 1. A key that is not known is looked for in the file again, if that is another one than it was: whoever asks with ids that
 *    nobody has costs a look at the folder, and a key that came a moment ago is found.
 * 2. The current key is the file's when it is asked for. A file that is gone or broken by then takes nothing away.
 */

import { createSecretKey, type KeyObject } from 'node:crypto';
import { statSync } from 'node:fs';
import { missingKey } from './errors.js';
import { readKeyFile } from './key-file.js';
import type { KeySource, MasterKeys } from './master-keys.js';

/** @param besides keys from elsewhere; where there are any, theirs is the current one */
export function fileKeys(path: string, besides: MasterKeys | null): KeySource {
  // Before the file is read: what is put there meanwhile is found the next time.
  let seen = versionOf(path);
  let [current, keys] = loaded(path, besides);
  const look = () => {
    const version = versionOf(path);
    if (version === seen) return;
    try {
      [current, keys] = loaded(path, besides);
      // One that cannot be used is looked at again: somebody may mend it where it lies.
      seen = version;
    } catch {
      // Invariant 2. Who has just started would have been told.
    }
  };
  return {
    current: () => {
      look();
      const key = keys.get(current);
      if (key === undefined) throw missingKey(current, [...keys.keys()]);
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
function versionOf(path: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true });
    return [dev, ino, mtimeNs, size].join(' ');
  } catch {
    return '';
  }
}

/** @throws {EncryptionError} */
function loaded(path: string, besides: MasterKeys | null): [current: string, keys: ReadonlyMap<string, KeyObject>] {
  const { current, keys } = readKeyFile(path);
  const all = Object.entries({ ...keys, ...besides?.keys });
  return [besides?.current ?? current, new Map(all.map(([id, { key }]) => [id, createSecretKey(key, 'base64')]))];
}

/**
 * Master keys out of a file that may change while a worker runs: after `longhand keys rotate` nothing needs to be
 * started anew.
 *
 * 1. A key that is not known is looked for in the file again, at most once a second.
 * 2. The current key is the file's when it is asked for. A file that is gone or broken by then takes nothing away.
 */

import { createSecretKey, type KeyObject } from 'node:crypto';
import { missingKey } from './errors.js';
import { readKeyFile } from './key-file.js';
import type { KeySource, MasterKeys } from './master-keys.js';

const pauseMs = 1_000;

/** @param besides keys from elsewhere; where there are any, theirs is the current one */
export function fileKeys(path: string, besides: MasterKeys | null, now: () => number = Date.now): KeySource {
  let [current, keys] = loaded(path, besides);
  let looked = now();
  const look = () => {
    looked = now();
    try {
      [current, keys] = loaded(path, besides);
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
      if (!keys.has(id) && now() - looked >= pauseMs) look();
      return keys.get(id) ?? null;
    },
    ids: () => [...keys.keys()],
  };
}

/** @throws {EncryptionError} */
function loaded(path: string, besides: MasterKeys | null): [current: string, keys: ReadonlyMap<string, KeyObject>] {
  const { current, keys } = readKeyFile(path);
  const all = Object.entries({ ...keys, ...besides?.keys });
  return [besides?.current ?? current, new Map(all.map(([id, { key }]) => [id, createSecretKey(key, 'base64')]))];
}

/**
 * The heads that a key has signed, in a file outside of the database: the memory of the signer, which would otherwise sign
 * whatever the database says.
 *
 * H1 A head in the file is only ever replaced by one further on in the same log. `replaceHeads` alone goes back, when a
 *    person accepts a log as it is.
 * H2 The file is replaced whole: a crash leaves the old one or the new one. Heads are merged under a lock in the store.
 * H3 Each head in it is signed. Without the key, the file can be put back or removed, and not forged.
 *
 * There is one file for each store that the key signs for. A store in memory has none: nothing outlives it.
 */

import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LogHead, parseHead, type SignedHead, toLogKey } from '../../core/audit/head.js';
import { isObject, type Json } from '../../core/lib/json.js';
import type { Store } from '../db/store.js';
import { type AuditKey, AuditKeyError, auditHeadsVariable, isSignedWith, sha256 } from './key.js';

const recordFormat = 'longhand.audit.heads';

export interface RecordedHead extends SignedHead {
  readonly head: LogHead;
}

/** By the keys of their logs. */
export type RecordedHeads = ReadonlyMap<string, RecordedHead>;

/** Null for a store in memory. */
export function getRecordPath(key: AuditKey, { location }: Store): string | null {
  if (location === 'memory') return null;
  // The user of a database is no part of which database it is.
  return join(key.headsFolder, `${sha256(location.replace(/\/\/[^@/]*@/, '//')).slice(0, 16)}.json`);
}

/** Empty where nothing was recorded yet. @throws {AuditKeyError} for a record that cannot be read or was altered */
export function readRecordedHeads(key: AuditKey, store: Store): RecordedHeads {
  const path = getRecordPath(key, store);
  const text = path === null ? null : findRecordText(path);
  if (path === null || text === null) return new Map();
  const value = parseJson(text);
  const heads = isObject(value) && value.format === recordFormat && Array.isArray(value.heads) ? value.heads : null;
  const recorded = heads?.map((head) => parseRecordedHead(key, head));
  if (recorded === undefined || recorded.includes(null)) {
    throw new AuditKeyError(
      `The record of signed heads ${path} was altered or belongs to another key. Put back a copy of it, or verify the log with an anchor and remove the file: the newest head that the key signed in the database is trusted then.`,
    );
  }
  return new Map(recorded.flatMap((each) => (each === null ? [] : [[toLogKey(each.head), each]])));
}

/** H1. Held under the lock of whoever signs. @throws {AuditKeyError} */
export function recordHeads(key: AuditKey, store: Store, heads: readonly RecordedHead[]): void {
  const known = readRecordedHeads(key, store);
  const newer = heads.filter(({ head }) => head.seq > (known.get(toLogKey(head))?.head.seq ?? 0));
  if (newer.length === 0) return;
  writeHeads(key, store, new Map([...known, ...toLogPairs(newer)]));
}

/** What a person has accepted as it is. @throws {AuditKeyError} */
export function replaceHeads(key: AuditKey, store: Store, heads: readonly RecordedHead[]): void {
  writeHeads(key, store, new Map([...readRecordedHeads(key, store), ...toLogPairs(heads)]));
}

/** H2. */
function writeHeads(key: AuditKey, store: Store, heads: RecordedHeads): void {
  const path = getRecordPath(key, store);
  if (path === null) return;
  const signed = [...heads.values()].map(({ signed, signature }) => ({ signed, signature }));
  const next = `${path}.${randomUUID()}`;
  try {
    mkdirSync(key.headsFolder, { recursive: true, mode: 0o700 });
    const file = openSync(next, 'wx', 0o600);
    try {
      writeFileSync(
        file,
        `${JSON.stringify({ format: recordFormat, version: 1, store: store.location, heads: signed }, null, 2)}\n`,
      );
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw new AuditKeyError(
      `The record of signed heads ${path} cannot be written (${(error as Error).message}), and without it nothing is signed. Make its folder writable, or name another in ${auditHeadsVariable}.`,
      { cause: error },
    );
  }
}

function findRecordText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AuditKeyError(`The record of signed heads ${path} cannot be read (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

function toLogPairs(heads: readonly RecordedHead[]): readonly (readonly [log: string, head: RecordedHead])[] {
  return heads.map((each) => [toLogKey(each.head), each]);
}

/** H3. */
function parseRecordedHead(key: AuditKey, value: Json): RecordedHead | null {
  if (!isObject(value)) return null;
  const { signed, signature } = value;
  return typeof signed === 'string' && typeof signature === 'string' ? parseOwnHead(key, { signed, signature }) : null;
}

/** Null for what this key has not signed. */
export function parseOwnHead(key: AuditKey, { signed, signature }: SignedHead): RecordedHead | null {
  const head = parseHead({ signed, signature });
  return head?.key === key.id && isSignedWith(key.publicKey, signed, signature) ? { signed, signature, head } : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

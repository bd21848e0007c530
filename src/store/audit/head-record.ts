/**
 * The record of the heads that a key has signed: a file outside of the database, without which the signer would sign any
 * content of the database.
 *
 * H1 A head in the record is only replaced by a later head of the same log. Only `replaceHeads`, when a person accepts a
 *    log, goes back.
 * H2 The file is replaced atomically: a crash leaves the old or the new one. Heads are merged under a lock in the store.
 * H3 Each head is signed. Without the key the file can be restored or removed, but not forged.
 *
 * Each store that the key signs for has its own file. A store in memory has none, because nothing outlives it.
 */

import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LogHead, parseHead, type SignedHead, toLogKey } from '../../core/audit/index.js';
import { isObject, type Json, parseJson } from '../../core/lib/index.js';
import type { Store } from '../db/store.js';
import { type AuditKey, AuditKeyError, auditHeadsVariable, isSignedWith, sha256 } from './key.js';

const recordFormat = 'longhand.audit.heads';

export interface RecordedHead extends SignedHead {
  readonly head: LogHead;
}

/** By log key. */
export type RecordedHeads = ReadonlyMap<string, RecordedHead>;

/** Null for a store in memory. */
export function getRecordPath(key: AuditKey, { location }: Store): string | null {
  if (location === 'memory') return null;
  // The user name does not identify the database.
  return join(key.headsFolder, `${sha256(location.replace(/\/\/[^@/]*@/, '//')).slice(0, 16)}.json`);
}

/** Reads the record; empty before the first signature. @throws {AuditKeyError} when it is unreadable or was altered */
export function readRecordedHeads(key: AuditKey, store: Store): RecordedHeads {
  const path = getRecordPath(key, store);
  const text = path === null ? null : findRecordText(path);
  if (path === null || text === null) return new Map();
  const value = parseJson(text);
  const heads = isObject(value) && value.format === recordFormat && Array.isArray(value.heads) ? value.heads : null;
  const recorded = heads?.map((head) => parseRecordedHead(key, head));
  if (recorded === undefined || recorded.includes(null)) {
    throw new AuditKeyError(
      `The record of signed heads ${path} was altered or belongs to another key. Restore a copy, or verify the log with an anchor and remove the file: the newest head that the key signed in the database is then trusted.`,
    );
  }
  return new Map(
    recorded.flatMap((recordedHead) => (recordedHead === null ? [] : [[toLogKey(recordedHead.head), recordedHead]])),
  );
}

/** H1. The caller has the signers' lock. @throws {AuditKeyError} */
export function recordHeads(key: AuditKey, store: Store, heads: readonly RecordedHead[]): void {
  const known = readRecordedHeads(key, store);
  const newer = heads.filter(({ head }) => head.seq > (known.get(toLogKey(head))?.head.seq ?? 0));
  if (newer.length === 0) return;
  writeHeads(key, store, new Map([...known, ...toLogPairs(newer)]));
}

/** Records heads that a person accepted. @throws {AuditKeyError} */
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
      `Cannot write the record of signed heads ${path} (${(error as Error).message}); nothing is signed without it. Make its folder writable, or name another folder in ${auditHeadsVariable}.`,
      { cause: error },
    );
  }
}

function findRecordText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AuditKeyError(`Cannot read the record of signed heads ${path} (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

function toLogPairs(heads: readonly RecordedHead[]): readonly (readonly [log: string, head: RecordedHead])[] {
  return heads.map((recordedHead) => [toLogKey(recordedHead.head), recordedHead]);
}

/** H3. */
function parseRecordedHead(key: AuditKey, value: Json): RecordedHead | null {
  if (!isObject(value)) return null;
  const { signed, signature } = value;
  return typeof signed === 'string' && typeof signature === 'string' ? parseOwnHead(key, { signed, signature }) : null;
}

/** Null for a head that this key did not sign. */
export function parseOwnHead(key: AuditKey, { signed, signature }: SignedHead): RecordedHead | null {
  const head = parseHead({ signed, signature });
  return head?.key === key.id && isSignedWith(key.publicKey, signed, signature) ? { signed, signature, head } : null;
}

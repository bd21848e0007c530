/** Parses the location of a store, from a person's text or from the environment. */

import { isAbsolute, resolve } from 'node:path';
import { readSecretVariable } from '../../secrets/index.js';
import { StoreError } from './errors.js';

export type StoreLocation =
  | { readonly kind: 'memory'; readonly display: string }
  | { readonly kind: 'file'; readonly path: string; readonly display: string }
  /** `display` is for people, without the password. */
  | { readonly kind: 'postgres'; readonly url: string; readonly display: string };

/**
 * Parses `memory:` (SQLite's `:memory:` too), `sqlite:<path>`, a path, or `postgres://…`.
 *
 * @throws {StoreError} `misnamed`
 */
export function parseStoreLocation(where: string): StoreLocation {
  if (where === 'memory:' || where === ':memory:') return { kind: 'memory', display: 'memory' };
  if (/^postgres(ql)?:/.test(where)) return { kind: 'postgres', url: where, display: removePassword(where) };
  const path = where.replace(/^sqlite:(\/\/(?=\/))?/, '');
  // A scheme of one letter is a Windows drive.
  if (path === '' || /^[a-z][a-z0-9+.-]+:/i.test(path)) {
    const beginning = path.match(/^[^:]*:/)?.[0] ?? 'nothing';
    throw new StoreError(
      'misnamed',
      `Invalid store location: it begins with ${beginning}. Use a file (sqlite:/var/lib/longhand.db) or a database (postgres://user:password@host/name).`,
    );
  }
  const whole = isAbsolute(path) ? path : resolve(path);
  return { kind: 'file', path: whole, display: `sqlite:${whole}` };
}

/**
 * Returns the store of the environment: `LONGHAND_STORE`, a file of `LONGHAND_SECRETS` or a variable; null for `none`, and
 * where it is not set: a program stores nothing that nobody asked for.
 *
 * @example readStoreUrl({ LONGHAND_STORE: 'postgres://longhand@db/longhand' })
 */
export function readStoreUrl(env: NodeJS.ProcessEnv): string | null {
  const secretVariable = readSecretVariable('LONGHAND_STORE', env);
  return secretVariable === undefined || secretVariable === 'none' ? null : secretVariable;
}

/** Returns whether the environment names a store, or none; otherwise commands use the file of their project. */
export function isStoreConfigured(env: NodeJS.ProcessEnv): boolean {
  return readSecretVariable('LONGHAND_STORE', env) !== undefined;
}

/** Keeps user, host and database: the parameters after the database name may contain a password, too. */
function removePassword(url: string): string {
  try {
    const { username, host, pathname } = new URL(url);
    return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
  } catch {
    throw new StoreError(
      'misnamed',
      'Invalid address of the Postgres store. Use postgres://user:password@host:5432/name, with special characters of the password percent-encoded.',
    );
  }
}

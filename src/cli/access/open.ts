/** Opens the connection to Temporal or the store for a command, and closes it afterwards. */

import { userInfo } from 'node:os';
import { connect, type Longhand } from '../../client/connect.js';
import { openStore } from '../../store/db/open.js';
import type { Store } from '../../store/db/store.js';
import { readStoreUrl } from '../../store/db/store-location.js';
import { UsageError } from '../flags/usage-error.js';
import { writeError } from '../terminal/terminal.js';
import type { Connect } from './find-chain.js';

/** Runs `use`; connects when it first calls `connect`. */
export async function withServer<T>(use: (connect: Connect) => Promise<T>): Promise<T> {
  let opened: Promise<Longhand> | null = null;
  const open = () => {
    opened ??= connect({ onServerUnavailable: printNotice });
    return opened;
  };
  try {
    return await use(open);
  } finally {
    const longhand = await awaitConnection(opened);
    await longhand?.close();
  }
}

/** Runs `use` with a server that answers. @throws {LonghandError} `server_unreachable` */
export async function withReachableServer<T>(use: (longhand: Longhand) => Promise<T>): Promise<T> {
  const longhand = await connect({ store: null });
  try {
    return await use(longhand);
  } finally {
    await longhand.close();
  }
}

function printNotice(line: string): void {
  writeError(`${line}\n`);
}

/** A connection that could not be opened has been reported already. */
async function awaitConnection(opened: Promise<Longhand> | null): Promise<Longhand | null> {
  try {
    return await opened;
  } catch {
    return null;
  }
}

/** Opens the store for `use`. @throws UsageError when no store is configured; StoreError when it cannot be opened */
export async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const where = readStoreUrl(process.env);
  if (where === null) {
    throw new UsageError('No store is configured: LONGHAND_STORE is "none". Set it to the store of your workers.');
  }
  const store = await openStore(where);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Returns the namespace from the flag or TEMPORAL_NAMESPACE, as for all commands. */
export function getNamespace({ namespace }: { readonly namespace?: string }): string {
  return namespace ?? (process.env.TEMPORAL_NAMESPACE || 'default');
}

/** Returns the login name of the person at this terminal. */
export function getSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number and no name.
    return process.env.USER ?? `uid ${process.getuid?.() ?? '?'}`;
  }
}

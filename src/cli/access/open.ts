/** Opens what a command works with, the connection to Temporal or the store, and closes it when the command is done. */

import { userInfo } from 'node:os';
import { connect, type Longhand } from '../../client/connect.js';
import { openStore } from '../../store/db/open.js';
import type { Store } from '../../store/db/store.js';
import { readStoreUrl } from '../../store/db/store-location.js';
import { UsageError } from '../flags/usage-error.js';
import { writeError } from '../terminal/terminal.js';
import type { Connect } from './find-chain.js';

/** Connects when `use` first needs it. */
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

/** @throws UsageError where there is to be no store; StoreError when it cannot be opened */
export async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const where = readStoreUrl(process.env);
  if (where === null) {
    throw new UsageError('There is no store: LONGHAND_STORE is none. Name the one that the workers write to.');
  }
  const store = await openStore(where);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The namespace whose log it is, as for every other command. */
export function getNamespace({ namespace }: { readonly namespace?: string }): string {
  return namespace ?? (process.env.TEMPORAL_NAMESPACE || 'default');
}

/** The user of this terminal, as the system knows them. */
export function getSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number alone.
    return process.env.USER ?? `uid ${process.getuid?.() ?? '?'}`;
  }
}

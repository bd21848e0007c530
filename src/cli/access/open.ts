/** Opens the connection to Temporal or the store for a command, and closes it afterwards. */

import { userInfo } from 'node:os';
import {
  ChainNotFoundError,
  type ConnectOptions,
  connect,
  isServerUnavailable,
  type Longhand,
} from '../../client/index.js';
import { checkNamespace, findNamespaceId, readNamespace } from '../../connection/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { openStore, type Store } from '../../store/index.js';
import { UsageError } from '../flags/usage-error.js';
import { writeError } from '../terminal/terminal.js';
import { findCommandStore, findStoreUrl, formatUnusable, prepareReportedStore } from './command-store.js';
import type { Connect } from './find-chain.js';

/**
 * Runs `use`; connects when it first calls `connect`. When no server answers, `use` reads from the archive, and one message
 * reports that: a notice after its output, or the error when it fails.
 */
export async function withServer<T>(use: (connect: Connect) => Promise<T>): Promise<T> {
  let opened: Promise<Longhand> | null = null;
  const unavailable: Unavailable[] = [];
  const open = () => {
    opened ??= connectWithStore({
      onServerUnavailable: (error, archive) => void unavailable.push({ error, archive }),
    });
    return opened;
  };
  try {
    const result = await use(open);
    for (const { error, archive } of unavailable) {
      writeError(`${toSentence(error)}: read from the archive (${archive}).\n`);
    }
    return result;
  } catch (error) {
    throw unavailable.reduce(toUnavailableError, error);
  } finally {
    const longhand = await awaitConnection(opened);
    await longhand?.close();
  }
}

/** Connects with the store of the command. Makes no store. */
export async function connectWithStore(options: Omit<ConnectOptions, 'store'>): Promise<Longhand> {
  return connect({ ...options, store: await findStoreUrl() });
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

interface Unavailable {
  readonly error: LonghandError;
  /** The archive's place. */
  readonly archive: string;
}

/** Returns the error to print for a failure without a server. */
function toUnavailableError(failure: unknown, { error, archive }: Unavailable): unknown {
  if (isServerUnavailable(failure)) return error;
  if (!(failure instanceof ChainNotFoundError)) return failure;
  const message = `${toSentence(error)}, and the archive (${archive}) has no chain ${failure.chainId}.`;
  const rest = error.message.slice(toSentence(error).length + 1);
  return new LonghandError('chain_not_found', `${message}${rest}`, { cause: error });
}

/** Returns the first sentence of a message, without its end: the problem, without the fix. */
function toSentence({ message }: LonghandError): string {
  return message.split('. ')[0] ?? message;
}

/** A connection that could not be opened has been reported already. */
async function awaitConnection(opened: Promise<Longhand> | null): Promise<Longhand | null> {
  try {
    return await opened;
  } catch {
    return null;
  }
}

/**
 * Opens the store for `use`. Where the project has none yet it is empty, and no file is made.
 *
 * @throws UsageError when there can be no store; StoreError when it cannot be opened
 */
export async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const commandStore = await findCommandStore(process.env);
  if (commandStore.kind === 'off') {
    throw new UsageError('No store is configured: LONGHAND_STORE is "none". Set it to the store of your workers.');
  }
  if (commandStore.kind === 'unusable') throw new UsageError(formatUnusable(commandStore.reason));
  if (commandStore.kind === 'configured' || commandStore.exists) return useStore(commandStore.where, use);
  writeError(
    `There is no store at ${commandStore.where} yet. If your workers use another one, name it in LONGHAND_STORE.\n`,
  );
  return useStore('memory:', use);
}

/** Opens the store for `use`, which writes: makes the project's where it has none yet. @throws as `withStore` */
export async function withWrittenStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const commandStore = await findCommandStore(process.env);
  if (commandStore.kind !== 'project' || commandStore.exists) return withStore(use);
  const where = await prepareReportedStore((line) => writeError(`${line}\n`));
  if (where === null) throw new UsageError('The command needs a store. Name one in LONGHAND_STORE.');
  return useStore(where, use);
}

async function useStore<T>(where: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(where);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Returns the namespace of the flag, the variable or the profile, as for all commands. */
export function getNamespace(): string {
  return readNamespace(process.env);
}

/** Returns the namespace's id, which no other server has; null if unknown. */
export async function readServerId({ workflowService, options }: Longhand['client']): Promise<string | null> {
  const { namespace } = options;
  return findNamespaceId(await checkNamespace(workflowService, { namespace, apiKey: null, tls: null }));
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

/** Connects a client to Temporal: starts, forks and finds chains. */

import { type Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import {
  type ConnectionSettings,
  checkNamespace,
  DuplicatePackageError,
  findNamespaceId,
  openConnection,
  openUnansweredConnection,
  readConnectionSettings,
  readNamespace,
  type TemporalOptions,
} from '../connection/index.js';
import { defaultTaskQueue } from '../contract/index.js';
import type { AgentAnswer, AgentType } from '../core/engine/index.js';
import { isLonghandError, type LonghandError } from '../core/lib/index.js';
import { getThreadNumber } from '../core/model/index.js';
import type { RecordedChain } from '../core/record/index.js';
import { allPreferencesOn, type Preferences } from '../core/view/index.js';
import { type EncryptionOption, resolveEncryption, toSealingConverter } from '../encryption/index.js';
import type { TaskInput } from '../options/index.js';
import { checkTokenRelay, createTokenSubscriber, type TokenOption } from '../relay/index.js';
import type { StoreOption } from '../store/index.js';
import { createTelemetry } from '../telemetry/index.js';
import type { ChainHandle } from './chain-handle.js';
import { ChainStarter } from './chain-starter.js';
import type { InboxChain, InboxOptions } from './list/inbox.js';
import { type ChainArchive, openChainArchive } from './read/chain-archive.js';
import { ArchiveClient, resolveChainSource } from './read/chain-source.js';
import type { ThreadTenant } from './read/thread.js';
import { createSchedules, type Schedules } from './schedules/schedules.js';
import { checkId } from './start/check-start.js';
import type { ForkOptions } from './start/fork.js';
import { type StartableAgent, type StartOptions, toStartable } from './start/start-options.js';

export interface ConnectOptions extends TemporalOptions {
  /** Used instead of address, key, TLS and profile. `close` leaves it open. */
  readonly connection?: Connection | undefined;
  /** Task queue of the agents' workers. Default: `longhand`. */
  readonly taskQueue?: string | undefined;
  readonly dataConverter?: DataConverter | undefined;
  /**
   * Encrypts all content that Temporal stores: the path of a key file, the keys, or false. Default: the keys of
   * `LONGHAND_ENCRYPTION_KEYS` and `LONGHAND_ENCRYPTION_KEY`. The workers need the same keys.
   */
  readonly encryption?: EncryptionOption | undefined;
  /**
   * Archive for chains that the server has deleted: the workers' store, its address, or false for none. Default:
   * `LONGHAND_STORE`, else none.
   */
  readonly store?: StoreOption | undefined;
  /**
   * Called when no server answers but an archive exists, with the error and the archive's place: chains are then read from
   * the archive, and calls that need the server fail. Default: `connect` throws when no server answers.
   */
  readonly onServerUnavailable?: ((error: LonghandError, archive: string) => void) | undefined;
  /** Most attempts at a call while the server is unavailable. Default 10, in about 20 seconds. */
  readonly maxAttempts?: number | undefined;
  /**
   * Channel for tokens from a worker in this process, in addition to the relay from other processes: the worker's own.
   * False for no tokens. Default: the relay, unless `LONGHAND_TOKENS` is `off`.
   */
  readonly tokens?: TokenOption | undefined;
}

export interface ThreadChain {
  readonly chainId: string;
  /** From 1. Two follow-ups of one chain have the same. */
  readonly number: number;
}

export interface Longhand {
  /**
   * Starts an agent on a task. Of a definition only the name is sent: the worker that takes the chain runs its own definition of
   * this name.
   *
   * @throws {LonghandError} `invalid_options` for an empty task, a task larger than Temporal stores, an empty or too
   *   long id, an agent without a name, or a value of the wrong type
   * @throws {ChainExistsError} when a chain with this id exists and `ifExists` is `error`
   */
  readonly start: <A extends StartableAgent = StartableAgent>(
    agent: A | string,
    task: TaskInput,
    options?: StartOptions,
  ) => Promise<ChainHandle<AgentAnswer<A>>>;
  /**
   * Starts a chain with the first steps of another chain, at no cost for these steps. Use it to try another way from a
   * step, or to ask a further question of a chain that has answered.
   *
   * @param from the other chain's id, or the chain of `parseRecordedChain` or `readChainFile`
   * @throws {ForkError} when the step does not exist, nothing is left to do after it, or the steps are too large
   * @throws {ChainNotFoundError}
   * @throws {ChainExistsError}
   * @example
   * const chain = await longhand.fork('weather-1', { atStep: 2, message: 'In Fahrenheit, please.' });
   */
  readonly fork: (from: string | RecordedChain, options?: ForkOptions) => Promise<ChainHandle>;
  /** Lists the ids of a chain's forks, newest first. Only forks that are still on the server are found. */
  readonly listForks: (chainId: string) => Promise<readonly string[]>;
  /**
   * Lists all chains of a chain's thread, oldest first, with their places from 1. Chains that are erased, or deleted and not
   * archived, are omitted. The id of the first one names the thread even when that chain is gone.
   *
   * @throws {ChainNotFoundError}
   * @throws {LonghandError} `invalid_options` when the thread is not the given tenant's
   */
  readonly listThread: (chainId: string, options?: ThreadTenant) => Promise<readonly ThreadChain[]>;
  /**
   * Returns a handle of an existing chain. @throws {LonghandError} `invalid_options` when the id is empty or too long
   *
   * @typeParam A the type of its agent, which determines that of the answer and is not checked
   * @example
   * const chain = longhand.getHandle<typeof clerk>('invoice-17');
   */
  readonly getHandle: <A extends AgentType = AgentType>(chainId: string) => ChainHandle<AgentAnswer<A>>;
  /**
   * Lists the chains that wait for a person: for an approval, an answer, a decision on an unknown outcome, or a resume.
   * Longest waiting first. The server's list lags by some tenths of a second.
   *
   * @throws {LonghandError} `search_attributes_missing` when no worker has registered the search attributes on this
   *   server yet
   * @example
   * for (const { chainId, requests } of await longhand.listInbox({ roles: ['release'] })) {
   *   for (const { call, tool, input } of requests) console.log(chainId, call, tool, input);
   * }
   */
  readonly listInbox: (options?: InboxOptions) => Promise<readonly InboxChain[]>;
  /**
   * Returns the preferences of a user, which `longhand preferences set` stores; all on without a store, or without stored
   * ones. Views of a viewer with this user apply them.
   *
   * @example
   * const { thinking } = await longhand.readPreferences({ user: 'ana', tenant: 'acme' });
   * const view = await chain.view(createViewer('end_user', { user: 'ana', tenant: 'acme' }));
   */
  readonly readPreferences: (person: { readonly user: string; readonly tenant: string | null }) => Promise<Preferences>;
  /** Schedules that start agents again and again. */
  readonly schedules: Schedules;
  /**
   * Archive of the chains that the server has deleted; null without a store.
   * @experimental
   */
  readonly archive: ChainArchive | null;
  /**
   * Temporal's client, for what Longhand has no method for.
   * @experimental
   */
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/**
 * Connects to Temporal.
 *
 * @throws {LonghandError} `server_unreachable` when no server answers; `invalid_connection`, `tls_mismatch`,
 *   `certificate_untrusted`, `server_name_mismatch`, `client_certificate_rejected`, `api_key_rejected`,
 *   `namespace_not_found`, `namespace_denied` for what keeps it from being used
 * @throws {EncryptionError} when the keys cannot be used
 * @example
 * const longhand = await connect();
 * const chain = await longhand.start(meteorologist, 'Compare the weather in San Francisco and Paris');
 * console.log((await chain.result()).answer);
 */
export async function connect(options: ConnectOptions = {}): Promise<Longhand> {
  checkTokenRelay(process.env);
  const encryption = resolveEncryption(options.encryption, process.env);
  const dataConverter = toSealingConverter(options.dataConverter, encryption);
  const settings = readSettings(options);
  const { namespace } = settings;
  const store = options.store === false ? null : options.store;
  const opened = openChainArchive(store, process.env, namespace);
  const { connection, server } =
    settings.connection === undefined
      ? await openServer(settings, opened, options)
      : { connection: settings.connection, server: await readNamespaceId(settings.connection, settings) };
  const archive = opened === null || server === null ? opened : listOnly(opened, server);
  const telemetry = await createTelemetry(process.env);
  const interceptors = { workflow: [...telemetry.client] };
  const clientOptions = { connection, namespace, interceptors, ...(dataConverter ? { dataConverter } : {}) };
  const client = new ArchiveClient(clientOptions, archive);
  const loadThreads = async () => (await loadReading()).createThreadSource(client, archive);
  const taskQueue = options.taskQueue ?? defaultTaskQueue;
  const tokens = createTokenSubscriber({
    ...{ tokens: options.tokens, encryption, env: process.env, store },
    findNamespaceId: async () => server ?? namespace,
  });
  const starter = new ChainStarter({ client, connection, archive, loadThreads, tokens, taskQueue: options.taskQueue });
  return {
    archive,
    client,
    start: (agent, task, startOptions = {}) => starter.start({ agent: toStartable(agent), task }, startOptions),
    fork: async (from, forkOptions = {}) => {
      const { createForkStart, readRecordedChain } = await loadReading();
      const recorded =
        typeof from === 'string' ? await readRecordedChain(await resolveChainSource(client, from)) : from;
      const { agent, shownAs, options: inherited, ...rest } = createForkStart(recorded, forkOptions);
      return starter.start({ agent: { name: agent }, ...rest, ...(shownAs === null ? {} : { shownAs }) }, inherited);
    },
    listForks: async (chainId) => (await loadReading()).listForks(client, chainId),
    listThread: async (chainId, threadOptions) =>
      (await (await loadReading()).readThread(await loadThreads(), chainId, threadOptions)).map((member) => ({
        chainId: member.chainId,
        number: getThreadNumber(member.chain.state.input),
      })),
    schedules: createSchedules(client, taskQueue, (agent, scheduleOptions) =>
      starter.checkKnownAgent(agent, scheduleOptions, taskQueue),
    ),
    readPreferences: async (person) => (archive === null ? allPreferencesOn : archive.readPreferences(person)),
    getHandle: (chainId) => {
      checkId(chainId);
      return starter.getHandle(chainId);
    },
    listInbox: async (inboxOptions) => (await loadReading()).listInbox(client, inboxOptions),
    close: async () => {
      await telemetry.flush();
      await archive?.close();
      if (options.connection === undefined) await connection.close();
    },
  };
}

/** What a client loads when it reads chains: the engine and the view. A program that only starts chains does not. */
const loadReading = () => import('./reading.js');

/** A server that does not answer in time is used without the check. */
const namespaceTimeoutMs = 5_000;

/** `server`: the namespace's id, which no other server has; null if unknown. */
type Server = { readonly connection: Connection; readonly server: string | null };

/** Lists no chains of other servers, whose namespace has the same name. Chains that are named by id or thread are found. */
function listOnly(archive: ChainArchive, server: string): ChainArchive {
  const isNamed = ({ idPrefix, chainId, thread }: Parameters<ChainArchive['list']>[0]) => idPrefix ?? chainId ?? thread;
  return {
    ...archive,
    list: (query) => archive.list(isNamed(query) === undefined ? { ...query, server } : query),
  };
}

/** Settings of a connection that is opened here, or the caller's own connection. */
function readSettings(options: ConnectOptions) {
  const { connection } = options;
  if (connection === undefined) return { ...readConnectionSettings(options, process.env), connection };
  // Another copy's connection fails later, with an error that names no cause.
  if (!(connection instanceof Connection)) throw new DuplicatePackageError('@temporalio/client', 'Connection');
  return { connection, namespace: options.namespace ?? readNamespace(process.env), apiKey: null, tls: null };
}

/** @throws {NoSuchNamespaceError} */
async function readNamespaceId(
  connection: Connection,
  settings: Pick<ConnectionSettings, 'namespace' | 'apiKey' | 'tls'>,
): Promise<string | null> {
  const check = () => checkNamespace(connection.workflowService, settings);
  return findNamespaceId(await connection.withDeadline(Date.now() + namespaceTimeoutMs, check));
}

async function openServer(
  settings: ConnectionSettings,
  archive: ChainArchive | null,
  { onServerUnavailable, maxAttempts }: Pick<ConnectOptions, 'onServerUnavailable' | 'maxAttempts'>,
): Promise<Server> {
  let connection: Connection;
  try {
    connection = await openConnection(settings, undefined, maxAttempts);
  } catch (error) {
    const isAway = isLonghandError(error) && error.code === 'server_unreachable';
    if (!isAway || onServerUnavailable === undefined || !archive?.exists) throw error;
    onServerUnavailable(error, archive.place);
    return { connection: openUnansweredConnection(settings), server: null };
  }
  try {
    return { connection, server: await readNamespaceId(connection, settings) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

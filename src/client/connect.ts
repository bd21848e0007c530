/** The way in for whoever starts chains and comes back to them. */

import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { defaultTaskQueue } from '../contract/names.js';
import type { TokenChannel } from '../contract/tokens.js';
import { maskAddress } from '../core/lib/display.js';
import { type EncryptionOption, resolveEncryption, toSealingConverter } from '../encryption/encryption.js';
import type { Store } from '../store/db/store.js';
import { createTelemetry } from '../telemetry/create-telemetry.js';
import { ChainExistsError } from './errors/errors.js';
import { type ChainHandle, createHandle } from './handle.js';
import { type InboxChain, type InboxOptions, listInbox } from './list/inbox.js';
import { listForks } from './list/list-chains.js';
import { type ChainArchive, openChainArchive } from './read/chain-archive.js';
import { resolveChainSource } from './read/chain-source.js';
import { type RecordedChain, readRecordedChain } from './read/recorded-chain.js';
import { checkAgent, checkId, checkStart } from './start/check-start.js';
import { createForkStart, type ForkOptions } from './start/fork.js';
import { type StartableAgent, type StartInput, type StartOptions, startWorkflow } from './start/start.js';

export interface ConnectOptions {
  /** Default: `TEMPORAL_ADDRESS`, else `127.0.0.1:7233`. */
  readonly address?: string | undefined;
  /** Instead of an address; it is left open by `close`. */
  readonly connection?: Connection | undefined;
  /** Default: `TEMPORAL_NAMESPACE`, else `default`. */
  readonly namespace?: string | undefined;
  /** Where the workers of these agents listen. */
  readonly taskQueue?: string | undefined;
  readonly dataConverter?: DataConverter | undefined;
  /**
   * Seals what Temporal is given: the path of a key file, the keys themselves, or false. Default: what
   * `LONGHAND_ENCRYPTION_KEYS` and `LONGHAND_ENCRYPTION_KEY` name. Give the workers the same.
   */
  readonly encryption?: EncryptionOption | undefined;
  /**
   * Where chains are read that the server has forgotten: the workers' store, or where it lies; null for none. Default:
   * `LONGHAND_STORE`, else a file among the user's data.
   */
  readonly store?: Store | string | null | undefined;
  /**
   * Told that no server answers, where there is an archive to read chains in all the same; what needs the server then
   * fails by itself. Default: without a server there is no connection.
   */
  readonly onServerUnavailable?: ((sentence: string) => void) | undefined;
  /** Carries what a model is saying to followers: the one that the worker was given. */
  readonly tokens?: TokenChannel | undefined;
}

export interface Longhand {
  /**
   * Starts an agent on a task.
   *
   * @throws {RangeError} when the task is empty or larger than Temporal stores, the id is empty or too long, or the agent's
   *   name is empty
   * @throws {TypeError} when something is of another kind than its type says
   * @throws {ChainExistsError} when there is a chain of this id and `ifExists` does not say what then
   */
  readonly start: (agent: string | StartableAgent, task: string, options?: StartOptions) => Promise<ChainHandle>;
  /**
   * Starts a chain that begins with the first steps of another, which cost it nothing: a second way on from there, or a
   * question more to a chain that has answered.
   *
   * @param from its id, or the chain as `recordedInFile` read it
   * @throws {ForkError} when there is no such step, nothing is left to do behind it, or it is too much to carry
   * @throws {ChainNotFoundError}
   * @throws {ChainExistsError}
   * @example
   * const chain = await longhand.fork('weather-1', { atStep: 2, message: 'In Fahrenheit, please.' });
   */
  readonly fork: (from: string | RecordedChain, options?: ForkOptions) => Promise<ChainHandle>;
  /** Ids of the chains that were forked off one, the newest first. Knows of those that the server still has. */
  readonly listForks: (chainId: string) => Promise<readonly string[]>;
  /** A chain that was started before, by its id. @throws {RangeError} when the id is empty or too long */
  readonly getHandle: (chainId: string) => ChainHandle;
  /**
   * The chains that wait for a person: for approval, an answer, a word on what happened, or to be resumed. The longest
   * waiting first; the server's list knows of a change some tenths of a second late.
   *
   * @throws Error when no worker has registered the search attributes on this server yet
   * @example
   * for (const { chainId, requests } of await longhand.inbox({ roles: ['release'] })) {
   *   for (const { call, tool, input } of requests) console.log(chainId, call, tool, input);
   * }
   */
  readonly listInbox: (options?: InboxOptions) => Promise<readonly InboxChain[]>;
  /** What the server forgets, and workers keep; null where there is no store. */
  readonly archive: ChainArchive | null;
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/**
 * Connects to Temporal.
 *
 * @throws Error when no server answers, saying how to start one
 * @throws {EncryptionError} when the keys cannot be used
 * @example
 * const longhand = await connect();
 * const chain = await longhand.start(meteorologist, 'Compare the weather in San Francisco and Paris');
 * console.log((await chain.result()).answer);
 */
export async function connect(options: ConnectOptions = {}): Promise<Longhand> {
  const namespace = options.namespace ?? (process.env.TEMPORAL_NAMESPACE || 'default');
  const dataConverter = toSealingConverter(options.dataConverter, resolveEncryption(options.encryption, process.env));
  const archived = openChainArchive(options.store, process.env, namespace);
  const connection =
    options.connection ?? (await openConnection(options.address, archived, options.onServerUnavailable));
  const telemetry = await createTelemetry(process.env);
  const interceptors = { workflow: [...telemetry.client] };
  const given = { connection, namespace, interceptors, ...(dataConverter ? { dataConverter } : {}) };
  const client = Object.assign(new Client(given), { archived });
  const taskQueue = options.taskQueue ?? defaultTaskQueue;
  const handleOf = (handle: WorkflowHandle, runId?: string) =>
    createHandle({
      client,
      handle,
      source: () => resolveChainSource(client, handle.workflowId, runId),
      tokens: options.tokens ?? null,
    });
  const begin = async (given: Omit<StartInput, 'chainId' | 'taskQueue'>, { chainId, ...asked }: StartOptions) => {
    checkAgent(given.agent);
    checkStart({ chainId, ifExists: asked.ifExists });
    const id = chainId ?? `${given.agent.name}-${randomUUID()}`;
    try {
      const handle = await startWorkflow(client, { ...given, chainId: id, taskQueue }, asked);
      return handleOf(handle, handle.firstExecutionRunId);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // One that has ended is not started again under `join`: it is what was asked for.
      if (asked.ifExists === 'join') return handleOf(client.workflow.getHandle(id));
      throw new ChainExistsError(id);
    }
  };
  return {
    archive: archived,
    client,
    start: (agent, task, asked = {}) =>
      begin({ agent: typeof agent === 'string' ? { name: agent } : agent, task }, asked),
    fork: async (from, asked = {}) => {
      const recorded =
        typeof from === 'string' ? await readRecordedChain(await resolveChainSource(client, from)) : from;
      const { agent, task, origin, shownAs, options: inherited } = createForkStart(recorded, asked);
      return begin({ agent: { name: agent }, task, origin, ...(shownAs === null ? {} : { shownAs }) }, inherited);
    },
    listForks: (chainId) => listForks(client, chainId),
    getHandle: (chainId) => {
      checkId(chainId);
      return handleOf(client.workflow.getHandle(chainId));
    },
    listInbox: (asked) => listInbox(client, asked),
    close: async () => {
      await telemetry.flush();
      await archived?.close();
      if (options.connection === undefined) await connection.close();
    },
  };
}

async function openConnection(
  asked: string | undefined,
  archived: ChainArchive | null,
  withoutServer: ConnectOptions['onServerUnavailable'],
): Promise<Connection> {
  const address = asked ?? (process.env.TEMPORAL_ADDRESS || '127.0.0.1:7233');
  try {
    return await Connection.connect({ address, connectTimeout: '5s' });
  } catch (error) {
    const none = `No Temporal server answers at ${maskAddress(address)}`;
    if (withoutServer === undefined || !archived?.exists) {
      throw new Error(`${none}. Start one with \`longhand dev\`, or set TEMPORAL_ADDRESS.`, { cause: error });
    }
    withoutServer(`${none}: what follows is from the archive (${archived.place}).`);
    // Without interceptors nothing is tried again: each call fails at once, and is answered from the archive.
    return Connection.lazy({ address, connectTimeout: '1s', interceptors: [] });
  }
}

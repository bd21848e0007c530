/** The way in for whoever starts chains and comes back to them. */

import { randomUUID } from 'node:crypto';
import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { defaultTaskQueue } from '../contract/names.js';
import type { TokenChannel } from '../contract/tokens.js';
import { telemetryFor } from '../telemetry/telemetry-for.js';
import { ChainExistsError, NoSuchChainError } from './errors.js';
import { type ChainHandle, chainHandle } from './handle.js';
import type { ChainSource } from './read-chain.js';
import { type StartableAgent, type StartOptions, startWorkflow } from './start.js';

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
  /** Carries what a model is saying to followers: the one that the worker was given. */
  readonly tokens?: TokenChannel | undefined;
}

export interface Longhand {
  /**
   * Starts an agent on a task.
   *
   * @throws {RangeError} when the task is larger than Temporal stores
   * @throws {ChainExistsError} when there is a chain of this id and `ifExists` does not say what then
   */
  readonly start: (agent: string | StartableAgent, task: string, options?: StartOptions) => Promise<ChainHandle>;
  /** A chain that was started before, by its id. */
  readonly chain: (chainId: string) => ChainHandle;
  /** Where the history of a chain's latest run is read. @throws {NoSuchChainError} */
  readonly source: (chainId: string) => Promise<ChainSource>;
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/**
 * Connects to Temporal.
 *
 * @throws Error when no server answers, saying how to start one
 * @example
 * const longhand = await connect();
 * const chain = await longhand.start(meteorologist, 'Compare the weather in San Francisco and Paris');
 * console.log((await chain.result()).answer);
 */
export async function connect(options: ConnectOptions = {}): Promise<Longhand> {
  const namespace = options.namespace ?? process.env.TEMPORAL_NAMESPACE ?? 'default';
  const connection = options.connection ?? (await open(options.address));
  const { dataConverter } = options;
  const telemetry = await telemetryFor(process.env);
  const interceptors = { workflow: [...telemetry.client] };
  const client = new Client({ connection, namespace, interceptors, ...(dataConverter ? { dataConverter } : {}) });
  const taskQueue = options.taskQueue ?? defaultTaskQueue;
  const handleOf = (handle: WorkflowHandle, runId?: string) =>
    chainHandle({ client, handle, source: () => sourceOf(client, handle, runId), tokens: options.tokens ?? null });
  return {
    client,
    start: async (agent, task, startOptions = {}) => {
      const named = typeof agent === 'string' ? { name: agent } : agent;
      const chainId = startOptions.chainId ?? `${named.name}-${randomUUID()}`;
      try {
        const handle = await startWorkflow(client, { agent: named, task, chainId, taskQueue }, startOptions);
        return handleOf(handle, handle.firstExecutionRunId);
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        // One that has ended is not started again under `join`: it is what was asked for.
        if (startOptions.ifExists === 'join') return handleOf(client.workflow.getHandle(chainId));
        throw new ChainExistsError(chainId);
      }
    },
    chain: (chainId) => handleOf(client.workflow.getHandle(chainId)),
    source: (chainId) => sourceOf(client, client.workflow.getHandle(chainId)),
    close: async () => {
      await telemetry.flush();
      if (options.connection === undefined) await connection.close();
    },
  };
}

async function open(asked: string | undefined): Promise<Connection> {
  const address = asked ?? process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';
  try {
    return await Connection.connect({ address, connectTimeout: '5s' });
  } catch (error) {
    throw new Error(
      `No Temporal server answers at ${address}. Start one with \`longhand dev\`, or set TEMPORAL_ADDRESS.`,
      { cause: error },
    );
  }
}

async function sourceOf(client: Client, handle: WorkflowHandle, known?: string): Promise<ChainSource> {
  const { connection, options, workflow } = client;
  const runId = known ?? (await latestRun(handle));
  if (!(connection instanceof Connection)) throw new Error('Chains are read over a Connection of @temporalio/client.');
  return {
    connection,
    service: connection.workflowService,
    namespace: options.namespace,
    converter: workflow.options.loadedDataConverter,
    chainId: handle.workflowId,
    runId,
  };
}

async function latestRun(handle: WorkflowHandle): Promise<string> {
  try {
    return (await handle.describe()).runId;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw new NoSuchChainError(handle.workflowId);
    throw error;
  }
}

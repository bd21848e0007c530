/** The Temporal server of a worker: the connection, its namespace, and the search attributes that chains set. */

import type { OperatorService } from '@temporalio/client';
import proto from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import {
  type ConnectionSettings,
  type DescribedNamespace,
  DuplicatePackageError,
  findPartialAttributes,
  listAttributeNames,
  listMissingAttributes,
  openConnection,
  readConnectionSettings,
  readNamespace,
  type TemporalOptions,
  toConnectionOptions,
} from '../connection/index.js';
import { LonghandError, toErrorMessage } from '../core/lib/index.js';

/** The server of a worker; `close` is null for the caller's own connection. */
export interface WorkerServer extends Pick<ConnectionSettings, 'namespace' | 'apiKey' | 'tls'> {
  readonly connection: NativeConnection;
  readonly close: (() => Promise<void>) | null;
}

/** Connects to the server. @throws {LonghandError} as `connect` */
export async function connectToServer(
  options: TemporalOptions & { readonly connection?: NativeConnection | undefined },
): Promise<WorkerServer> {
  const { connection } = options;
  if (connection !== undefined) {
    if (!(connection instanceof NativeConnection)) {
      throw new DuplicatePackageError('@temporalio/worker', 'NativeConnection');
    }
    const namespace = options.namespace ?? readNamespace(process.env);
    return { connection, namespace, apiKey: null, tls: null, close: null };
  }
  const settings = readConnectionSettings(options, process.env);
  const opened = await openNative(settings);
  return { ...settings, connection: opened, close: () => opened.close() };
}

async function openNative(settings: ConnectionSettings): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(toConnectionOptions(settings));
  } catch (error) {
    // The native error is one text; the client's connection fails with the code of the cause.
    const connection = await openConnection(settings);
    await connection.close();
    throw new LonghandError(
      'server_unreachable',
      `The worker cannot connect to ${settings.address}: ${toErrorMessage(error)}. Check TEMPORAL_ADDRESS and TEMPORAL_TLS_*.`,
      { cause: error },
    );
  }
}

const attributeTypes = {
  Keyword: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Double: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
} as const;

async function tryListAttributes(service: OperatorService, namespace: string): Promise<readonly string[] | null> {
  try {
    return Object.keys((await service.listSearchAttributes({ namespace })).customAttributes ?? {});
  } catch {
    return null;
  }
}

/**
 * Registers the search attributes of chains if they are missing. Idempotent.
 *
 * @returns null, or the server's error if the namespace has none: chains then run without search attributes
 * @throws {LonghandError} `search_attributes_missing` if it has only a part of them: chains would block
 */
export async function registerSearchAttributes(
  service: OperatorService,
  namespace: string,
  described: DescribedNamespace | null,
): Promise<string | null> {
  // Temporal Cloud has no operator service; its namespaces list the attributes that were created there.
  let names = listAttributeNames(described);
  try {
    const { customAttributes } = await service.listSearchAttributes({ namespace });
    names = Object.keys(customAttributes ?? {});
    const missing = listMissingAttributes(names);
    if (missing.length === 0) return null;
    await service.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, attributeTypes[type]])),
    });
    return null;
  } catch (error) {
    // Another worker may have added them.
    names = (await tryListAttributes(service, namespace)) ?? names;
    const partial = findPartialAttributes(names, namespace);
    if (partial !== null) throw partial;
    return listMissingAttributes(names).length === 0 ? null : toErrorMessage(error);
  }
}

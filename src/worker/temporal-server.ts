/** The Temporal server of a worker: the connection, its namespace, and the search attributes that chains set. */

import type { OperatorService } from '@temporalio/client';
import proto from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { isNotFound, NoSuchNamespaceError } from '../contract/no-such-namespace.js';
import { searchAttributes } from '../contract/search-attributes.js';
import { maskAddress } from '../core/lib/display.js';
import { LonghandError, toErrorMessage } from '../core/lib/errors.js';

/** Connects to the server. @throws {LonghandError} `server_unreachable` */
export async function connectToServer(requested: string | undefined): Promise<NativeConnection> {
  const address = requested ?? (process.env.TEMPORAL_ADDRESS || '127.0.0.1:7233');
  try {
    return await NativeConnection.connect({ address });
  } catch (error) {
    throw new LonghandError(
      'server_unreachable',
      `No Temporal server answers at ${maskAddress(address)}. Start one with \`longhand dev\`, or set TEMPORAL_ADDRESS.`,
      { cause: error },
    );
  }
}

/**
 * Rejects a missing namespace with a short message.
 *
 * @returns the namespace's id, which no other server has; its name if this worker may not read it
 * @throws {NoSuchNamespaceError}
 */
export async function checkNamespace({ workflowService }: NativeConnection, namespace: string): Promise<string> {
  try {
    const { namespaceInfo } = await workflowService.describeNamespace({ namespace });
    return namespaceInfo?.id || namespace;
  } catch (error) {
    if (isNotFound(error)) throw new NoSuchNamespaceError(namespace);
    return namespace;
  }
}

const attributeTypes = {
  Keyword: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Double: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
} as const;

/**
 * Registers the search attributes of chains if they are missing. Idempotent.
 *
 * @returns null, or the server's error: chains then run without search attributes
 */
export async function registerSearchAttributes(service: OperatorService, namespace: string): Promise<string | null> {
  try {
    const { customAttributes } = await service.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter(({ name }) => !Object.hasOwn(customAttributes ?? {}, name));
    if (missing.length === 0) return null;
    await service.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, attributeTypes[type]])),
    });
    return null;
  } catch (error) {
    return toErrorMessage(error);
  }
}

/** Checks the namespace of a connection: the server has it, and the credentials are accepted for it. */

import { isNotFound, NoSuchNamespaceError } from '../contract/no-such-namespace.js';
import { searchAttributes } from '../contract/search-attributes.js';
import { LonghandError } from '../core/lib/errors.js';
import { isAccessDenied } from './failure.js';
import type { ConnectionSettings } from './settings.js';

/** The part of a connection that this file calls: the client's and the worker's have it. */
export interface NamespaceReader {
  readonly describeNamespace: (request: { namespace: string }) => Promise<{
    readonly namespaceInfo?: { readonly id?: string | null } | null;
    readonly config?: { readonly customSearchAttributeAliases?: Readonly<Record<string, string>> | null } | null;
  }>;
}

export type DescribedNamespace = Awaited<ReturnType<NamespaceReader['describeNamespace']>>;

/**
 * Describes the namespace.
 *
 * @returns null if this process may not read it, or if the server does not answer
 * @throws {NoSuchNamespaceError}
 * @throws {LonghandError} `namespace_denied` when the server rejects the credentials for it
 */
export async function checkNamespace(
  service: NamespaceReader,
  { namespace, apiKey, tls }: Pick<ConnectionSettings, 'namespace' | 'apiKey' | 'tls'>,
): Promise<DescribedNamespace | null> {
  try {
    return await service.describeNamespace({ namespace });
  } catch (error) {
    if (isNotFound(error)) throw new NoSuchNamespaceError(namespace);
    const credentials = apiKey === null ? (tls?.clientCertPair === undefined ? null : 'client certificate') : 'API key';
    // Without credentials, the permission to describe a namespace may be missing where chains may run.
    if (credentials === null || !isAccessDenied((error as { readonly code?: unknown }).code)) return null;
    const fix = 'Correct TEMPORAL_NAMESPACE or --namespace, or give it access to this namespace';
    throw new LonghandError('namespace_denied', `The ${credentials} has no access to namespace ${namespace}. ${fix}.`, {
      cause: error,
    });
  }
}

/** Returns the namespace's id, which no other server has; its name if it could not be described. */
export function getNamespaceId(described: DescribedNamespace | null, namespace: string): string {
  return described?.namespaceInfo?.id || namespace;
}

/** Whether the namespace names all search attributes of chains among its own. */
export function hasSearchAttributes(described: DescribedNamespace | null): boolean {
  const names = new Set(Object.values(described?.config?.customSearchAttributeAliases ?? {}));
  return searchAttributes.every(({ name }) => names.has(name));
}

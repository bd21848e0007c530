/** Checks the namespace of a connection: the server has it, and the credentials are accepted for it. */

import { isNotFound, NoSuchNamespaceError, searchAttributes } from '../contract/index.js';
import { LonghandError } from '../core/lib/index.js';
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
  return findNamespaceId(described) ?? namespace;
}

/** Returns the namespace's id; null if it could not be described. */
export function findNamespaceId(described: DescribedNamespace | null): string | null {
  return described?.namespaceInfo?.id || null;
}

/** Returns the search attributes that the namespace names among its own. */
export function listAttributeNames(described: DescribedNamespace | null): readonly string[] {
  return Object.values(described?.config?.customSearchAttributeAliases ?? {});
}

type SearchAttribute = (typeof searchAttributes)[number];

/** Returns the search attributes of chains that are not among these. */
export function listMissingAttributes(names: readonly string[]): readonly SearchAttribute[] {
  const known = new Set(names);
  return searchAttributes.filter(({ name }) => !known.has(name));
}

/** `temporal operator search-attribute create --namespace default --name LonghandHeldBy --type Keyword` */
export function formatCreateAttributes(missing: readonly SearchAttribute[], namespace: string): string {
  const listed = missing.map(({ name, type }) => ` --name ${name} --type ${type}`).join('');
  return `temporal operator search-attribute create --namespace ${namespace}${listed}`;
}

/**
 * Returns the error for a namespace with only a part of the search attributes; null with all of them, or with none. Chains set
 * attributes where their start could set one, and Temporal retries a workflow task with an unknown one without end.
 */
export function findPartialAttributes(names: readonly string[], namespace: string): LonghandError | null {
  const missing = listMissingAttributes(names);
  if (missing.length === 0 || missing.length === searchAttributes.length) return null;
  const listed = missing.map(({ name }) => name).join(', ');
  const fix = `Run \`${formatCreateAttributes(missing, namespace)}\`, or give the worker the permission to create them`;
  return new LonghandError(
    'search_attributes_missing',
    `Namespace ${namespace} lacks search attributes that chains set: ${listed}. ${fix}.`,
  );
}

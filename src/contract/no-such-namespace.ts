/** What is said wherever the server answers and does not know the namespace. */

import { LonghandError } from '../core/lib/errors.js';

export class NoSuchNamespaceError extends LonghandError {
  override readonly name = 'NoSuchNamespaceError';

  constructor(readonly namespace: string) {
    super(
      'namespace_not_found',
      `There is no namespace ${namespace} on this server: ${formatNamespaceRemedy(namespace)}.`,
    );
  }
}

/** Also of what Temporal's client throws; told by its name, because this file loads nothing of Temporal's. */
export function toNoSuchNamespaceError(error: unknown): NoSuchNamespaceError | null {
  if (error instanceof NoSuchNamespaceError) return error;
  const named = error instanceof Error && error.name === 'NamespaceNotFoundError' && 'namespace' in error;
  return named ? new NoSuchNamespaceError(String(error.namespace)) : null;
}

export function formatNamespaceRemedy(namespace: string): string {
  return `\`temporal operator namespace create --namespace ${namespace}\` makes it; TEMPORAL_NAMESPACE names another`;
}

/** gRPC's code for what is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 5;
}

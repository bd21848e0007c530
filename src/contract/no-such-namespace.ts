/** The error for a namespace that the server does not have. */

import { LonghandError } from '../core/lib/index.js';

export class NoSuchNamespaceError extends LonghandError {
  override readonly name = 'NoSuchNamespaceError';

  constructor(
    readonly namespace: string,
    options?: ErrorOptions,
  ) {
    super(
      'namespace_not_found',
      `Namespace ${namespace} not found on this server. ${formatNamespaceRemedy(namespace)}.`,
      options,
    );
  }
}

/** Converts the error of Temporal's client as well; by name, because this file loads no Temporal package. */
export function toNoSuchNamespaceError(error: unknown): NoSuchNamespaceError | null {
  if (error instanceof NoSuchNamespaceError) return error;
  const hasNamespace = error instanceof Error && error.name === 'NamespaceNotFoundError' && 'namespace' in error;
  return hasNamespace ? new NoSuchNamespaceError(String(error.namespace), { cause: error }) : null;
}

export function formatNamespaceRemedy(namespace: string): string {
  return `Run \`temporal operator namespace create --namespace ${namespace}\`, or set TEMPORAL_NAMESPACE to another one`;
}

/** Whether an error has gRPC's code for not found. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 5;
}

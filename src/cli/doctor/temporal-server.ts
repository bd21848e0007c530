/** What `longhand doctor` looks at on the Temporal server: that it answers, its namespace, its search attributes. */

import type { Connection } from '@temporalio/client';
import { formatNamespaceRemedy, isNotFound } from '../../contract/no-such-namespace.js';
import { searchAttributes } from '../../contract/search-attributes.js';
import { maskAddress } from '../../core/lib/display.js';
import { connectTo, namedServerRemedy } from '../server/reachable.js';
import type { Check } from './report.js';

/** The server first; what cannot be looked at without it says so. */
export async function checkServer(
  env: NodeJS.ProcessEnv,
  usualAddress = '127.0.0.1:7233',
): Promise<readonly [Check, ...Check[]]> {
  const named = env.TEMPORAL_ADDRESS;
  const address = named || usualAddress;
  const namespace = env.TEMPORAL_NAMESPACE || 'default';
  const connection = await connectTo(address);
  if (!connection) {
    const remedy = named ? namedServerRemedy : '`longhand dev` starts one; TEMPORAL_ADDRESS names another';
    return [
      { name: 'Temporal server', status: 'missing', found: `none answers at ${maskAddress(address)}`, remedy },
      notChecked('Namespace', 'no server'),
      notChecked('Search attributes', 'no server'),
    ];
  }
  try {
    const found = `${address}, version ${await versionOf(connection)}`;
    const inside = await checkNamespace(connection, namespace);
    const attributes =
      inside.status === 'ok'
        ? await checkSearchAttributes(connection, namespace)
        : notChecked('Search attributes', 'no namespace');
    return [{ name: 'Temporal server', status: 'ok', found, remedy: null }, inside, attributes];
  } finally {
    await connection.close();
  }
}

function notChecked(name: string, reason: string): Check {
  return { name, status: 'warning', found: `not checked: ${reason}`, remedy: null };
}

async function versionOf(connection: Connection): Promise<string> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  return serverVersion || 'unknown';
}

async function checkNamespace(connection: Connection, namespace: string): Promise<Check> {
  const name = 'Namespace';
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const hours = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600;
    const kept = hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
    return { name, status: 'ok', found: `${namespace}, keeps a history ${kept} after its chain ends`, remedy: null };
  } catch (error) {
    const status = isNotFound(error) ? 'missing' : 'warning';
    return { name, status, found: `${namespace}: ${detailsOf(error)}`, remedy: formatNamespaceRemedy(namespace) };
  }
}

async function checkSearchAttributes(connection: Connection, namespace: string): Promise<Check> {
  const name = 'Search attributes';
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter((attribute) => !Object.hasOwn(customAttributes ?? {}, attribute.name));
    if (missing.length === 0)
      return { name, status: 'ok', found: `all ${searchAttributes.length} registered`, remedy: null };
    const remedy =
      'a worker registers them when it starts; where it may not, `temporal operator search-attribute create` does';
    const listed = missing.map((attribute) => `${attribute.name} (${attribute.type})`).join(', ');
    return { name, status: 'warning', found: `not registered: ${listed}`, remedy };
  } catch (error) {
    return notChecked(name, detailsOf(error));
  }
}

/** gRPC errors carry the server's sentence in `details`. */
function detailsOf(error: unknown): string {
  const { details, message } = error as Error & { readonly details?: string };
  return details || message;
}

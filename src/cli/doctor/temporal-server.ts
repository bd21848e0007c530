/** Checks the Temporal server for `longhand doctor`: it answers, its namespace exists, its attributes are registered. */

import type { Connection } from '@temporalio/client';
import { formatNamespaceRemedy, isNotFound } from '../../contract/no-such-namespace.js';
import { searchAttributes } from '../../contract/search-attributes.js';
import { maskAddress } from '../../core/lib/display.js';
import { namedServerRemedy, tryConnect } from '../server/server-connection.js';
import type { DoctorCheck } from './format-report.js';

/** Returns the check of the server first; checks that need it are marked as not checked without it. */
export async function checkServer(
  env: NodeJS.ProcessEnv,
  defaultAddress = '127.0.0.1:7233',
): Promise<readonly [DoctorCheck, ...DoctorCheck[]]> {
  const named = env.TEMPORAL_ADDRESS;
  const address = named || defaultAddress;
  const namespace = env.TEMPORAL_NAMESPACE || 'default';
  const connection = await tryConnect(address);
  if (!connection) {
    const remedy = named ? namedServerRemedy : 'start one with `longhand dev`, or set TEMPORAL_ADDRESS to another';
    return [
      { name: 'Temporal server', status: 'missing', found: `none answers at ${maskAddress(address)}`, remedy },
      createNotChecked('Namespace', 'no server'),
      createNotChecked('Search attributes', 'no server'),
    ];
  }
  try {
    const found = `${address}, version ${await readServerVersion(connection)}`;
    const inside = await checkNamespace(connection, namespace);
    const attributes =
      inside.status === 'ok'
        ? await checkSearchAttributes(connection, namespace)
        : createNotChecked('Search attributes', 'no namespace');
    return [{ name: 'Temporal server', status: 'ok', found, remedy: null }, inside, attributes];
  } finally {
    await connection.close();
  }
}

function createNotChecked(name: string, reason: string): DoctorCheck {
  return { name, status: 'warning', found: `not checked: ${reason}`, remedy: null };
}

async function readServerVersion(connection: Connection): Promise<string> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  return serverVersion || 'unknown';
}

async function checkNamespace(connection: Connection, namespace: string): Promise<DoctorCheck> {
  const name = 'Namespace';
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const hours = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600;
    const retention = hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
    return {
      name,
      status: 'ok',
      found: `${namespace}, keeps a history ${retention} after its chain ends`,
      remedy: null,
    };
  } catch (error) {
    const status = isNotFound(error) ? 'missing' : 'warning';
    return { name, status, found: `${namespace}: ${getErrorDetails(error)}`, remedy: formatNamespaceRemedy(namespace) };
  }
}

async function checkSearchAttributes(connection: Connection, namespace: string): Promise<DoctorCheck> {
  const name = 'Search attributes';
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter((attribute) => !Object.hasOwn(customAttributes ?? {}, attribute.name));
    if (missing.length === 0)
      return { name, status: 'ok', found: `all ${searchAttributes.length} registered`, remedy: null };
    const remedy =
      'a worker registers them when it starts; without that permission, run `temporal operator search-attribute create`';
    const listed = missing.map((attribute) => `${attribute.name} (${attribute.type})`).join(', ');
    return { name, status: 'warning', found: `not registered: ${listed}`, remedy };
  } catch (error) {
    return createNotChecked(name, getErrorDetails(error));
  }
}

/** gRPC errors have the server's message in `details`. */
function getErrorDetails(error: unknown): string {
  const { details, message } = error as Error & { readonly details?: string };
  return details || message;
}

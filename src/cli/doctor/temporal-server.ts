/** Checks the Temporal server for `longhand doctor`: it answers, its namespace exists, its attributes are registered. */

import type { Connection } from '@temporalio/client';
import {
  formatCreateAttributes,
  listAttributeNames,
  listMissingAttributes,
  listPollers,
} from '../../connection/index.js';
import {
  defaultTaskQueue,
  formatNamespaceRemedy,
  heldChainsQuery,
  isNotFound,
  searchAttributes,
} from '../../contract/index.js';
import { formatHolder, holders } from '../../core/engine/index.js';
import { isLonghandError, type LonghandError } from '../../core/lib/index.js';
import type { DoctorCheck } from './format-report.js';
import { type OpenedServer, openConfigured } from './open-server.js';

/** Returns the check of the server first; checks that need it are marked as not checked without it. */
export async function checkServer(
  env: NodeJS.ProcessEnv,
  defaultAddress = '127.0.0.1:7233',
): Promise<readonly [DoctorCheck, ...DoctorCheck[]]> {
  let opened: OpenedServer;
  try {
    opened = await openConfigured(env, defaultAddress);
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    return [
      toMissingCheck(error),
      createNotChecked('Namespace', 'no server'),
      createNotChecked('Search attributes', 'no server'),
      createNotChecked('Held chains', 'no server'),
      createNotChecked('Workers', 'no server'),
    ];
  }
  const { connection, address, namespace, tls, apiKey } = opened;
  try {
    const secured = tls === null ? '' : apiKey === null ? ', TLS' : ', TLS with an API key';
    const finding = `${address}${secured}, version ${await readServerVersion(connection)}`;
    const inside = await checkNamespace(connection, namespace);
    const attributes =
      inside.status === 'ok'
        ? await checkSearchAttributes(connection, namespace)
        : createNotChecked('Search attributes', 'no namespace');
    const holds =
      attributes.status === 'ok'
        ? await checkHeldChains(connection, namespace)
        : createNotChecked('Held chains', 'no search attributes');
    const workers =
      inside.status === 'missing' ? createNotChecked('Workers', 'no namespace') : await checkWorkers(opened);
    return [
      { name: 'Temporal server', status: 'ok', found: finding, remedy: null },
      inside,
      attributes,
      holds,
      workers,
    ];
  } finally {
    await connection.close();
  }
}

/** Splits a message: its first sentence is the finding, the rest the remedy, both as the end of a line. */
function toMissingCheck({ message }: LonghandError): DoctorCheck {
  const [found = message, ...rest] = message.split('. ');
  const fix = rest.join('. ').replace(/\.$/, '');
  return {
    name: 'Temporal server',
    status: 'missing',
    found: found.replace(/^No Temporal server/, 'none'),
    remedy: fix.charAt(0).toLowerCase() + fix.slice(1),
  };
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
    const missing = listMissingAttributes(Object.keys(customAttributes ?? {}));
    if (missing.length === 0)
      return { name, status: 'ok', found: `all ${searchAttributes.length} registered`, remedy: null };
    const remedy = `a worker registers them when it starts; without that permission, run \`${formatCreateAttributes(missing, namespace)}\``;
    const listed = missing.map((attribute) => `${attribute.name} (${attribute.type})`).join(', ');
    return { name, status: 'warning', found: `not registered: ${listed}`, remedy };
  } catch (error) {
    // Temporal Cloud has no operator service.
    const described = await connection.workflowService.describeNamespace({ namespace }).catch(() => null);
    const finding = `all ${searchAttributes.length} created in the namespace`;
    return listMissingAttributes(listAttributeNames(described)).length === 0
      ? { name, status: 'ok', found: finding, remedy: null }
      : createNotChecked(name, getErrorDetails(error));
  }
}

/** Counts the chains that wait until a person repairs what holds them, by what that is. */
async function checkHeldChains(connection: Connection, namespace: string): Promise<DoctorCheck> {
  const name = 'Held chains';
  try {
    const counts = holders.map(async (holder) => {
      const query = `${heldChainsQuery} AND LonghandHeldBy = '${holder}'`;
      const { count } = await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return { holder, count: Number(count) };
    });
    const holderCounts = (await Promise.all(counts)).filter(({ count }) => count > 0);
    if (holderCounts.length === 0) return { name, status: 'ok', found: 'none', remedy: null };
    const finding = holderCounts.map(({ holder, count }) => `${count} ${formatHolder(holder)}`).join(', ');
    const commands = holderCounts.map(({ holder }) => `\`longhand resume --all --held-by ${holder}\``).join(', ');
    return {
      name,
      status: 'warning',
      found: finding,
      remedy: `\`longhand inbox\` names the repair; after it, run ${commands}`,
    };
  } catch (error) {
    return createNotChecked(name, getErrorDetails(error));
  }
}

async function checkWorkers({ connection, namespace }: OpenedServer): Promise<DoctorCheck> {
  const name = 'Workers';
  const taskQueue = defaultTaskQueue;
  const pollers = await listPollers(connection, { namespace, taskQueue });
  if (pollers === null) return createNotChecked(name, 'the server does not report them');
  if (pollers.length > 0)
    return { name, status: 'ok', found: `${pollers.length} on task queue ${taskQueue}`, remedy: null };
  const remedy = 'start one with `longhand worker`; `run` and `demo` need none';
  return { name, status: 'warning', found: `no worker polls task queue ${taskQueue}`, remedy };
}

/** gRPC errors have the server's message in `details`. */
function getErrorDetails(error: unknown): string {
  const { details, message } = error as Error & { readonly details?: string };
  return details || message;
}

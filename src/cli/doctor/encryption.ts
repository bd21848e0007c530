/** What `longhand doctor` looks at where chains are encrypted: that the keys are there, and open what the server holds. */

import type { Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { workflowType } from '../../contract/names.js';
import { isSealed } from '../../contract/payloads.js';
import { type Encryption, resolveEncryption } from '../../encryption/encryption.js';
import { EncryptionError } from '../../encryption/errors.js';
import { tryConnect } from '../server/server-connection.js';
import type { DoctorCheck } from './format-report.js';

const checkName = 'Encryption';

export async function checkEncryption(env: NodeJS.ProcessEnv, defaultAddress = '127.0.0.1:7233'): Promise<DoctorCheck> {
  const configured = readEncryption(env);
  if (configured instanceof EncryptionError) return toMissingCheck(configured);
  const newest = await readNewestStart(env.TEMPORAL_ADDRESS || defaultAddress, env.TEMPORAL_NAMESPACE || 'default');
  const sealed = newest !== null && isSealed(newest);
  if (configured === null) {
    if (!sealed)
      return { name: checkName, status: 'ok', found: 'off: what chains say can be read in Temporal', remedy: null };
    const remedy = 'set LONGHAND_ENCRYPTION_KEYS to the key file that it was run with';
    return { name: checkName, status: 'missing', found: 'no key; the newest chain is encrypted', remedy };
  }
  const { keys, keyLocation, codec } = configured;
  const found = `on, with ${keyLocation}: key ${keys.current().id} of ${keys.ids().length}`;
  if (newest === null) return { name: checkName, status: 'ok', found: `${found}; no chain to try it on`, remedy: null };
  if (!sealed) {
    const remedy = 'if it was started since encryption is on: whoever started it, and its worker, need the keys too';
    return { name: checkName, status: 'warning', found: `${found}; the newest chain is not encrypted`, remedy };
  }
  try {
    codec.openNow(newest, null);
    return { name: checkName, status: 'ok', found: `${found}, which open the newest chain`, remedy: null };
  } catch (error) {
    if (error instanceof EncryptionError) return toMissingCheck(error);
    throw error;
  }
}

function readEncryption(env: NodeJS.ProcessEnv): Encryption | EncryptionError | null {
  try {
    return resolveEncryption(undefined, env);
  } catch (error) {
    if (error instanceof EncryptionError) return error;
    throw error;
  }
}

/** The first sentence says what there is, the rest what to do. */
function toMissingCheck({ message }: EncryptionError): DoctorCheck {
  const [found = message, ...rest] = message.split(/(?<=[.:]) (?=\p{Lu}|`)/u);
  return { name: checkName, status: 'missing', found, remedy: rest.join(' ') || null };
}

/** What the newest chain was started with, as it lies there; null where there is none, or it cannot be looked at. */
async function readNewestStart(address: string, namespace: string): Promise<Payload | null> {
  const connection = await tryConnect(address);
  if (connection === null) return null;
  try {
    return await readStartPayload(connection, namespace);
  } catch {
    // What is wrong with the server is told by the other checks.
    return null;
  } finally {
    await connection.close();
  }
}

async function readStartPayload({ workflowService }: Connection, namespace: string): Promise<Payload | null> {
  const query = `WorkflowType = '${workflowType}'`;
  const { executions } = await workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 });
  const execution = executions?.[0]?.execution;
  if (execution == null) return null;
  const page = await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
  return page.history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0] ?? null;
}

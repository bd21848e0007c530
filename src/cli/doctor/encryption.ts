/** Checks encryption for `longhand doctor`: the keys exist and open the newest chain on the server. */

import type { Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { isSealed, workflowType } from '../../contract/index.js';
import { type Encryption, EncryptionError, resolveEncryption } from '../../encryption/index.js';
import type { DoctorCheck } from './format-report.js';
import { tryOpenConfigured } from './open-server.js';

const checkName = 'Encryption';

export async function checkEncryption(env: NodeJS.ProcessEnv, defaultAddress = '127.0.0.1:7233'): Promise<DoctorCheck> {
  const configured = readEncryption(env);
  if (configured instanceof EncryptionError) return toMissingCheck(configured);
  const newest = await readNewestStart(env, defaultAddress);
  const sealed = newest !== null && isSealed(newest);
  if (configured === null) {
    if (!sealed)
      return {
        name: checkName,
        status: 'ok',
        found: 'off: the content of chains is readable in Temporal',
        remedy: null,
      };
    const remedy = 'set LONGHAND_ENCRYPTION_KEYS to the key file of the process that started it';
    return { name: checkName, status: 'missing', found: 'no key; the newest chain is encrypted', remedy };
  }
  const { keys, keyLocation, codec } = configured;
  const finding = `on, with ${keyLocation}: key ${keys.current().id} of ${keys.ids().length}`;
  if (newest === null)
    return { name: checkName, status: 'ok', found: `${finding}; no chain to test it on`, remedy: null };
  if (!sealed) {
    const remedy = 'if it was started after encryption was set up, its client and its worker lack the keys';
    return { name: checkName, status: 'warning', found: `${finding}; the newest chain is not encrypted`, remedy };
  }
  try {
    codec.openNow(newest, null);
    return { name: checkName, status: 'ok', found: `${finding}, which open the newest chain`, remedy: null };
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

/** Splits a message: its first sentence is the finding, the rest the remedy. */
function toMissingCheck({ message }: EncryptionError): DoctorCheck {
  const [found = message, ...rest] = message.split(/(?<=[.:]) (?=\p{Lu}|`)/u);
  return { name: checkName, status: 'missing', found, remedy: rest.join(' ') || null };
}

/** Returns the raw input of the newest chain; null without a chain, or when the server cannot be read. */
async function readNewestStart(env: NodeJS.ProcessEnv, defaultAddress: string): Promise<Payload | null> {
  const opened = await tryOpenConfigured(env, defaultAddress);
  if (opened === null) return null;
  const { connection, namespace } = opened;
  try {
    return await readStartPayload(connection, namespace);
  } catch {
    // The checks of the server report the cause.
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

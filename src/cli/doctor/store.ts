/** Checks the store, its archive and its audit log for `longhand doctor`. Chains run without a store. */

import { Client } from '@temporalio/client';
import { createMetadataClient, openChainArchive } from '../../client/index.js';
import { formatBytes, formatCount, toErrorMessage } from '../../core/lib/index.js';
import {
  AuditKeyError,
  auditKeyVariable,
  checkHeads,
  connectStore,
  findAuditKey,
  formatLogFault,
  inspectStore,
  isStoreError,
  logFaultRemedy,
} from '../../store/index.js';
import { formatClosedQuery } from '../../worker/index.js';
import { findCommandStore, formatUnusable, getExistingUrl } from '../access/command-store.js';
import type { DoctorCheck } from './format-report.js';
import { tryOpenConfigured } from './open-server.js';

/** Checks that the store can be opened and is up to date. @param from the folder of the commands */
export async function checkStore(env: NodeJS.ProcessEnv, from?: string): Promise<DoctorCheck> {
  const commandStore = await findCommandStore(env, from);
  if (commandStore.kind === 'off') {
    return createOk('Store', 'none (LONGHAND_STORE=none): histories are kept in Temporal until its retention ends');
  }
  if (commandStore.kind === 'unusable') return createWarning('Store', 'none', formatUnusable(commandStore.reason));
  try {
    const store = await inspectStore(commandStore.where);
    const files = env.LONGHAND_BLOBS ? `, large contents in ${env.LONGHAND_BLOBS}` : '';
    if (store.kind === 'missing') {
      const when = commandStore.kind === 'project' ? 'when a command runs an agent' : 'when a worker starts';
      return createOk('Store', `${store.location}${files}: created ${when}`);
    }
    if (store.unknownMigration !== null) {
      const remedy = 'upgrade Longhand here, or name another store in LONGHAND_STORE';
      return createWarning(
        'Store',
        `${store.location}: migrated by a newer Longhand (${store.unknownMigration})`,
        remedy,
      );
    }
    const state = store.pendingMigrations === 0 ? 'up to date' : 'migrated when a worker starts';
    return createOk('Store', `${store.location}, ${formatBytes(store.bytes)}${files}: ${state}`);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return createWarning('Store', `cannot be used: ${error.kind}`, error.message);
  }
}

const dayMs = 86_400_000;
/** A larger sample would show the same fault. */
const maxRuns = 1_000;

/** Checks that recent runs are archived: this reveals a store that was down, or a worker without one. */
export async function checkArchive(env: NodeJS.ProcessEnv, defaultAddress = '127.0.0.1:7233'): Promise<DoctorCheck> {
  const where = getExistingUrl(await findCommandStore(env));
  if (where === null) return createOk('Archive', 'none: there is no store');
  const opened = await tryOpenConfigured(env, defaultAddress);
  if (opened === null) return createWarning('Archive', 'not checked: no server', null);
  const { connection, namespace } = opened;
  const archive = openChainArchive(where, env, namespace);
  try {
    const workflow = createMetadataClient(new Client({ connection, namespace }));
    let closed = 0;
    let missing = 0;
    for await (const { workflowId, runId } of workflow.list({
      query: formatClosedQuery(Date.now() - dayMs),
      pageSize: 100,
    })) {
      closed += 1;
      if (!(await archive?.has(workflowId, runId))) missing += 1;
      if (closed === maxRuns) break;
    }
    const runs = closed === maxRuns ? `the last ${maxRuns} runs` : `${closed} runs that closed in the last day`;
    if (missing === 0) return createOk('Archive', `${runs} are archived`);
    const remedy = 'check that workers use this store (LONGHAND_STORE); `longhand archive sweep` archives them now';
    return createWarning('Archive', `${missing} of ${runs} are not archived`, remedy);
  } catch (error) {
    const reason = toErrorMessage(error);
    const finding = isStoreError(error)
      ? 'the store is down: chains continue, and are archived when it is back'
      : 'not checked';
    return createWarning('Archive', finding, reason);
  } finally {
    await archive?.close();
    await connection.close();
  }
}

/** Checks the audit log: its key, the record of heads, and that every log extends what was signed. */
export async function checkAudit(env: NodeJS.ProcessEnv): Promise<DoctorCheck> {
  try {
    const where = getExistingUrl(await findCommandStore(env));
    if (where === null) return createOk('Audit log', 'none: there is no store');
    const key = findAuditKey(env);
    if (key === null) {
      return createOk('Audit log', `not signed: ${auditKeyVariable} names no key`);
    }
    const inspected = await inspectStore(where);
    if (inspected.kind === 'missing' || inspected.pendingMigrations > 0 || inspected.unknownMigration !== null) {
      return createOk('Audit log', `to be signed with key ${key.id}`);
    }
    const store = await connectStore(where);
    try {
      const { faults, logs } = await checkHeads(store, key);
      const [first] = faults;
      if (first === undefined) {
        const finding = `signed with key ${key.id}: ${formatCount(logs)} ${logs === 1 ? 'log extends' : 'logs extend'} what was signed`;
        return createOk('Audit log', finding);
      }
      const more = faults.length === 1 ? '' : ` (and ${formatCount(faults.length - 1)} more)`;
      return createWarning('Audit log', `${formatLogFault(first)}${more}`, logFaultRemedy);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof AuditKeyError) {
      return createWarning('Audit log', 'cannot be signed', error.message);
    }
    if (isStoreError(error)) return createWarning('Audit log', 'not checked', error.message);
    throw error;
  }
}

function createOk(name: string, finding: string): DoctorCheck {
  return { name, status: 'ok', found: finding, remedy: null };
}

function createWarning(name: string, finding: string, remedy: string | null): DoctorCheck {
  return { name, status: 'warning', found: finding, remedy };
}

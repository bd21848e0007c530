/** `longhand audit key`, `anchor` and `accept`: creates the key, signs the heads of the logs, accepts restored logs. */

import { writeFileSync } from 'node:fs';
import { formatAnchor } from '../../core/audit/index.js';
import { formatPlural } from '../../core/lib/index.js';
import {
  type AuditKey,
  acceptLogs,
  auditKeyVariable,
  createAuditKey,
  findAuditKey,
  formatLogFault,
  immediateCadence,
  LogFaultError,
  readAuditKey,
  readRecordedHeads,
  signHeads,
} from '../../store/index.js';
import { getNamespace, getSystemUser, withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface KeyFlags {
  readonly out?: string;
  readonly public?: boolean;
  readonly json?: boolean;
}

/** Creates a key (`--out`), or prints the configured one. */
export async function manageAuditKey(
  terminal: Terminal,
  { out, public: printsPublicKey, json }: KeyFlags,
): Promise<number> {
  const path = out ?? process.env[auditKeyVariable];
  if (path === undefined || path === '') {
    throw new UsageError(`Name the file of a new key with --out, or an existing key in ${auditKeyVariable}.`);
  }
  const { id, publicKey } = out === undefined ? readAuditKey(path) : createAuditKey(path);
  if (json) terminal.write(formatJson({ id, publicKey, path }));
  else terminal.write(printsPublicKey ? publicKey : `${id}\n`);
  if (out !== undefined) {
    terminal.report(
      `Created a key in ${path}; only its owner can read it. Keep a copy, and set ${auditKeyVariable}=${path} for the workers.`,
    );
    terminal.report('Send the id above to those who verify, by a channel other than the exports.');
  }
  return 0;
}

export interface AnchorFlags {
  readonly tenant?: string;
  readonly out?: string;
  readonly post?: string;
}

/** Signs the heads of the logs and sends them to an outside witness. */
export async function anchorHeads(terminal: Terminal, flags: AnchorFlags): Promise<number> {
  const key = getSigningKey();
  const { out, post, tenant } = flags;
  const namespace = getNamespace();
  return withStore(async (store) => {
    const at = Date.now();
    const { faults } = await signHeads(store, key, at, immediateCadence);
    const rejection = faults.find(
      (fault) => fault.namespace === namespace && (tenant ?? fault.tenant) === fault.tenant,
    );
    if (rejection !== undefined) throw new LogFaultError(rejection);
    const heads = [...readRecordedHeads(key, store).values()].filter(({ head }) => {
      return head.namespace === namespace && (tenant === undefined || head.tenant === tenant);
    });
    if (heads.length === 0) {
      terminal.report(
        `No audit log exists for ${tenant === undefined ? '' : `tenant ${tenant} in `}namespace ${namespace}.`,
      );
      return 1;
    }
    const text = formatAnchor({
      at: new Date(at).toISOString(),
      namespace,
      heads: heads.map(({ signed, signature }) => ({ signed, signature })),
      keys: { [key.id]: key.publicKey },
    });
    if (post !== undefined) await postAnchor(post, text);
    if (out !== undefined) appendToFile(out, text);
    else if (post === undefined) terminal.write(text);
    terminal.report(`${formatPlural(heads.length, 'head')}, signed with key ${key.id}`);
    return 0;
  });
}

/** @throws UsageError when no key is configured */
function getSigningKey(): AuditKey {
  const key = findAuditKey(process.env);
  if (key !== null) return key;
  throw new UsageError(`${auditKeyVariable} is not set. Create a key with \`longhand audit key --out <file>\`.`);
}

/** Appends: the anchors of a file are a history. */
function appendToFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'a' });
  } catch (error) {
    throw new UsageError(`Cannot write --out ${path}: ${(error as Error).message}.`, { cause: error });
  }
}

/** Time that a witness has to answer. */
const witnessTimeoutMs = 30_000;

async function postAnchor(url: string, text: string): Promise<void> {
  if (!URL.canParse(url)) throw new UsageError(`Invalid --post ${url}. Use the form https://witness.example/anchors.`);
  const request = { method: 'POST', body: text, headers: { 'content-type': 'application/json' } };
  const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(witnessTimeoutMs) }).catch(
    (error: unknown) => {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw new UsageError(
        `${url} did not accept the anchor: ${cause instanceof Error ? cause.message : String(cause)}.`,
      );
    },
  );
  if (!answer.ok) throw new UsageError(`${url} did not accept the anchor: HTTP status ${answer.status}.`);
}

export interface AcceptFlags {
  readonly reason: string;
  readonly by?: string;
}

/** Signs logs as they are, after a backup of the database was restored. */
export async function acceptRestoredLogs(terminal: Terminal, { reason, by }: AcceptFlags): Promise<number> {
  const key = getSigningKey();
  return withStore(async (store) => {
    const who = { by: by ?? getSystemUser(), roles: [] };
    const accepted = await acceptLogs(store, key, { who, reason, at: Date.now() });
    if (accepted.length === 0) terminal.report('Every log extends what was signed: there is nothing to accept.');
    for (const rejection of accepted) terminal.write(`${formatLogFault(rejection)}: signed as it is\n`);
    return 0;
  });
}

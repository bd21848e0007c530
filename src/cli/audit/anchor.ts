/** `longhand audit anchor`: signs the heads of the logs and gives them to an outside witness. */

import { writeFileSync } from 'node:fs';
import { anchorText } from '../../core/audit/anchor.js';
import { count } from '../../core/lib/display.js';
import { RefusedLogError } from '../../store/audit/extends-head.js';
import { readHeads } from '../../store/audit/head-record.js';
import { type AuditKey, auditKeyFrom, auditKeyVariable } from '../../store/audit/key.js';
import { everyHead, signHeads } from '../../store/audit/sign-heads.js';
import { namespaceOf, withStore } from '../access/with-store.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';

export interface AnchorFlags {
  readonly namespace?: string;
  readonly tenant?: string;
  readonly out?: string;
  readonly post?: string;
}

export async function anchor(terminal: Terminal, flags: AnchorFlags): Promise<number> {
  const key = signingKey();
  const { out, post, tenant } = flags;
  const namespace = namespaceOf(flags);
  return withStore(async (store) => {
    const at = Date.now();
    const { refused } = await signHeads(store, key, at, everyHead);
    const refusal = refused.find((each) => each.namespace === namespace && (tenant ?? each.tenant) === each.tenant);
    if (refusal !== undefined) throw new RefusedLogError(refusal);
    const heads = [...readHeads(key, store).values()].filter(({ head }) => {
      return head.namespace === namespace && (tenant === undefined || head.tenant === tenant);
    });
    if (heads.length === 0) {
      terminal.say(
        `There is no audit log of ${tenant === undefined ? '' : `tenant ${tenant} in `}namespace ${namespace}.`,
      );
      return 1;
    }
    const text = anchorText({
      at: new Date(at).toISOString(),
      namespace,
      heads: heads.map(({ signed, signature }) => ({ signed, signature })),
      keys: { [key.id]: key.publicKey },
    });
    if (post !== undefined) await postTo(post, text);
    if (out !== undefined) writeOut(out, text);
    else if (post === undefined) terminal.write(text);
    terminal.say(`${count(heads.length)} ${heads.length === 1 ? 'head' : 'heads'}, signed with key ${key.id}`);
    return 0;
  });
}

/** @throws UsageError where none is named */
export function signingKey(): AuditKey {
  const key = auditKeyFrom(process.env);
  if (key !== null) return key;
  throw new UsageError(`No key is named in ${auditKeyVariable}. Make one with \`longhand audit key --out <file>\`.`);
}

/** Behind what is there: anchors are a history. */
function writeOut(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'a' });
  } catch (error) {
    throw new UsageError(`--out ${path} cannot be written: ${(error as Error).message}.`);
  }
}

/** Milliseconds that a witness has to answer. */
const patienceMs = 30_000;

async function postTo(url: string, text: string): Promise<void> {
  if (!URL.canParse(url)) throw new UsageError(`Invalid --post ${url}. Use the form https://witness.example/anchors.`);
  const request = { method: 'POST', body: text, headers: { 'content-type': 'application/json' } };
  const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(patienceMs) }).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new UsageError(`${url} did not take the anchor: ${cause instanceof Error ? cause.message : String(cause)}.`);
  });
  if (!answer.ok) throw new UsageError(`${url} did not take the anchor: it answered ${answer.status}.`);
}

/** Whether the audit log can be signed: its key, the record of heads beside it, and logs that hold what was signed. */

import { count } from '../../core/lib/display.js';
import { refusalRemedy, refusalText } from '../../store/audit/extends-head.js';
import { AuditKeyError, auditKeyFrom, auditKeyVariable } from '../../store/audit/key.js';
import { checkHeads } from '../../store/audit/sign-heads.js';
import { isStoreError } from '../../store/db/errors.js';
import { inspectStore } from '../../store/db/inspect.js';
import { connectStore } from '../../store/db/open.js';
import { storeFrom } from '../../store/db/place.js';
import type { Check } from './check.js';

const name = 'Audit log';

export async function checkAudit(env: NodeJS.ProcessEnv): Promise<Check> {
  const where = storeFrom(env);
  if (where === null) return { name, status: 'ok', found: 'none: there is no store', remedy: null };
  try {
    const key = auditKeyFrom(env);
    if (key === null) {
      return { name, status: 'ok', found: `not signed: ${auditKeyVariable} names no key`, remedy: null };
    }
    const inspected = await inspectStore(where);
    if (inspected.kind === 'notYet' || inspected.toCome > 0 || inspected.newer !== null) {
      return { name, status: 'ok', found: `to be signed with key ${key.id}`, remedy: null };
    }
    const store = await connectStore(where);
    try {
      const { refused, logs } = await checkHeads(store, key);
      const [first] = refused;
      if (first === undefined) {
        const found = `signed with key ${key.id}: ${count(logs)} ${logs === 1 ? 'log extends' : 'logs extend'} what was signed`;
        return { name, status: 'ok', found, remedy: null };
      }
      const more = refused.length === 1 ? '' : ` (and ${count(refused.length - 1)} more)`;
      return { name, status: 'warning', found: `${refusalText(first)}${more}`, remedy: refusalRemedy };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof AuditKeyError) {
      return { name, status: 'warning', found: 'cannot be signed', remedy: error.message };
    }
    if (isStoreError(error)) return { name, status: 'warning', found: 'not checked', remedy: error.message };
    throw error;
  }
}

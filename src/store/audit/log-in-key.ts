/**
 * The log that a key in the database belongs to. The columns beside the key repeat its names, and whoever owns the database
 * can make them say something else.
 */

import { type LogName, logKey, logNamed } from '../../core/audit/head.js';

/** Null for text that is not the key of a log. */
export function logInKey(key: string): LogName | null {
  try {
    const { namespace, tenant } = logNamed(key);
    const isName = typeof namespace === 'string' && (tenant === null || typeof tenant === 'string');
    return isName && logKey({ namespace, tenant }) === key ? { namespace, tenant } : null;
  } catch {
    return null;
  }
}

/**
 * How much of a tool's calls the audit log holds. `none`: no entry of them, though what people decide about them is told all
 * the same. `basic`: which tool, how it ended, digests of arguments and result. `full`: these themselves as well.
 */

import { type Check, oneOf } from '../lib/check-value.js';

export type AuditLevel = 'none' | 'basic' | 'full';

export const auditLevels: readonly AuditLevel[] = ['none', 'basic', 'full'];

export const auditLevelCheck: Check = (value, at) => oneOf(auditLevels, value, at);

export function higher(a: AuditLevel, b: AuditLevel): AuditLevel {
  return auditLevels.indexOf(a) >= auditLevels.indexOf(b) ? a : b;
}

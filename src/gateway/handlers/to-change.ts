/** A change of keys or webhooks, for the audit log: the caller and the time. */

import type { AuditedChange } from '../../store/index.js';
import type { Identity } from '../identity/identity.js';

/** @param at milliseconds since 1970 */
export function toChange({ by, roles }: Identity, at: number): AuditedChange {
  return { who: { by, roles: roles ?? [] }, at };
}

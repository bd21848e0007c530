/** What people do from outside of chains, as it is told to the audit log. */

import type { AuditDraft, OutsideEvent, Who } from '../../core/audit/entry.js';
import type { LogName } from '../../core/audit/head.js';

export interface Outside extends LogName {
  readonly who: Who;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly chainId?: string | null;
  readonly agent?: string | null;
}

export function outsideDraft({ namespace, tenant, who, at, chainId, agent }: Outside, event: OutsideEvent): AuditDraft {
  const place = { at, namespace, tenant, chainId: chainId ?? null, agent: agent ?? null, who };
  return { ...place, runId: null, eventId: null, item: 0, ...event, parts: [] };
}

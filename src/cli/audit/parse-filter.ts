/** Parses the flags that select audit entries. */

import { auditTypes } from '../../core/audit/index.js';
import { omitUndefined } from '../../core/lib/index.js';
import { type AuditFilter, isAuditType } from '../../store/index.js';
import { getNamespace } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { parseTime } from '../flags/values.js';
import type { AuditFilterFlags } from './filter-flags.js';

/** @throws UsageError with the flag that is invalid */
export function parseAuditFilter(flags: AuditFilterFlags, now: number): AuditFilter & { readonly namespace: string } {
  const { tenant, agent, tool, person, outcome, type, chain, root, since, until, text } = flags;
  if (type !== undefined && !isAuditType(type)) {
    throw new UsageError(`Invalid --type ${type}. Use one of ${auditTypes.join(', ')}.`);
  }
  return {
    namespace: getNamespace(),
    ...omitUndefined({ tenant, agent, tool, person, outcome, type, chainId: chain, root }),
    ...(since === undefined ? {} : { since: parseTime(since, now) }),
    ...(until === undefined ? {} : { until: parseTime(until, now, '--until') }),
    ...omitUndefined({ text }),
  };
}

/** That a log was verified, and what was found, is told to the log. */

import { findingText } from '../../core/audit/finding.js';
import type { LogVerified } from '../../core/audit/verify.js';
import type { Store } from '../db/store.js';
import { appendAudit } from './append.js';
import { outsideDraft } from './outside.js';

export async function noteVerified(
  store: Store,
  namespace: string,
  { entries, findings }: Pick<LogVerified, 'entries' | 'findings'>,
  { by, at }: { readonly by: string | null; readonly at: number },
): Promise<void> {
  const [first] = findings;
  const problem = first === undefined ? null : findingText(first);
  const place = { namespace, tenant: null, who: { by, roles: [] }, at };
  const draft = outsideDraft(place, { type: 'verified', what: { entries, problem } });
  await store.write((tx) => appendAudit(tx, [draft]));
}

/** What closed runs are archived by: where to, and by whose rules. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { AuditPolicy } from '../../core/audit/policy.js';
import type { VisibilityConfig } from '../../core/view/visibility.js';
import type { Retention } from '../../store/archive/retention.js';
import type { Store } from '../../store/db/store.js';

export interface Archive {
  readonly store: Store;
  readonly namespace: string;
  /** Decodes what histories hold. */
  readonly converter: LoadedDataConverter;
  readonly retention: Retention;
  /** Who may see what: what nobody may is not found by text. */
  readonly visibility: VisibilityConfig;
  readonly audit: AuditPolicy;
}

/** Everything that the activities of a worker share, and the archive that closed runs go to. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Agent } from '../../agents/define-agent.js';
import type { PlanCache } from '../../agents/plan-cache.js';
import type { ArchivedRuns } from '../../contract/archived-runs.js';
import type { TokenChannel } from '../../contract/tokens.js';
import type { AuditPolicy } from '../../core/audit/policy.js';
import type { RunLimits } from '../../core/model/limits.js';
import type { VisibilityConfig } from '../../core/view/visibility.js';
import type { FoldCache } from '../../history/fold-cache.js';
import type { HistoryService } from '../../history/read-history.js';
import type { Catalogue } from '../../models/catalogue.js';
import type { ModelProvider } from '../../models/provider.js';
import type { SecretProvider } from '../../secrets/secret-provider.js';
import type { Retention } from '../../store/archive/retention.js';
import type { BlobStore } from '../../store/blobs/blobs.js';
import type { ToolCache } from '../../store/cache/tool-cache.js';
import type { Store } from '../../store/db/store.js';
import type { Instruments } from '../../telemetry/telemetry.js';
import type { WorkerApprovals } from '../../tools/approval/approval.js';

export interface Dependencies {
  /** By own name; an agent that is not here cannot run on this worker. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly provider: ModelProvider;
  readonly catalogue: Catalogue;
  /** When chains go on in a new run, besides when the server suggests it. */
  readonly continueAfter: RunLimits | null;
  /** What the platform and its tenants want approved. */
  readonly approvals: WorkerApprovals;
  readonly folds: FoldCache;
  /** Where the secrets are that tools declare. */
  readonly secrets: SecretProvider;
  /** Runs that the server may have forgotten; null where nothing is archived. */
  readonly archived: ArchivedRuns | null;
  /** Plans that worked. */
  readonly plans: PlanCache;
  /** Decodes what histories hold. */
  readonly converter: LoadedDataConverter;
  /** Where what a model is saying goes; null for nowhere. */
  readonly tokens: TokenChannel | null;
  readonly instruments: Instruments;
  /** What outlives Temporal's retention; null where there is none. It may be down. */
  readonly store: Store | null;
  /** Null where there is no store. */
  readonly archive: Archive | null;
  /** In that store; null without one. */
  readonly blobs: BlobStore | null;
  readonly toolCache: ToolCache | null;
  /** Told of each page of history that a model call reads. */
  readonly onPage?: HistoryService['onPage'];
}

/** The place and the rules by which closed runs are archived. */
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

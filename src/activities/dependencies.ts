/** What the activities of a worker share. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Agent } from '../agents/define-agent.js';
import type { PlanCache } from '../agents/plan-cache.js';
import type { TokenChannel } from '../contract/tokens.js';
import type { Folds } from '../history/folds.js';
import type { HistoryService } from '../history/read.js';
import type { Catalogue } from '../models/catalogue.js';
import type { ModelProvider } from '../models/provider.js';
import type { SecretProvider } from '../secrets/secret-provider.js';
import type { Instruments } from '../telemetry/instruments.js';
import type { WorkerApprovals } from '../tools/approval.js';

export interface Dependencies {
  /** By own name; an agent that is not here cannot run on this worker. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly provider: ModelProvider;
  readonly catalogue: Catalogue;
  /** What the platform and its tenants want approved. */
  readonly approvals: WorkerApprovals;
  readonly folds: Folds;
  /** Where the secrets are that tools declare. */
  readonly secrets: SecretProvider;
  /** Plans that worked. */
  readonly plans: PlanCache;
  /** Decodes what histories hold. */
  readonly converter: LoadedDataConverter;
  /** Where what a model is saying goes; null for nowhere. */
  readonly tokens: TokenChannel | null;
  readonly instruments: Instruments;
  /** Told of each page of history that a model call reads. */
  readonly onPage?: HistoryService['onPage'];
}

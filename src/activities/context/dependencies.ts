/** Resources that the activities of a worker share, and the archive for closed runs. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { Agent, AgentSources, PlanCache, SnapshotDefaults } from '../../agents/index.js';
import type { ArchivedRuns, TokenPublisher } from '../../contract/index.js';
import type { AuditPolicy } from '../../core/audit/index.js';
import type { RunLimits } from '../../core/model/index.js';
import type { VisibilityConfig } from '../../core/view/index.js';
import type { FoldCache, HistoryService } from '../../history/index.js';
import type { AccessRules, Models } from '../../models/index.js';
import type { SecretProvider } from '../../secrets/index.js';
import type { BlobStore, RegisteredAgent, Retention, Store, ToolCache, WebhookStore } from '../../store/index.js';
import type { Instruments } from '../../telemetry/index.js';
import type { WorkerApprovals } from '../../tools/define/index.js';
import type { CallSlots } from './call-slots.js';
import type { DataMarker } from './data-detectors.js';

export interface Dependencies {
  /** Agents by name; an agent that is missing cannot run on this worker. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Returns the agents of all workers of the queue; null where not all are known. @throws StoreError */
  readonly listQueueAgents: () => Promise<readonly RegisteredAgent[] | null>;
  /** Adds the tools of their sources to agents. */
  readonly sources: AgentSources;
  /** Providers by name, and the catalogue. A chain whose provider is missing cannot call its model on this worker. */
  readonly models: Models;
  /** Which models chains may use. */
  readonly modelAccess: AccessRules;
  /** Marks a chain with the classes of its data, by the worker's detectors. */
  readonly markData: DataMarker;
  readonly snapshotDefaults: SnapshotDefaults;
  /** Whether the server knows the search attributes of chains. */
  readonly searchAttributes: 'registered' | 'unknown';
  /** When chains continue as new, in addition to the server's suggestion. */
  readonly continueAfter: RunLimits | null;
  /** Approval rules of the platform and its tenants. */
  readonly approvals: WorkerApprovals;
  readonly folds: FoldCache;
  /** Source of the tools' secrets. */
  readonly secrets: SecretProvider;
  /** Archived runs; null without an archive. */
  readonly archived: ArchivedRuns | null;
  /** Completed plans. */
  readonly plans: PlanCache;
  /** Decodes what histories hold. */
  readonly converter: LoadedDataConverter;
  /** Publishes the tokens of replies; null for none. */
  readonly tokens: TokenPublisher | null;
  readonly instruments: Instruments;
  /** Most milliseconds between two heartbeats of a call. */
  readonly heartbeatMs: number;
  /** Store for content that outlives Temporal's retention; null for none. It may be unavailable. */
  readonly store: Store | null;
  /** Null if there is no store. */
  readonly archive: Archive | null;
  /** Stored content; null without a store. */
  readonly blobs: BlobStore | null;
  /** Results of tools and replies of models; null without a store. */
  readonly toolCache: ToolCache | null;
  /** Null without a store. */
  readonly webhooks: WebhookStore | null;
  /** Of tools whose calls are limited. */
  readonly slots: CallSlots;
  /** Called for each page of history that a model call reads, for tests. */
  readonly onPage?: HistoryService['onPage'];
}

/** Store and rules for archiving closed runs. */
export interface Archive {
  readonly store: Store;
  readonly namespace: string;
  /** The namespace's id, which no other server has; null if unknown. */
  readonly server: string | null;
  /** Decodes what histories hold. */
  readonly converter: LoadedDataConverter;
  readonly retention: Retention;
  /** Visibility rules: content that no viewer may see is not searchable. */
  readonly visibility: VisibilityConfig;
  /** Null where runs leave no entries in the audit log. */
  readonly audit: AuditPolicy | null;
}

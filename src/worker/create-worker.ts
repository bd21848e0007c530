/** Composition: agents, a model and a connection to Temporal make a worker. */

import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { msToNumber } from '@temporalio/common/lib/time.js';
import {
  GracefulShutdownPeriodExpiredError,
  type InjectedSinks,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { addStepToLogs } from '../activities/context/activity-context.js';
import type { Dependencies } from '../activities/context/dependencies.js';
import { createActivities } from '../activities/index.js';
import { createPlanCache } from '../agents/plan-cache.js';
import type { ArchiveSinks } from '../contract/archived-runs.js';
import { defaultTaskQueue } from '../contract/names.js';
import type { TracingSinks } from '../contract/tracing.js';
import { resolveEncryption, toSealingConverter } from '../encryption/encryption.js';
import { createFoldCache } from '../history/fold-cache.js';
import { loadCatalogue } from '../models/catalogue.js';
import { createModelFromEnvironment } from '../models/environment.js';
import { createDefaultSecrets } from '../secrets/secret-provider.js';
import { findAuditKey } from '../store/audit/key.js';
import { openConfiguredBlobs } from '../store/blobs/blobs.js';
import { createToolCache } from '../store/cache/tool-cache.js';
import { createTelemetry } from '../telemetry/create-telemetry.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { findWorkflowBundle, sealFailures } from './bundle.js';
import { checkNamespace, connectToServer, registerSearchAttributes } from './temporal-server.js';
import { createWorkerArchive, defaultSweepMs } from './worker-archive.js';
import {
  checkApprovals,
  checkAudit,
  checkSecrets,
  checkVisibility,
  indexAgents,
  type LonghandWorkerOptions,
  toContinueAfter,
  toRetention,
} from './worker-options.js';
import { openWorkerStore } from './worker-store.js';

/** A worker, and what it holds besides. */
export interface LonghandWorker {
  readonly worker: Worker;
  /** Forgets the chains that were folded; they are read again when next needed. */
  readonly forgetChains: () => void;
  /**
   * Runs until `worker.shutdown()` or a signal: what is in hand is finished or handed on.
   *
   * @throws Error when a call did not end although it was told to, and was left behind
   */
  readonly run: () => Promise<void>;
}

/** Milliseconds that calls have to end by themselves once the worker stops, and then to hear that they must. */
const graceMs = 10_000;
const forceMs = 5_000;

/**
 * Makes a worker, ready to run. Registers the search attributes if they are missing.
 *
 * @throws Error when no model is configured, two agents share a name, or the server or its namespace is not there
 * @throws {TypeError} for rules on who sees what, who approves what, or what is audited, and for secrets, that cannot be
 *   used
 * @throws {RangeError} for a retention that cannot be used
 * @throws {EncryptionError} when the keys cannot be used
 * @example
 * const { worker, run } = await createWorker({ agents: [meteorologist] });
 * const running = run();
 * // … later
 * worker.shutdown();
 * await running;
 */
export async function createWorker(options: LonghandWorkerOptions): Promise<LonghandWorker> {
  const agents = indexAgents(options.agents);
  checkVisibility(options.visibility);
  checkApprovals(options.approvals);
  checkSecrets(options.secrets);
  checkAudit(options.audit);
  const retention = toRetention(options.retention, process.env);
  const namespace = options.namespace ?? (process.env.TEMPORAL_NAMESPACE || 'default');
  const secrets = options.secrets ?? createDefaultSecrets(process.env);
  const provider = options.provider ?? (await createModelFromEnvironment(process.env, secrets))?.provider;
  if (provider === undefined) {
    throw new Error(
      'No model is configured: set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL for another server of the Messages API, or pass `provider`.',
    );
  }
  const catalogue = loadCatalogue(options.prices);
  const encryption = resolveEncryption(options.encryption, process.env);
  const dataConverter = toSealingConverter(options.temporal?.dataConverter, encryption);
  const plainBundle = options.temporal?.workflowBundle ?? (await findWorkflowBundle());
  const bundle = encryption === null ? plainBundle : await sealFailures(plainBundle);
  const connection = options.connection ?? (await connectToServer(options.address));
  await checkNamespace(connection, namespace);
  const refused = await registerSearchAttributes(connection.operatorService, namespace);
  if (refused !== null)
    Runtime.instance().logger.warn(`Search attributes could not be registered; chains run without: ${refused}`);
  const converter = loadDataConverter(dataConverter);
  const { onPage, visibility = {} } = options;
  const telemetry = await createTelemetry(process.env, {
    ...(options.visibility ? { visibility: options.visibility } : {}),
    warn: (problem) => Runtime.instance().logger.warn(problem),
  });
  const warn = (problem: string) => Runtime.instance().logger.warn(problem);
  const kept = await openWorkerStore(options.store, process.env, warn);
  const archiving = createWorkerArchive({
    ...{ store: kept.store, connection, namespace, converter, retention, visibility, warn },
    audit: { visibility, ...options.audit },
    auditKey: kept.store === null ? null : findAuditKey(process.env),
    sweepEveryMs: options.sweepEveryMs ?? defaultSweepMs,
  });
  const { archived, archive } = archiving;
  const folds = createFoldCache({ converter, archived });
  const dependencies: Dependencies = {
    agents,
    provider,
    catalogue,
    continueAfter: toContinueAfter(options.continueAfter, process.env),
    approvals: options.approvals ?? {},
    folds,
    secrets,
    archived,
    archive,
    plans: options.planCache ?? createPlanCache(),
    converter,
    instruments: telemetry.instruments,
    tokens: options.tokens ?? null,
    store: kept.store,
    blobs: kept.store === null ? null : openConfiguredBlobs(kept.store, process.env),
    toolCache: kept.store === null ? null : createToolCache(kept.store),
    ...(onPage ? { onPage } : {}),
  };
  const grace = options.temporal?.shutdownGraceTime ?? graceMs;
  const worker = await Worker.create({
    // A tool that does not listen to its `signal` would keep the worker for ever.
    shutdownForceTime: msToNumber(grace) + forceMs,
    ...withInterceptors(options.temporal, telemetry, archiving.sinks),
    shutdownGraceTime: grace,
    connection,
    namespace,
    taskQueue: options.taskQueue ?? defaultTaskQueue,
    workflowBundle: bundle,
    ...(dataConverter ? { dataConverter } : {}),
    activities: createActivities(dependencies),
    // Heartbeats bring the news of a cancel: the default lets a model speak on for most of its timeout.
    maxHeartbeatThrottleInterval: '500ms',
    defaultHeartbeatThrottleInterval: '500ms',
  });
  const run = async () => {
    archiving.start(telemetry.instruments);
    try {
      await worker.run();
    } catch (error) {
      throw isLeftBehind(error) ? toLeftBehindError(error) : error;
    } finally {
      await archiving.stop();
      await telemetry.flush();
      await kept.close();
      if (options.connection === undefined) await connection.close();
    }
  };
  return { worker, forgetChains: folds.clear, run };
}

/**
 * Makes a worker and runs it until the process is told to stop.
 *
 * @throws Error what `createWorker` throws; and when a call did not end although it was told to, and was left behind
 * @example
 * await runWorker({ agents: [meteorologist] });
 */
export async function runWorker(options: LonghandWorkerOptions): Promise<void> {
  const { run } = await createWorker(options);
  await run();
}

/** The SDK's own error for it is hidden by what its core then says of the worker that it cannot end. */
function isLeftBehind(error: unknown): boolean {
  if (error instanceof GracefulShutdownPeriodExpiredError) return true;
  return error instanceof Error && error.message.startsWith('Worker still in use');
}

function toLeftBehindError(cause: unknown): Error {
  return new Error(
    'The worker stopped while a call was still running, which is left behind: a tool must end when its `signal` is aborted.',
    { cause },
  );
}

/** Adds our interceptors to the options of Temporal's worker: the user's own run inside ours. */
function withInterceptors(
  temporal: Partial<WorkerOptions> | undefined,
  telemetry: Telemetry,
  archive: InjectedSinks<ArchiveSinks>,
): Partial<WorkerOptions> {
  // Present with telemetry off, too: the SDK complains of a sink that a workflow calls and the worker lacks.
  const sinks: InjectedSinks<TracingSinks> = {
    longhandTracing: { ended: { fn: ({ workflowId }, end) => telemetry.chainEnded(workflowId, end) } },
  };
  const { interceptors } = temporal ?? {};
  return {
    ...temporal,
    sinks: { ...temporal?.sinks, ...sinks, ...archive },
    interceptors: {
      ...interceptors,
      activity: [addStepToLogs, ...telemetry.activity, ...(interceptors?.activity ?? [])],
    },
  };
}

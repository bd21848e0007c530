/** Creates a worker from agents, a model and a connection to Temporal. */

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
import { LonghandError } from '../core/lib/errors.js';
import { resolveEncryption, toSealingConverter } from '../encryption/encryption.js';
import { createFoldCache } from '../history/fold-cache.js';
import { loadCatalogue } from '../models/catalogue.js';
import { createModelFromEnvironment } from '../models/environment.js';
import { parseDuration } from '../options/duration.js';
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

/** A worker with its resources. */
export interface LonghandWorker {
  readonly worker: Worker;
  /** Clears the cache of folded chains; they are read again when next needed. */
  readonly forgetChains: () => void;
  /**
   * Runs until `worker.shutdown()` or a signal, and finishes or hands over the running calls.
   *
   * @throws {LonghandError} `worker_failed` when a call ignored its abort signal and was abandoned
   */
  readonly run: () => Promise<void>;
}

/** Milliseconds for running calls to end by themselves after a stop, and then after their abort signal. */
const graceMs = 10_000;
const forceMs = 5_000;

/**
 * Creates a worker, ready to run. Registers the search attributes if they are missing.
 *
 * @throws {LonghandError} `model_not_configured`, `invalid_options` for agents and `sweepInterval`, `server_unreachable`,
 *   `namespace_not_found`, `invalid_policy` for visibility, approval, audit or retention, `invalid_prices`
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
  const sweepIntervalMs = parseDuration(options.sweepInterval ?? defaultSweepMs, 'sweepInterval');
  const namespace = options.namespace ?? (process.env.TEMPORAL_NAMESPACE || 'default');
  const secrets = options.secrets ?? createDefaultSecrets(process.env);
  const provider = options.provider ?? (await createModelFromEnvironment(process.env, secrets))?.provider;
  if (provider === undefined) {
    throw new LonghandError(
      'model_not_configured',
      'No model is configured. Set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL for another server of the Messages API, or pass `provider`.',
    );
  }
  const catalogue = loadCatalogue(options.prices);
  const encryption = resolveEncryption(options.encryption, process.env);
  const dataConverter = toSealingConverter(options.temporal?.dataConverter, encryption);
  const plainBundle = options.temporal?.workflowBundle ?? (await findWorkflowBundle());
  const bundle = encryption === null ? plainBundle : await sealFailures(plainBundle);
  const connection = options.connection ?? (await connectToServer(options.address));
  await checkNamespace(connection, namespace);
  const problem = await registerSearchAttributes(connection.operatorService, namespace);
  if (problem !== null)
    Runtime.instance().logger.warn(`Search attributes could not be registered; chains run without them: ${problem}`);
  const converter = loadDataConverter(dataConverter);
  const { onPage, visibility = {} } = options;
  const telemetry = await createTelemetry(process.env, {
    ...(options.visibility ? { visibility: options.visibility } : {}),
    warn: (problem) => Runtime.instance().logger.warn(problem),
  });
  const warn = (problem: string) => Runtime.instance().logger.warn(problem);
  const workerStore = await openWorkerStore(options.store, process.env, warn);
  const archiving = createWorkerArchive({
    ...{ store: workerStore.store, connection, namespace, converter, retention, visibility, warn },
    audit: { visibility, ...options.audit },
    auditKey: workerStore.store === null ? null : findAuditKey(process.env),
    sweepIntervalMs,
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
    store: workerStore.store,
    blobs: workerStore.store === null ? null : openConfiguredBlobs(workerStore.store, process.env),
    toolCache: workerStore.store === null ? null : createToolCache(workerStore.store),
    ...(onPage ? { onPage } : {}),
  };
  const grace = options.temporal?.shutdownGraceTime ?? graceMs;
  const worker = await Worker.create({
    // A tool that ignores its `signal` would keep the worker running without end.
    shutdownForceTime: msToNumber(grace) + forceMs,
    ...withInterceptors(options.temporal, telemetry, archiving.sinks),
    shutdownGraceTime: grace,
    connection,
    namespace,
    taskQueue: options.taskQueue ?? defaultTaskQueue,
    workflowBundle: bundle,
    ...(dataConverter ? { dataConverter } : {}),
    activities: createActivities(dependencies),
    // A cancel arrives with a heartbeat: with the default, a model call continues for most of its timeout.
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
      await workerStore.close();
      if (options.connection === undefined) await connection.close();
    }
  };
  return { worker, forgetChains: folds.clear, run };
}

/**
 * Creates a worker and runs it until the process receives a stop signal.
 *
 * @throws {LonghandError} as `createWorker`, and `worker_failed` when a call ignored its abort signal
 * @example
 * await runWorker({ agents: [meteorologist] });
 */
export async function runWorker(options: LonghandWorkerOptions): Promise<void> {
  const { run } = await createWorker(options);
  await run();
}

/**
 * Whether the worker stopped while a call was running. The SDK's own error may be hidden by its core's error that the
 * worker is in use.
 */
function isLeftBehind(error: unknown): boolean {
  if (error instanceof GracefulShutdownPeriodExpiredError) return true;
  return error instanceof Error && error.message.startsWith('Worker still in use');
}

function toLeftBehindError(cause: unknown): Error {
  return new LonghandError(
    'worker_failed',
    'The worker stopped while a call was still running; the call was abandoned. A tool must end when its `signal` is aborted.',
    { cause },
  );
}

/** Adds our interceptors to the options of Temporal's worker. The user's interceptors run inside ours. */
function withInterceptors(
  temporal: Partial<WorkerOptions> | undefined,
  telemetry: Telemetry,
  archive: InjectedSinks<ArchiveSinks>,
): Partial<WorkerOptions> {
  // Present also without telemetry: the SDK warns about a sink that a workflow calls and the worker lacks.
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

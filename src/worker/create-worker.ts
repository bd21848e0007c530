/** Creates a worker from agents, a model and a connection to Temporal. */

import { msToNumber } from '@temporalio/common/lib/time.js';
import {
  GracefulShutdownPeriodExpiredError,
  type InjectedSinks,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { addStepToLogs } from '../activities/context/activity-context.js';
import { CallSlots } from '../activities/context/call-slots.js';
import type { Dependencies } from '../activities/context/dependencies.js';
import { toRegisteredAgents } from '../activities/context/failures.js';
import { createReturnReporter } from '../activities/context/report-returns.js';
import { createActivities } from '../activities/index.js';
import { createAgentSources } from '../agents/agent-sources.js';
import { createPlanCache, type PlanCache } from '../agents/plan-cache.js';
import { checkNamespace, findNamespaceId, getNamespaceId } from '../connection/namespace.js';
import { listPollers } from '../connection/pollers.js';
import type { ArchiveSinks } from '../contract/archived-runs.js';
import type { EventSinks } from '../contract/chain-events.js';
import { defaultTaskQueue } from '../contract/names.js';
import type { WaitSinks } from '../contract/notifier.js';
import { heldChainsQuery } from '../contract/search-attributes.js';
import type { TurnSinks } from '../contract/taken-turns.js';
import type { TracingSinks } from '../contract/tracing.js';
import { LonghandError } from '../core/lib/errors.js';
import { createResources, type Resources } from '../core/lib/resources.js';
import { createPurposeSealer, type Encryption } from '../encryption/encryption.js';
import { createFoldCache, type FoldCache } from '../history/fold-cache.js';
import type { Models } from '../models/models.js';
import { openTokenPublisher } from '../relay/relay.js';
import { findAuditKey } from '../store/audit/key.js';
import { openConfiguredBlobs } from '../store/blobs/blobs.js';
import { createPlanStore } from '../store/cache/plan-store.js';
import { createToolCache } from '../store/cache/tool-cache.js';
import type { Store } from '../store/db/store.js';
import { createWebhookStore, type WebhookStore } from '../store/webhooks/webhook-store.js';
import { createWorkerEntry, listQueueAgents, listWorkers } from '../store/workers/worker-registry.js';
import { createTelemetry } from '../telemetry/create-telemetry.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { blockedMessage, watchLoop } from '../timing/loop-guard.js';
import type { ToolLog } from '../tools/define/define-tool.js';
import { findWorkflowBundle } from './bundle.js';
import { addCircuits } from './circuits.js';
import { addToolCallHook, createEventSinks } from './hooks.js';
import { registerWorker } from './register-worker.js';
import { connectToServer, registerSearchAttributes } from './temporal-server.js';
import { createWebhookNotifier, noWaitSinks } from './webhook-notifier.js';
import { createWorkerArchive } from './worker-archive.js';
import { type LonghandWorkerOptions, resolveWorkflowsPath } from './worker-options.js';
import { resolveWorkerSettings, type WorkerSettings } from './worker-settings.js';
import { openWorkerStore } from './worker-store.js';

/** A worker with its resources. */
export interface LonghandWorker {
  /** Returns the state of Temporal's worker: `INITIALIZED`, `RUNNING`, `STOPPED` … */
  readonly getState: Worker['getState'];
  /** Stops a running worker: `run` then resolves. Without effect in any other state. */
  readonly shutdown: () => void;
  /** Clears the cache of folded chains; they are read again when next needed. */
  readonly forgetChains: () => void;
  /**
   * Runs until `shutdown()` or a signal, finishes or hands over the running calls, and closes the resources. A worker
   * runs once.
   *
   * @throws {LonghandError} `worker_failed` when a call ignored its abort signal and was abandoned, and at a second call
   */
  readonly run: () => Promise<void>;
}

/** Milliseconds for running calls to end by themselves after a stop, and then after their abort signal. */
const graceMs = 10_000;
const forceMs = 5_000;

/** Milliseconds to start the notifiers of the last events. */
const stopNotifierMs = 5_000;

/**
 * Between heartbeats of an activity at most. A cancel arrives with a heartbeat's answer: with Temporal's default, a model
 * call continues for most of its timeout.
 */
const defaultHeartbeatInterval = '500ms';

/**
 * Creates a worker, ready to run. Registers the search attributes if they are missing.
 *
 * @throws {LonghandError} `model_not_configured`, `invalid_options` for agents, `temporal`, `continueAfter` and
 *   `sweepInterval`, `invalid_policy` for visibility, approval, audit or retention, `invalid_prices`; for the server as
 *   `connect`
 * @throws {EncryptionError} when the keys cannot be used
 * @throws {StoreError} when the configured store cannot be opened
 * @example
 * const worker = await createWorker({ agents: [meteorologist] });
 * const running = worker.run();
 * // … later
 * worker.shutdown();
 * await running;
 */
export async function createWorker(options: LonghandWorkerOptions): Promise<LonghandWorker> {
  return createWorkerWithBundle(options, () => findWorkflowBundle(resolveWorkflowsPath(options.workflowsPath)));
}

/** Options that only tests need. */
export interface TestWorkerOptions extends LonghandWorkerOptions {
  /** Called for each page of history that a model call reads. */
  readonly onPage?: Dependencies['onPage'] | undefined;
}

/** Creates a worker with another workflow bundle, for tests. */
export async function createWorkerWithBundle(
  options: TestWorkerOptions,
  findBundle: () => Promise<WorkflowBundleOption>,
): Promise<LonghandWorker> {
  const settings = await resolveWorkerSettings(options, findBundle);
  const resources = createResources();
  try {
    return await openWorker(options, settings, resources);
  } catch (error) {
    await resources.close().catch((failure: unknown) => warn(`A resource of the worker was not closed: ${failure}`));
    throw error;
  }
}

/** Opens what a worker needs, and registers it in `resources`. */
async function openWorker(
  options: TestWorkerOptions,
  settings: WorkerSettings,
  resources: Resources,
): Promise<LonghandWorker> {
  const { onPage, visibility = {}, temporal } = options;
  const { agents, secrets, modelAccess, snapshotDefaults, converter, dataConverter, circuitRules } = settings;
  const { continueAfter, retention, sweepIntervalMs } = settings;
  const server = await connectToServer(options);
  const { connection, namespace } = server;
  if (server.close !== null) resources.add(server.close);
  const described = await checkNamespace(connection.workflowService, server);
  const namespaceId = getNamespaceId(described, namespace);
  const problem = await registerSearchAttributes(connection.operatorService, namespace, described);
  if (problem !== null) warn(`Search attributes could not be registered; chains run without them: ${problem}`);
  const { store, close } = await openWorkerStore(options.store, process.env, warn);
  resources.add(close);
  const tokens = await openTokenPublisher({
    ...{ tokens: options.tokens, encryption: settings.encryption, env: process.env },
    ...{ namespaceId, store, warn },
  });
  if (tokens !== null) resources.add(tokens.close);
  const telemetry = await createTelemetry(process.env, {
    ...(options.visibility ? { visibility: options.visibility } : {}),
    warn,
  });
  resources.add(telemetry.flush);
  const stopObserving = telemetry.observeHeldChains(async () => {
    const query = { namespace, query: heldChainsQuery };
    return Number((await connection.workflowService.countWorkflowExecutions(query)).count);
  });
  resources.add(async () => stopObserving());
  const archiving = createWorkerArchive({
    ...{ store, connection, namespace, server: findNamespaceId(described), converter, retention, visibility, warn },
    audit: options.audit === false ? null : { visibility, ...options.audit },
    auditKey: store === null ? null : findAuditKey(process.env),
    sweepIntervalMs,
  });
  resources.add(archiving.stop);
  const { archived, archive } = archiving;
  const sources = createAgentSources({ secrets, log: createWorkerLog() });
  resources.add(sources.close);
  const folds = createFoldCache({ converter, archived });
  const taskQueue = options.taskQueue ?? defaultTaskQueue;
  const webhooks = store === null ? null : openWebhooks(store, namespace, settings.encryption);
  const notifier =
    webhooks === null
      ? null
      : createWebhookNotifier({
          ...{ webhooks, connection, namespace, taskQueue, dataConverter, converter, archived, folds, warn },
        });
  if (notifier !== null) resources.add(() => notifier.stop(stopNotifierMs));
  const queue = { namespace, taskQueue };
  const dependencies: Dependencies = {
    agents,
    sources,
    models: addCircuits(settings.models, circuitRules),
    modelAccess,
    snapshotDefaults,
    searchAttributes: problem === null ? 'registered' : 'unknown',
    continueAfter,
    approvals: options.approvals ?? {},
    folds,
    secrets,
    archived,
    archive,
    plans: options.planCache ?? openPlanCache(store, namespace, settings.encryption),
    converter,
    instruments: addToolCallHook(telemetry.instruments, options.hooks ?? {}, warn),
    heartbeatMs: msToNumber(temporal?.maxHeartbeatThrottleInterval ?? defaultHeartbeatInterval),
    tokens,
    store,
    blobs: store === null ? null : openConfiguredBlobs(store, process.env),
    toolCache: store === null ? null : createToolCache(store),
    webhooks,
    listQueueAgents: async () =>
      store === null ? null : listQueueAgents(await listWorkers(store, queue), () => listPollers(connection, queue)),
    slots: new CallSlots(),
    ...(onPage ? { onPage } : {}),
  };
  const grace = temporal?.shutdownGraceTime ?? graceMs;
  const worker = await Worker.create({
    ...createTaskLimit(temporal),
    // A tool that ignores its `signal` would keep the worker running without end.
    shutdownForceTime: msToNumber(grace) + forceMs,
    maxHeartbeatThrottleInterval: defaultHeartbeatInterval,
    defaultHeartbeatThrottleInterval: defaultHeartbeatInterval,
    ...withInterceptors(
      temporal,
      { telemetry, provider: findOnlyName(settings.models) },
      {
        ...{ ...archiving.sinks, ...createTurnSinks(folds), ...(notifier?.sinks ?? noWaitSinks) },
        ...createEventSinks(options.hooks ?? {}, warn, notifier?.reportEnd),
      },
    ),
    shutdownGraceTime: grace,
    connection,
    namespace,
    taskQueue,
    workflowBundle: settings.workflowBundle,
    ...(dataConverter ? { dataConverter } : {}),
    activities: createActivities(dependencies, settings.ownActivities),
  });
  const { identity } = worker.options;
  const entry =
    store === null || identity === undefined
      ? null
      : createWorkerEntry(store, queue, { identity, agents: toRegisteredAgents(agents) });
  let hasStarted = false;
  const run = async () => {
    // A second run would close the resources of the first.
    if (hasStarted) throw createSecondRunError();
    hasStarted = true;
    archiving.start(telemetry.instruments, notifier);
    const endWatch = watchLoop((block) => {
      telemetry.instruments.recordLoopBlock(block);
      Runtime.instance().logger.warn(blockedMessage, { ...block });
    });
    resources.add(async () => endWatch());
    if (entry !== null) resources.add(registerWorker(entry, warn));
    const [ended] = await Promise.allSettled([worker.run()]);
    const [closed] = await Promise.allSettled([resources.close()]);
    // The worker's own error takes precedence.
    if (ended.status === 'rejected') throw isLeftBehind(ended.reason) ? toLeftBehindError(ended.reason) : ended.reason;
    if (closed.status === 'rejected') throw closed.reason;
  };
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return { getState: () => worker.getState(), shutdown, forgetChains: folds.clear, run };
}

/** Workers with a store share their plans; a worker without one has its own. */
function openPlanCache(store: Store | null, namespace: string, encryption: Encryption | null): PlanCache {
  if (store === null) return createPlanCache();
  return createPlanStore(store, { namespace, sealer: createPurposeSealer(encryption, 'plans') });
}

function openWebhooks(store: Store, namespace: string, encryption: Encryption | null): WebhookStore {
  return createWebhookStore(store, { namespace, sealer: createPurposeSealer(encryption, 'webhooks') });
}

function createSecondRunError(): LonghandError {
  return new LonghandError(
    'worker_failed',
    'The worker is running or has stopped; a worker runs once. Create another one with `createWorker`.',
  );
}

/**
 * L7: the time after which the SDK interrupts a workflow task, by default 5 seconds, which a busy machine reaches with a
 * task that is merely long. An interrupt may abort the whole process (`async hook stack has become corrupted`), with all
 * chains of the queue, and again after each restart; a task that is too late is only retried by the server. So only a task
 * that may never end is interrupted. The SDK reads the option and does not document it.
 */
const maxTaskTime = '60s';

function createTaskLimit(temporal: Partial<WorkerOptions> | undefined): { readonly isolateExecutionTimeout?: string } {
  const isDebugged = temporal?.debugMode === true || process.env.TEMPORAL_DEBUG !== undefined;
  return isDebugged ? {} : { isolateExecutionTimeout: maxTaskTime };
}

/** The log of the process: sources of tools serve all chains. */
function createWorkerLog(): ToolLog {
  const at = (level: keyof ToolLog) => (message: string, fields?: Record<string, unknown>) =>
    Runtime.instance().logger[level](message, fields);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function warn(problem: string): void {
  Runtime.instance().logger.warn(problem);
}

/**
 * Creates a worker and runs it until the process receives a stop signal.
 *
 * @throws {LonghandError} as `createWorker`, and `worker_failed` when a call ignored its abort signal
 * @example
 * await runWorker({ agents: [meteorologist] });
 */
export async function runWorker(options: LonghandWorkerOptions): Promise<void> {
  const worker = await createWorker(options);
  await worker.run();
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

/** Model calls find the turns of this worker's workflows in its cache. */
function createTurnSinks(folds: FoldCache): InjectedSinks<TurnSinks> {
  return { longhandTurns: { taken: { fn: ({ runId }, turn) => folds.addTurn(runId, turn) } } };
}

/** Returns the provider that all model calls of the worker go to; null for several. */
function findOnlyName({ providers }: Models): string | null {
  const [only, ...others] = providers;
  return only === undefined || others.length > 0 ? null : only.name;
}

/** Adds our interceptors to the options of Temporal's worker. The user's interceptors run inside ours. */
function withInterceptors(
  temporal: Partial<WorkerOptions> | undefined,
  { telemetry, provider }: { readonly telemetry: Telemetry; readonly provider: string | null },
  own: InjectedSinks<ArchiveSinks & EventSinks & TurnSinks & WaitSinks>,
): Partial<WorkerOptions> {
  // Present also without telemetry: the SDK warns about a sink that a workflow calls and the worker lacks.
  const sinks: InjectedSinks<TracingSinks> = {
    longhandTracing: {
      ended: { fn: ({ workflowId }, end) => telemetry.chainEnded({ ...end, chainId: workflowId, provider }) },
    },
  };
  const { interceptors } = temporal ?? {};
  return {
    ...temporal,
    sinks: { ...temporal?.sinks, ...sinks, ...own },
    interceptors: {
      ...interceptors,
      activity: [addStepToLogs, createReturnReporter(), ...telemetry.activity, ...(interceptors?.activity ?? [])],
    },
  };
}

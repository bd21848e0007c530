/** Opens a worker: its parts, and Temporal's worker above them. Loaded by `createWorker` and `longhandPlugin`. */

import { msToNumber } from '@temporalio/common/lib/time.js';
import {
  GracefulShutdownPeriodExpiredError,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import {
  addStepToLogs,
  CallSlots,
  createActivities,
  createDataMarker,
  createRequeueReporter,
  type Dependencies,
} from '../activities/index.js';
import type { FoldRead } from '../contract/index.js';
import { createResources, LonghandError, type Resources } from '../core/lib/index.js';
import { findWorkflowBundle } from './bundle.js';
import { computeCachedWorkflows } from './cached-workflows.js';
import { addCircuits } from './circuits.js';
import type { LonghandWorker } from './longhand-worker.js';
import { connectToServer } from './temporal-server.js';
import { type LonghandWorkerOptions, resolveWorkflowsPath } from './worker-options.js';
import {
  openEventsPart,
  openFoldsPart,
  openRegistrationPart,
  openServerPart,
  openSourcesPart,
  openSpendingPart,
  openStorePart,
  openTelemetryPart,
  openTokensPart,
  type WorkerPart,
  warn,
} from './worker-parts.js';
import { resolveWorkerSettings, type WorkerSettings } from './worker-settings.js';

/** Milliseconds for running calls to end by themselves after a stop, and then after their abort signal. */
const graceMs = 10_000;
const forceMs = 5_000;

/**
 * Between heartbeats of an activity at most. A cancel arrives with a heartbeat's answer: with Temporal's default, a model
 * call continues for most of its timeout.
 */
const defaultHeartbeatInterval = '500ms';

/** Opens a worker with the bundle of its workflows. */
export function openWorker(options: LonghandWorkerOptions): Promise<LonghandWorker> {
  return createWorkerWithBundle(options, () => findOwnBundle(options));
}

/** Returns the bundle of the build, or one with the user's workflows. */
export function findOwnBundle({ workflowsPath }: Pick<LonghandWorkerOptions, 'workflowsPath'>) {
  return findWorkflowBundle(resolveWorkflowsPath(workflowsPath));
}

/** Options that only tests need. */
export interface TestWorkerOptions extends LonghandWorkerOptions {
  /** Called for each page of history that a model call reads. */
  readonly onPage?: Dependencies['onPage'] | undefined;
  /** Called for each chain that a model call gets. */
  readonly onFold?: ((read: FoldRead) => void) | undefined;
}

/** Creates a worker with another workflow bundle, for tests. */
export async function createWorkerWithBundle(
  options: TestWorkerOptions,
  findBundle: () => Promise<WorkflowBundleOption>,
): Promise<LonghandWorker> {
  return composeWorker(options, findBundle, async ({ workerOptions, forgetChains, run }) => {
    const worker = await Worker.create(workerOptions);
    const shutdown = () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    return { getState: () => worker.getState(), shutdown, forgetChains, run: () => run(worker, () => worker.run()) };
  });
}

/** The open parts of a worker. */
export interface ComposedWorker {
  /** Options of Temporal's worker. */
  readonly workerOptions: WorkerOptions;
  readonly forgetChains: () => void;
  /** Starts the parts, runs the worker, and closes all. @throws {LonghandError} `worker_failed` */
  readonly run: (worker: Worker, runWorker: () => Promise<void>) => Promise<void>;
}

/** Opens the parts of a worker, and closes them where `use` throws. */
export async function composeWorker<T>(
  options: TestWorkerOptions,
  findBundle: () => Promise<WorkflowBundleOption>,
  use: (composed: ComposedWorker) => T | Promise<T>,
): Promise<T> {
  const settings = await resolveWorkerSettings(options, findBundle);
  const resources = createResources();
  try {
    return await use(await openParts(options, settings, resources));
  } catch (error) {
    await resources.close().catch((failure: unknown) => warn(`A resource of the worker was not closed: ${failure}`));
    throw error;
  }
}

/** Opens the parts of a worker, and registers each in `resources` as soon as it is open. */
async function openParts(
  options: TestWorkerOptions,
  settings: WorkerSettings,
  resources: Resources,
): Promise<ComposedWorker> {
  const { onPage, onFold = () => {}, temporal } = options;
  const parts: WorkerPart[] = [];
  const add = <P extends WorkerPart>(part: P): P => {
    resources.add(part.stop);
    parts.push(part);
    return part;
  };
  const connected = await connectToServer(options);
  resources.add(async () => connected.close?.());
  const server = add(await openServerPart(connected, options.taskQueue));
  const stored = add(await openStorePart(options, settings, server));
  const { store } = stored;
  const tokens = add(await openTokensPart(options, settings, server, store));
  const telemetry = add(await openTelemetryPart(options, settings, server));
  const sources = add(openSourcesPart(settings));
  const { instruments } = telemetry.activities;
  const reportFold = (read: FoldRead) => {
    instruments.recordFold(read);
    onFold(read);
  };
  const folded = add(openFoldsPart(settings, server, store, reportFold));
  const { activities: read } = folded;
  const events = add(openEventsPart(options, settings, server, store, { ...read, ...telemetry.activities }));
  const spending = add(await openSpendingPart(settings, server, store, events.notifier, instruments));
  const dependencies: Dependencies = {
    agents: settings.agents,
    // Around the circuits: a call that is not admitted probes no endpoint.
    models: spending.addGate(addCircuits(settings.models, settings.circuitRules)),
    modelAccess: settings.modelAccess,
    markData: createDataMarker(options.detect),
    snapshotDefaults: settings.snapshotDefaults,
    continueAfter: settings.continueAfter,
    approvals: options.approvals ?? {},
    heartbeatMs: msToNumber(temporal?.maxHeartbeatThrottleInterval ?? defaultHeartbeatInterval),
    slots: new CallSlots(),
    ...{ ...server.activities, ...stored.activities, ...tokens.activities, ...telemetry.activities },
    ...{ ...sources.activities, ...folded.activities, ...events.activities },
    ...(onPage ? { onPage } : {}),
  };
  const grace = temporal?.shutdownGraceTime ?? graceMs;
  const { interceptors } = temporal ?? {};
  const workerOptions: WorkerOptions = {
    ...createTaskLimit(temporal),
    maxCachedWorkflows: computeCachedWorkflows(),
    // A tool that ignores its `signal` would keep the worker running without end.
    shutdownForceTime: msToNumber(grace) + forceMs,
    maxHeartbeatThrottleInterval: defaultHeartbeatInterval,
    defaultHeartbeatThrottleInterval: defaultHeartbeatInterval,
    ...temporal,
    sinks: Object.assign({}, temporal?.sinks, ...parts.map(({ sinks }) => sinks)),
    // The user's interceptors run inside ours.
    interceptors: {
      ...interceptors,
      activity: [
        ...[addStepToLogs, createRequeueReporter(), ...telemetry.interceptors],
        ...(interceptors?.activity ?? []),
      ],
    },
    shutdownGraceTime: grace,
    connection: connected.connection,
    ...server.queue,
    workflowBundle: settings.workflowBundle,
    ...(settings.dataConverter ? { dataConverter: settings.dataConverter } : {}),
    activities: createActivities(dependencies, settings.ownActivities),
  };
  let hasStarted = false;
  const run: ComposedWorker['run'] = async (worker, runWorker) => {
    // A second run would close the resources of the first.
    if (hasStarted) throw createSecondRunError();
    hasStarted = true;
    add(openRegistrationPart(settings, server, store, worker.options.identity));
    for (const part of parts) part.start();
    const [ended] = await Promise.allSettled([runWorker()]);
    const [closed] = await Promise.allSettled([resources.close()]);
    // The worker's own error takes precedence.
    if (ended.status === 'rejected') throw isLeftBehind(ended.reason) ? toLeftBehindError(ended.reason) : ended.reason;
    if (closed.status === 'rejected') throw closed.reason;
  };
  return { workerOptions, forgetChains: read.folds.clear, run };
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

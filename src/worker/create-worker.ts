/** Composition: agents, a model and a connection to Temporal make a worker. */

import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { msToNumber } from '@temporalio/common/lib/time.js';
import {
  GracefulShutdownPeriodExpiredError,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Dependencies } from '../activities/context/dependencies.js';
import { createActivities } from '../activities/index.js';
import { withColleagues } from '../agents/agent-definition.js';
import type { Agent } from '../agents/define-agent.js';
import { type PlanCache, plansInMemory } from '../agents/plan-cache.js';
import { defaultTaskQueue } from '../contract/names.js';
import { isNotFound, NoSuchNamespaceError } from '../contract/no-such-namespace.js';
import type { TokenChannel } from '../contract/tokens.js';
import { type AuditPolicy, auditPolicyCheck } from '../core/audit/policy.js';
import { addressForPeople } from '../core/lib/display.js';
import type { ContinueAfter } from '../core/model/limits.js';
import { problemWithVisibility } from '../core/view/check-visibility.js';
import type { VisibilityConfig } from '../core/view/visibility.js';
import { type EncryptionOption, encryptionFor, sealedConverter } from '../encryption/encryption.js';
import { createFolds } from '../history/folds.js';
import { loadCatalogue } from '../models/catalogue.js';
import { modelFromEnvironment } from '../models/environment.js';
import type { ModelProvider } from '../models/provider.js';
import { defaultSecrets, type SecretProvider, secretProviderCheck } from '../secrets/secret-provider.js';
import { checkRetention, type Retention, retentionFrom } from '../store/archive/retention.js';
import { auditKeyFrom } from '../store/audit/key.js';
import { blobsFrom } from '../store/blobs/blobs.js';
import { toolCacheIn } from '../store/cache/tool-cache.js';
import type { Store } from '../store/db/store.js';
import { telemetryFor } from '../telemetry/telemetry-for.js';
import type { WorkerApprovals } from '../tools/approval/approval.js';
import { workerApprovalsCheck } from '../tools/approval/check-approval.js';
import { createArchiving, usualSweepMs } from './archiving.js';
import { sealingFailures, workflowBundle } from './bundle.js';
import { continueAfterOf } from './continue-after.js';
import { registerSearchAttributes } from './register-search-attributes.js';
import { withInterceptors } from './with-interceptors.js';
import { workerStore } from './worker-store.js';

export interface LonghandWorkerOptions {
  readonly agents: readonly Agent[];
  /** Who answers for the models. Default: what `ANTHROPIC_API_KEY` or `LONGHAND_MODEL_URL` name. */
  readonly provider?: ModelProvider | undefined;
  /** Where the secrets are that tools declare, and the model's key. Default: `LONGHAND_SECRETS`' folder, and the environment. */
  readonly secrets?: SecretProvider | undefined;
  /** A price map in LiteLLM's format, laid over the one that is shipped. */
  readonly prices?: string | undefined;
  /** Default: `TEMPORAL_ADDRESS`, else `127.0.0.1:7233`. */
  readonly address?: string | undefined;
  /** Instead of an address; it is left open when the worker ends. */
  readonly connection?: NativeConnection | undefined;
  /** Default: `TEMPORAL_NAMESPACE`, else `default`. */
  readonly namespace?: string | undefined;
  readonly taskQueue?: string | undefined;
  /** Anything else that Temporal's worker takes. */
  readonly temporal?: Partial<WorkerOptions> | undefined;
  /** Carries what a model is saying to followers in this process: give the same one to `connect`. */
  readonly tokens?: TokenChannel | undefined;
  /** By which rules content is shown where it is sent to a telemetry backend: as a developer sees it. */
  readonly visibility?: VisibilityConfig | undefined;
  /** Which calls the platform and its tenants want a person to approve, whatever agents and tools say. */
  readonly approvals?: WorkerApprovals | undefined;
  /** Where plans that worked are kept, for agents that use them again. Default: the last 100, in this process. */
  readonly plans?: PlanCache | undefined;
  /**
   * Seals what Temporal is given: the path of a key file, the keys themselves, or false. Default: what
   * `LONGHAND_ENCRYPTION_KEYS` and `LONGHAND_ENCRYPTION_KEY` name. Give `connect` the same.
   */
  readonly encryption?: EncryptionOption | undefined;
  /**
   * What outlives Temporal's retention, or where it lies; null for none. Default: `LONGHAND_STORE`, else a file among the
   * user's data. One that was opened before is left open when the worker ends.
   */
  readonly store?: Store | string | null | undefined;
  /**
   * When a chain goes on in a new run (continue-as-new), besides when the server suggests it: events in a run, or steps
   * taken in it. Default: `LONGHAND_CONTINUE_AFTER_EVENTS`, `LONGHAND_CONTINUE_AFTER_STEPS`.
   */
  readonly continueAfter?: ContinueAfter | undefined;
  /** How long chains are archived, by tenant and outcome. Default: `LONGHAND_RETENTION`, else 90 days. */
  readonly retention?: Retention | undefined;
  /** How much of chains the audit log keeps. Default: all but credentials. */
  readonly audit?: AuditPolicy | undefined;
  /** Milliseconds between two looks for chains that nobody has archived. Default: five minutes. */
  readonly sweepEveryMs?: number | undefined;
  /** Told of each page of history that a model call reads. */
  readonly onPage?: Dependencies['onPage'] | undefined;
}

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
  const agents = byName(options.agents);
  checkRules(options.visibility);
  checkApprovals(options.approvals);
  checkSecrets(options.secrets);
  checkAudit(options.audit);
  const retention = retentionOf(options.retention, process.env);
  const namespace = options.namespace ?? (process.env.TEMPORAL_NAMESPACE || 'default');
  const secrets = options.secrets ?? defaultSecrets(process.env);
  const provider = options.provider ?? (await modelFromEnvironment(process.env, secrets))?.provider;
  if (provider === undefined) {
    throw new Error(
      'No model is configured: set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL for another server of the Messages API, or pass `provider`.',
    );
  }
  const catalogue = loadCatalogue(options.prices);
  const encryption = encryptionFor(options.encryption, process.env);
  const dataConverter = sealedConverter(options.temporal?.dataConverter, encryption);
  const plainBundle = options.temporal?.workflowBundle ?? (await workflowBundle());
  const bundle = encryption === null ? plainBundle : await sealingFailures(plainBundle);
  const connection = options.connection ?? (await connectTo(options.address));
  await checkNamespace(connection, namespace);
  const refused = await registerSearchAttributes(connection.operatorService, namespace);
  if (refused !== null)
    Runtime.instance().logger.warn(`Search attributes could not be registered; chains run without: ${refused}`);
  const converter = loadDataConverter(dataConverter);
  const { onPage, visibility = {} } = options;
  const telemetry = await telemetryFor(process.env, {
    ...(options.visibility ? { visibility: options.visibility } : {}),
    warn: (problem) => Runtime.instance().logger.warn(problem),
  });
  const warn = (problem: string) => Runtime.instance().logger.warn(problem);
  const kept = await workerStore(options.store, process.env, warn);
  const archiving = createArchiving({
    ...{ store: kept.store, connection, namespace, converter, retention, visibility, warn },
    audit: { visibility, ...options.audit },
    auditKey: kept.store === null ? null : auditKeyFrom(process.env),
    sweepEveryMs: options.sweepEveryMs ?? usualSweepMs,
  });
  const { archived, archive } = archiving;
  const folds = createFolds({ converter, archived });
  const dependencies: Dependencies = {
    agents,
    provider,
    catalogue,
    continueAfter: continueAfterOf(options.continueAfter, process.env),
    approvals: options.approvals ?? {},
    folds,
    secrets,
    archived,
    archive,
    plans: options.plans ?? plansInMemory(),
    converter,
    instruments: telemetry.instruments,
    tokens: options.tokens ?? null,
    store: kept.store,
    blobs: kept.store === null ? null : blobsFrom(kept.store, process.env),
    toolCache: kept.store === null ? null : toolCacheIn(kept.store),
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
      throw isLeftBehind(error) ? leftBehind(error) : error;
    } finally {
      await archiving.stop();
      await telemetry.flush();
      await kept.close();
      if (options.connection === undefined) await connection.close();
    }
  };
  return { worker, forgetChains: folds.forget, run };
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

function leftBehind(cause: unknown): Error {
  return new Error(
    'The worker stopped while a call was still running, which is left behind: a tool must end when its `signal` is aborted.',
    { cause },
  );
}

/** With those that they delegate to, however deep. */
function byName(given: readonly Agent[]): ReadonlyMap<string, Agent> {
  const agents = withColleagues(given);
  const named = new Map(agents.map((agent) => [agent.name, agent]));
  const twice = agents.find((agent) => named.get(agent.name) !== agent);
  if (twice !== undefined)
    throw new Error(`Two agents are named ${twice.name}. A worker can tell agents apart by name only.`);
  if (named.size === 0) throw new Error('Give the worker at least one agent: agents: [myAgent].');
  return named;
}

/** The first span would find it out, where nobody looks. */
function checkRules(visibility: VisibilityConfig = {}): void {
  const problem = problemWithVisibility(visibility);
  if (problem !== null) throw new TypeError(`The worker's \`visibility\` cannot be used: ${problem}.`);
}

function checkApprovals(approvals: WorkerApprovals = {}): void {
  const problem = workerApprovalsCheck(approvals, '');
  if (problem !== null) throw new TypeError(`The worker's \`approvals\` cannot be used: ${problem}.`);
}

function checkSecrets(secrets: SecretProvider | undefined): void {
  const problem = secrets === undefined ? null : secretProviderCheck(secrets, '`secrets`');
  if (problem !== null) throw new TypeError(`The worker cannot use its secrets: ${problem}.`);
}

function checkAudit(audit: AuditPolicy = {}): void {
  const problem = auditPolicyCheck(audit, '');
  if (problem !== null) throw new TypeError(`The worker's \`audit\` cannot be used: ${problem}.`);
}

/** @throws {RangeError} */
function retentionOf(given: Retention | undefined, env: NodeJS.ProcessEnv): Retention {
  return given === undefined ? retentionFrom(env) : checkRetention(given, "The worker's `retention`");
}

/** Temporal's own words for it are a page of its core's. @throws {NoSuchNamespaceError} */
async function checkNamespace({ workflowService }: NativeConnection, namespace: string): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (isNotFound(error)) throw new NoSuchNamespaceError(namespace);
  }
}

async function connectTo(asked: string | undefined): Promise<NativeConnection> {
  const address = asked ?? (process.env.TEMPORAL_ADDRESS || '127.0.0.1:7233');
  try {
    return await NativeConnection.connect({ address });
  } catch (error) {
    throw new Error(
      `No Temporal server answers at ${addressForPeople(address)}. Start one with \`longhand dev\`, or set TEMPORAL_ADDRESS.`,
      { cause: error },
    );
  }
}

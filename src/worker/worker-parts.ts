/**
 * The parts of a worker. Each opens one thing, and returns what activities need of it, what workflows report to it, how its
 * regular work starts, and how it stops.
 */

import { type InjectedSinks, Runtime, type WorkerOptions } from '@temporalio/worker';
import { type Dependencies, toRegisteredAgents } from '../activities/index.js';
import { createAgentSources, createPlanCache } from '../agents/index.js';
import { checkNamespace, findNamespaceId, getNamespaceId, listPollers } from '../connection/index.js';
import {
  defaultTaskQueue,
  type FoldRead,
  heldChainsQuery,
  type TracingSinks,
  type TurnSinks,
} from '../contract/index.js';
import { createPurposeSealer } from '../encryption/index.js';
import { createFoldCache, type RunReference } from '../history/index.js';
import { admitCalls, type Models, mapEndpoints } from '../models/index.js';
import { openTokenPublisher } from '../relay/index.js';
import {
  createArchiveReader,
  createBudgetStore,
  createLedger,
  createPlanStore,
  createToolCache,
  createWebhookStore,
  createWorkerEntry,
  findAuditKey,
  listQueueAgents,
  listWorkers,
  openConfiguredBlobs,
  openStore,
  type Store,
} from '../store/index.js';
import { createTelemetry } from '../telemetry/index.js';
import { blockedMessage, watchLoop } from '../timing/index.js';
import type { ToolLog } from '../tools/define/index.js';
import { addToolCallHook, createEventSinks, type EndListener } from './hooks.js';
import { registerWorker } from './register-worker.js';
import { createAlertEvent, createSpendingGate, listAgentRates } from './spending.js';
import { registerSearchAttributes, type WorkerServer } from './temporal-server.js';
import { noWaitSinks, WebhookNotifier } from './webhook-notifier.js';
import { createArchiveSinks, createWorkerArchive } from './worker-archive.js';
import type { LonghandWorkerOptions } from './worker-options.js';
import type { WorkerSettings } from './worker-settings.js';
import { openWorkerStore } from './worker-store.js';

export interface WorkerPart {
  /** What activities need of it. */
  readonly activities: Partial<Dependencies>;
  readonly sinks: WorkerOptions['sinks'];
  /** Called when the worker runs. */
  readonly start: () => void;
  readonly stop: () => Promise<unknown>;
}

const idle = { activities: {}, sinks: {}, start: () => {}, stop: async () => {} };

/** Milliseconds to start the notifiers of the last events. */
const stopNotifierMs = 5_000;

export function warn(problem: string): void {
  Runtime.instance().logger.warn(problem);
}

export type Server = Awaited<ReturnType<typeof openServerPart>>;

/** The connection, its namespace and the search attributes of chains. */
export async function openServerPart(server: WorkerServer, taskQueue = defaultTaskQueue) {
  const { connection, namespace } = server;
  const described = await checkNamespace(connection.workflowService, server);
  const problem = await registerSearchAttributes(connection.operatorService, namespace, described);
  if (problem !== null) warn(`Search attributes could not be registered; chains run without them: ${problem}`);
  const searchAttributes: Dependencies['searchAttributes'] = problem === null ? 'registered' : 'unknown';
  return {
    ...{ ...idle, activities: { searchAttributes }, connection, queue: { namespace, taskQueue } },
    /** The namespace's id; its name if the server does not state one. */
    namespaceId: getNamespaceId(described, namespace),
    /** The namespace's id; null if unknown. */
    serverId: findNamespaceId(described),
  };
}

/** Workers with a store share plans and results; a worker without one has its own plans. */
export async function openStorePart(
  { store: requested, planCache }: LonghandWorkerOptions,
  { encryption }: WorkerSettings,
  { connection, queue }: Server,
) {
  const { store, close } = await openWorkerStore(requested, process.env, warn);
  if (store === null) {
    const none = { store, blobs: null, toolCache: null, listQueueAgents: async () => null };
    return { ...idle, store, activities: { ...none, plans: planCache ?? createPlanCache() }, stop: close };
  }
  const { namespace } = queue;
  const activities = {
    store,
    blobs: openConfiguredBlobs(store, process.env),
    toolCache: createToolCache(store, undefined, createPurposeSealer(encryption, 'results')),
    plans: planCache ?? createPlanStore(store, { namespace, sealer: createPurposeSealer(encryption, 'plans') }),
    listQueueAgents: async () => listQueueAgents(await listWorkers(store, queue), () => listPollers(connection, queue)),
  };
  return { ...idle, store, activities, stop: close };
}

/** Publishes the tokens of replies. */
export async function openTokensPart(
  options: LonghandWorkerOptions,
  { encryption }: WorkerSettings,
  { namespaceId }: Server,
  store: Store | null,
) {
  const relay = { tokens: options.tokens, encryption, env: process.env, namespaceId, store, warn };
  const tokens = await openTokenPublisher(relay);
  return { ...idle, activities: { tokens }, stop: async () => tokens?.close() };
}

/** Traces, metrics, the hook of tool calls, and the watch over the event loop. */
export async function openTelemetryPart(
  { visibility, hooks = {} }: LonghandWorkerOptions,
  { models }: WorkerSettings,
  { connection, queue: { namespace } }: Server,
) {
  const telemetry = await createTelemetry(process.env, { ...(visibility ? { visibility } : {}), warn });
  const stopObserving = telemetry.observeHeldChains(async () => {
    const query = { namespace, query: heldChainsQuery };
    return Number((await connection.workflowService.countWorkflowExecutions(query)).count);
  });
  const instruments = addToolCallHook(telemetry.instruments, hooks, warn);
  const provider = findOnlyName(models);
  const sinks: InjectedSinks<TracingSinks> = {
    longhandTracing: {
      ended: { fn: ({ workflowId }, end) => telemetry.chainEnded({ ...end, chainId: workflowId, provider }) },
    },
  };
  let endWatch = () => {};
  const start = () => {
    endWatch = watchLoop((block) => {
      telemetry.instruments.recordLoopBlock(block);
      Runtime.instance().logger.warn(blockedMessage, { ...block });
    });
  };
  const stop = async () => {
    endWatch();
    stopObserving();
    await telemetry.flush();
  };
  return { activities: { instruments }, sinks, start, stop, interceptors: telemetry.activity };
}

export function openSourcesPart({ secrets }: WorkerSettings) {
  const sources = createAgentSources({ secrets, log: createWorkerLog() });
  return { ...idle, activities: { sources, secrets }, stop: sources.close };
}

/** Folds of chains: model calls find the turns of this worker's workflows in their cache, and deleted runs in the archive. */
export function openFoldsPart(
  { converter }: WorkerSettings,
  { queue }: Server,
  store: Store | null,
  report: (read: FoldRead) => void,
) {
  const archived = store === null ? null : createArchiveReader(store, queue.namespace);
  const folds = createFoldCache({ converter, archived, report });
  const sinks: InjectedSinks<TurnSinks> = {
    longhandTurns: { taken: { fn: ({ runId }, turn) => folds.addTurn(runId, turn) } },
  };
  return { ...idle, activities: { folds, archived, converter }, sinks };
}

/** What follows the end and the waits of chains: hooks, webhooks and the archive, which need a store. */
export function openEventsPart(
  { visibility = {}, audit, hooks = {} }: LonghandWorkerOptions,
  { encryption, dataConverter, converter, retention, sweepIntervalMs }: WorkerSettings,
  { connection, queue, serverId }: Server,
  store: Store | null,
  { folds, archived, instruments }: Pick<Dependencies, 'folds' | 'archived' | 'instruments'>,
) {
  if (store === null) {
    const endFold = ({ runId }: RunReference) => folds.endRun(runId);
    const sinks = { ...createArchiveSinks(() => {}), ...noWaitSinks, ...createEventSinks(hooks, warn, endFold) };
    return { ...idle, notifier: null, activities: { archive: null, webhooks: null }, sinks };
  }
  const { namespace } = queue;
  const webhooks = createWebhookStore(store, { namespace, sealer: createPurposeSealer(encryption, 'webhooks') });
  const notifier = new WebhookNotifier({
    ...{ ...queue, webhooks, connection, dataConverter, converter, archived, folds, warn },
  });
  const archiving = createWorkerArchive({
    ...{ store, connection, namespace, server: serverId, converter, retention, visibility, warn },
    audit: audit === false ? null : { visibility, ...audit },
    auditKey: findAuditKey(process.env),
    ...{ sweepIntervalMs, instruments, notifier },
  });
  const reportEnd: EndListener = (run, chain) => {
    folds.endRun(run.runId);
    notifier.reportEnd(run, chain);
  };
  return {
    notifier,
    activities: { archive: archiving.archive, webhooks },
    sinks: { ...archiving.sinks, ...notifier.sinks, ...createEventSinks(hooks, warn, reportEnd) },
    start: archiving.start,
    stop: () => notifier.stop(stopNotifierMs).finally(archiving.stop),
  };
}

/** Budgets and rates. Without a store they count in this process only. */
export async function openSpendingPart(
  { agents, spending: rules }: WorkerSettings,
  { queue: { namespace } }: Server,
  stored: Store | null,
  notifier: WebhookNotifier | null,
  instruments: Pick<Dependencies['instruments'], 'recordBudgetAlert'>,
) {
  const agentRates = listAgentRates(agents);
  if (rules.budgets === null && rules.rates.size === 0 && agentRates.size === 0)
    return { ...idle, addGate: (models: Models) => models };
  if (stored === null) warn('Budgets and rates count in this process only: the worker has no store (LONGHAND_STORE).');
  const store = stored ?? (await openStore('memory:'));
  const gate = createSpendingGate({
    ...{ namespace, rules, warn, ledger: createLedger(store), budgets: createBudgetStore(store, namespace) },
    findAgentRate: (agent) => agentRates.get(agent),
    onAlert: (alert, call, chainId) => {
      instruments.recordBudgetAlert(alert.budget);
      notifier?.report(createAlertEvent(alert, call, chainId));
    },
  });
  const addGate = (models: Models) => mapEndpoints(models, (endpoint) => admitCalls(endpoint, gate));
  return { ...idle, addGate, stop: stored === null ? store.close : idle.stop };
}

/** The entry of a running worker in the store, with its agents. */
export function openRegistrationPart(
  { agents }: WorkerSettings,
  { queue }: Server,
  store: Store | null,
  identity: string | undefined,
) {
  if (store === null || identity === undefined) return idle;
  const entry = createWorkerEntry(store, queue, { identity, agents: toRegisteredAgents(agents) });
  let remove = idle.stop;
  const start = () => {
    remove = registerWorker(entry, warn);
  };
  return { ...idle, start, stop: () => remove() };
}

/** Returns the provider that all model calls of the worker go to; null for several. */
function findOnlyName({ providers }: Models): string | null {
  const [only, ...others] = providers;
  return only === undefined || others.length > 0 ? null : only.name;
}

/** The log of the process: sources of tools serve all chains. */
function createWorkerLog(): ToolLog {
  const at = (level: keyof ToolLog) => (message: string, fields?: Record<string, unknown>) =>
    Runtime.instance().logger[level](message, fields);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

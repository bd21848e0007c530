/**
 * Starts a notifier for each event of a chain that a webhook wants, off the path of every chain.
 *
 * N1 An event starts one workflow, whose id is the event's: it is sent once, however many workers report it.
 * N2 A tenant without a webhook costs one look at a cache: no history is read, no workflow is started.
 * N3 Best effort: the sweep finds what a worker that died did not report. A wait that began long ago was reported: the server
 *    forgets after its retention which workflows it had, and would start one again.
 */

import { type ConnectionLike, WorkflowClient, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { DataConverter, LoadedDataConverter } from '@temporalio/common';
import type { InjectedSinks, NativeConnection } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import type { ArchivedRuns } from '../contract/archived-runs.js';
import { notifierWorkflowType, workflowType } from '../contract/names.js';
import { isNotFound } from '../contract/no-such-namespace.js';
import type { NotifierInput, WaitSinks } from '../contract/notifier.js';
import { computeEndEventId, createEndEvent, listWaitEvents } from '../core/engine/webhook-events.js';
import { toErrorMessage } from '../core/lib/errors.js';
import type { WebhookEvent } from '../core/model/webhook-event.js';
import { computeClosedResult } from '../core/record/closed-result.js';
import { readClosedRun } from '../history/closed-run.js';
import type { FoldCache } from '../history/fold-cache.js';
import type { Run } from '../history/read-history.js';
import { isInterested, type Webhook, type WebhookStore } from '../store/webhooks/webhook-store.js';
import { waitForClose } from './archiver.js';
import { createBoundedQueue } from './bounded-queue.js';

export interface WebhookNotifier {
  readonly sinks: InjectedSinks<WaitSinks>;
  /** Queues the end of a run that is about to close. @param isRoot false where only its history shows that */
  readonly reportEnd: (run: Run, chain: { readonly tenant: string | null; readonly isRoot: boolean }) => void;
  /** Begins a sweep for events that no worker reported. Null where no webhook is active. @throws {StoreError} */
  readonly beginSweep: () => Promise<WebhookSweep | null>;
  /** Accepts no more events; resolves when all are started or the time is over. */
  readonly stop: (patienceMs: number) => Promise<void>;
}

export interface WebhookSweep {
  /**
   * Starts the notifier of a closed run, if no worker has. @param tenant undefined where the server's list does not have it
   * @throws errors of the server
   */
  readonly sweepEnd: (run: Run, tenant: string | null | undefined) => Promise<void>;
  /** The same for all chains that wait. @throws errors of the server */
  readonly sweepWaits: () => Promise<void>;
}

export interface WebhookNotifierOptions {
  readonly webhooks: WebhookStore;
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** Of the notifiers: their activities run on the workers of this queue. */
  readonly taskQueue: string;
  readonly dataConverter: DataConverter | undefined;
  /** Decodes what histories hold. */
  readonly converter: LoadedDataConverter;
  readonly archived: ArchivedRuns | null;
  readonly folds: Pick<FoldCache, 'readLatest'>;
  readonly warn: (sentence: string) => void;
}

/** Milliseconds in which a new webhook may miss events of this worker; the sweep finds them. */
const cacheMs = 3_000;
const maxTenants = 10_000;
const maxKnown = 50_000;
/** Polls until a run that reported its end has closed: then the chain has not ended after all. */
const maxPolls = 2;
/** Waiting chains of a tenant that a sweep reads. The next sweep continues after them. */
const maxWaiting = 2_000;
/** Milliseconds after which a wait is not swept: less than the shortest usual retention of a namespace, which is a day. */
const maxWaitAge = 20 * 3_600_000;
/** Longer than the retries of the list and of each delivery together. */
const notifierTimeout = '7 days';

export function createWebhookNotifier(options: WebhookNotifierOptions): WebhookNotifier {
  const { webhooks, connection, namespace, taskQueue, dataConverter, converter, archived, folds, warn } = options;
  const history = { service: connection.workflowService, namespace };
  const client = new WorkflowClient({
    connection: connection as ConnectionLike,
    namespace,
    ...(dataConverter === undefined ? {} : { dataConverter }),
  });
  const cache = new LRUCache<string, Promise<readonly Webhook[]>>({ max: maxTenants, ttl: cacheMs });
  /** Ids of events whose notifiers exist, and of ends that no webhook wanted when they were swept. */
  const known = new LRUCache<string, true>({ max: maxKnown });
  /** Events of the histories of waiting chains that were swept. */
  const swept = new LRUCache<string, string>({ max: maxKnown });

  /** By tenant: the start of the last chain that the sweep before read, where it did not read all. */
  const sweptUntil = new Map<string | null, Date>();

  const listWebhooks = (tenant: string | null) => {
    const key = tenant ?? '';
    const listed = cache.get(key) ?? webhooks.list(tenant);
    cache.set(key, listed, { noUpdateTTL: true });
    listed.catch(() => cache.delete(key));
    return listed;
  };

  /** N1. */
  const notify = async (event: WebhookEvent, listed: readonly Webhook[]) => {
    if (known.has(event.id) || !listed.some((webhook) => isInterested(webhook, event))) return;
    await start(event);
    known.set(event.id, true);
  };

  const start = async (event: WebhookEvent) => {
    try {
      await client.start<(input: NotifierInput) => Promise<unknown>>(notifierWorkflowType, {
        workflowId: event.id,
        taskQueue,
        args: [{ event }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowExecutionTimeout: notifierTimeout,
        staticSummary: event.type,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };

  /** N2. The history of a sub-chain is read only where a webhook may want its end. */
  const mayWantEnd = async (tenant: string | null, isRoot: boolean) =>
    (await listWebhooks(tenant)).some((webhook) => wantsEnds(webhook) && (isRoot || webhook.subChains));

  const notifyEnd = async (run: Run, listed?: readonly Webhook[]) => {
    const read = await readClosedRun({ history, converter, archived }, run).catch((error: unknown) => {
      if (isNotFound(error)) return null;
      throw error;
    });
    // A chain that continues as new has not ended.
    const closed = read?.run.closed ?? null;
    if (read === null || closed === null || closed === 'continuedAsNew') return;
    const result = computeClosedResult({ chain: read.chain, closed, closedAt: read.run.closedAt });
    const event = createEndEvent(read.chain.state, result, run.runId);
    await notify(event, listed ?? (await listWebhooks(event.tenant)));
  };

  const exists = async (workflowId: string) => {
    try {
      await history.service.describeWorkflowExecution({ namespace, execution: { workflowId } });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  const beginSweep = async (): Promise<WebhookSweep | null> => {
    // Not from the cache: an end that nobody wants now is not looked at again.
    const active = (await webhooks.list()).filter((webhook) => webhook.active);
    if (active.length === 0) return null;
    const endTenants = new Set(active.filter(wantsEnds).map(({ tenant }) => tenant));
    const waitTenants = new Set(active.filter(wantsWaits).map(({ tenant }) => tenant));
    return {
      sweepEnd: async (run, tenant) => {
        const id = computeEndEventId(run);
        if (known.has(id) || endTenants.size === 0) return;
        if ((tenant === undefined || endTenants.has(tenant)) && !(await exists(id))) await notifyEnd(run, active);
        known.set(id, true);
      },
      sweepWaits: async () => {
        for (const tenant of waitTenants) await sweepWaitsOf(tenant, active);
      },
    };
  };

  const sweepWaitsOf = async (tenant: string | null, active: readonly Webhook[]) => {
    let read = 0;
    // The server lists the newest first.
    const query = formatWaitingQuery(tenant, sweptUntil.get(tenant) ?? null);
    for await (const { workflowId, runId, startTime } of client.list({ query, pageSize: 100 })) {
      read += 1;
      if (read > maxWaiting) {
        sweptUntil.set(tenant, startTime);
        return;
      }
      try {
        await sweepWait({ workflowId, runId }, active);
      } catch (error) {
        if (isNotFound(error)) continue;
        if (concernsAllChains(error)) throw error;
        warn(`Waiting chain ${workflowId} was not swept for webhooks: ${toErrorMessage(error)}`);
      }
    }
    sweptUntil.delete(tenant);
  };

  /** The history is read again only after it has grown. */
  const sweepWait = async (run: Run, active: readonly Webhook[]) => {
    const { workflowExecutionInfo } = await history.service.describeWorkflowExecution({ namespace, execution: run });
    const length = String(workflowExecutionInfo?.historyLength ?? '');
    if (swept.get(run.runId) === length) return;
    const { state } = await folds.readLatest(history, run);
    for (const event of listWaitEvents(state)) if (event.at > Date.now() - maxWaitAge) await notify(event, active);
    swept.set(run.runId, length);
  };

  const queue = createBoundedQueue((error) =>
    warn(`Events for webhooks were not reported; the sweep will report them: ${toErrorMessage(error)}`),
  );
  return {
    sinks: {
      longhandWaits: {
        began: { fn: (_info, event) => queue.add(async () => notify(event, await listWebhooks(event.tenant))) },
      },
    },
    reportEnd: (run, { tenant, isRoot }) =>
      queue.add(async () => {
        if (!(await mayWantEnd(tenant, isRoot))) return;
        if (await waitForClose(history, run, maxPolls)) await notifyEnd(run);
      }),
    beginSweep,
    stop: queue.stop,
  };
}

/** gRPC's codes for cancelled, deadline exceeded, permission denied, unavailable and unauthenticated. */
const commonCodes: ReadonlySet<unknown> = new Set([1, 4, 7, 14, 16]);

/** Whether other chains would fail in the same way. */
function concernsAllChains(error: unknown): boolean {
  return error instanceof Error && 'code' in error && commonCodes.has(error.code);
}

function wantsEnds({ events }: Webhook): boolean {
  return events.includes('chain-ended');
}

function wantsWaits({ events }: Webhook): boolean {
  return events.some((type) => type !== 'chain-ended');
}

/** The sinks of a worker without a store: the SDK warns about a sink that a workflow calls and the worker lacks. */
export const noWaitSinks: InjectedSinks<WaitSinks> = { longhandWaits: { began: { fn: () => {} } } };

/** @param until start of the newest chain; null for all */
function formatWaitingQuery(tenant: string | null, until: Date | null): string {
  const of = tenant === null ? 'LonghandTenant IS NULL' : `LonghandTenant = ${JSON.stringify(tenant)}`;
  return [
    `WorkflowType = ${JSON.stringify(workflowType)} AND ExecutionStatus = 'Running'`,
    `LonghandStatus IN ('waiting', 'paused') AND ${of}`,
    // The server's times are finer than milliseconds.
    ...(until === null ? [] : [`StartTime <= '${new Date(until.getTime() + 1).toISOString()}'`]),
  ].join(' AND ');
}

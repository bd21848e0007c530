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
import {
  type ArchivedRuns,
  isNotFound,
  type NotifierInput,
  notifierWorkflowType,
  type WaitSinks,
  workflowType,
} from '../contract/index.js';
import { computeEndEventId, createEndEvent, listWaitEvents } from '../core/engine/index.js';
import { omitUndefined, toErrorMessage } from '../core/lib/index.js';
import type { WebhookEvent } from '../core/model/index.js';
import { computeClosedResult } from '../core/record/index.js';
import { type FoldCache, type RunReference, readClosedRun } from '../history/index.js';
import { isInterested, type Webhook, type WebhookStore } from '../store/index.js';
import { waitForClose } from './archiver.js';
import { type BoundedQueue, createBoundedQueue } from './bounded-queue.js';

export interface WebhookSweep {
  /**
   * Starts the notifier of a closed run, if no worker has. @param tenant undefined if the server's list does not have it
   * @throws errors of the server
   */
  readonly sweepEnd: (run: RunReference, tenant: string | null | undefined) => Promise<void>;
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

export class WebhookNotifier {
  readonly sinks: InjectedSinks<WaitSinks> = {
    longhandWaits: {
      began: { fn: (_info, event) => this.report(event) },
    },
  };

  private readonly history: { readonly service: NativeConnection['workflowService']; readonly namespace: string };
  private readonly client: WorkflowClient;
  private readonly cache = new LRUCache<string, Promise<readonly Webhook[]>>({ max: maxTenants, ttl: cacheMs });
  /** Ids of events whose notifiers exist, and of ends that no webhook wanted when they were swept. */
  private readonly known = new LRUCache<string, true>({ max: maxKnown });
  /** Lengths of the histories of waiting chains when they were swept, by run. */
  private readonly sweptLengths = new LRUCache<string, string>({ max: maxKnown });
  /** By tenant: the start of the last chain that the sweep before read, if it did not read all. */
  private readonly sweptUntil = new Map<string | null, Date>();
  private readonly queue: BoundedQueue;

  constructor(private readonly options: WebhookNotifierOptions) {
    const { connection, namespace, dataConverter, warn } = options;
    this.history = { service: connection.workflowService, namespace };
    this.client = new WorkflowClient({
      connection: connection as ConnectionLike,
      namespace,
      ...omitUndefined({ dataConverter }),
    });
    this.queue = createBoundedQueue((error) =>
      warn(`Events for webhooks were not reported; the sweep will report them: ${toErrorMessage(error)}`),
    );
  }

  /** Queues an event. */
  report(event: WebhookEvent): void {
    this.queue.add(() => this.notify(event));
  }

  /** Queues the end of a run that is about to close. @param isRoot false if only its history shows that */
  reportEnd(run: RunReference, { tenant, isRoot }: { readonly tenant: string | null; readonly isRoot: boolean }): void {
    this.queue.add(async () => {
      if (!(await this.mayWantEnd(tenant, isRoot))) return;
      if (await waitForClose(this.history, run, maxPolls)) await this.notifyEnd(run);
    });
  }

  /** Begins a sweep for events that no worker reported. Null if no webhook is active. @throws {StoreError} */
  async beginSweep(): Promise<WebhookSweep | null> {
    // Not from the cache: an end that nobody wants now is not looked at again.
    const active = (await this.options.webhooks.list()).filter((webhook) => webhook.active);
    if (active.length === 0) return null;
    const endTenants = new Set(active.filter(wantsEnds).map(({ tenant }) => tenant));
    const waitTenants = new Set(active.filter(wantsWaits).map(({ tenant }) => tenant));
    return {
      sweepEnd: async (run, tenant) => {
        const id = computeEndEventId(run);
        if (this.known.has(id) || endTenants.size === 0) return;
        if ((tenant === undefined || endTenants.has(tenant)) && !(await this.exists(id)))
          await this.notifyEnd(run, active);
        this.known.set(id, true);
      },
      sweepWaits: async () => {
        for (const tenant of waitTenants) await this.sweepWaitsOf(tenant, active);
      },
    };
  }

  /** Accepts no more events; resolves when all are started or the time is over. */
  stop(patienceMs: number): Promise<void> {
    return this.queue.stop(patienceMs);
  }

  private listWebhooks(tenant: string | null): Promise<readonly Webhook[]> {
    const key = tenant ?? '';
    const listed = this.cache.get(key) ?? this.options.webhooks.list(tenant);
    this.cache.set(key, listed, { noUpdateTTL: true });
    listed.catch(() => this.cache.delete(key));
    return listed;
  }

  /** N2. The history of a sub-chain is read only if a webhook may want its end. */
  private async mayWantEnd(tenant: string | null, isRoot: boolean): Promise<boolean> {
    return (await this.listWebhooks(tenant)).some((webhook) => wantsEnds(webhook) && (isRoot || webhook.subChains));
  }

  /** N1. @param listed default: the webhooks of the event's tenant */
  private async notify(event: WebhookEvent, listed?: readonly Webhook[]): Promise<void> {
    const webhooks = listed ?? (await this.listWebhooks(event.tenant));
    if (this.known.has(event.id) || !webhooks.some((webhook) => isInterested(webhook, event))) return;
    await this.start(event);
    this.known.set(event.id, true);
  }

  private async start(event: WebhookEvent): Promise<void> {
    try {
      await this.client.start<(input: NotifierInput) => Promise<unknown>>(notifierWorkflowType, {
        workflowId: event.id,
        taskQueue: this.options.taskQueue,
        args: [{ event }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowExecutionTimeout: notifierTimeout,
        staticSummary: event.type,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  private async notifyEnd(run: RunReference, listed?: readonly Webhook[]): Promise<void> {
    const { converter, archived } = this.options;
    const read = await readClosedRun({ history: this.history, converter, archived }, run).catch((error: unknown) => {
      if (isNotFound(error)) return null;
      throw error;
    });
    // A chain that continues as new has not ended.
    const closed = read?.run.closed ?? null;
    if (read === null || closed === null || closed === 'continuedAsNew') return;
    const result = computeClosedResult({ chain: read.chain, closed, closedAt: read.run.closedAt });
    await this.notify(createEndEvent(read.chain.state, result, run.runId), listed);
  }

  private async exists(workflowId: string): Promise<boolean> {
    const { service, namespace } = this.history;
    try {
      await service.describeWorkflowExecution({ namespace, execution: { workflowId } });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  private async sweepWaitsOf(tenant: string | null, active: readonly Webhook[]): Promise<void> {
    let read = 0;
    // The server lists the newest first.
    const query = formatWaitingQuery(tenant, this.sweptUntil.get(tenant) ?? null);
    for await (const { workflowId, runId, startTime } of this.client.list({ query, pageSize: 100 })) {
      read += 1;
      if (read > maxWaiting) {
        this.sweptUntil.set(tenant, startTime);
        return;
      }
      try {
        await this.sweepWait({ workflowId, runId }, active);
      } catch (error) {
        if (isNotFound(error)) continue;
        if (concernsAllChains(error)) throw error;
        this.options.warn(`Waiting chain ${workflowId} was not swept for webhooks: ${toErrorMessage(error)}`);
      }
    }
    this.sweptUntil.delete(tenant);
  }

  /** The history is read again only after it has grown. */
  private async sweepWait(run: RunReference, active: readonly Webhook[]): Promise<void> {
    const { service, namespace } = this.history;
    const { workflowExecutionInfo } = await service.describeWorkflowExecution({ namespace, execution: run });
    const length = String(workflowExecutionInfo?.historyLength ?? '');
    if (this.sweptLengths.get(run.runId) === length) return;
    const { state } = await this.options.folds.readLatest(this.history, run);
    for (const event of listWaitEvents(state)) if (event.at > Date.now() - maxWaitAge) await this.notify(event, active);
    this.sweptLengths.set(run.runId, length);
  }
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
  const isOfTenant = tenant === null ? 'LonghandTenant IS NULL' : `LonghandTenant = ${JSON.stringify(tenant)}`;
  return [
    `WorkflowType = ${JSON.stringify(workflowType)} AND ExecutionStatus = 'Running'`,
    `LonghandStatus IN ('waiting', 'paused') AND ${isOfTenant}`,
    // The server's times are finer than milliseconds.
    ...(until === null ? [] : [`StartTime <= '${new Date(until.getTime() + 1).toISOString()}'`]),
  ].join(' AND ');
}

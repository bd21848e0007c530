/**
 * Many chains that wait for a person on one worker: its memory, the delay of a decision on a chain that the worker no longer
 * caches, and the first pages of the inbox and of the list.
 */

import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Longhand } from '../../src/client/connect.js';
import { listChainPage } from '../../src/client/list/chain-page.js';
import { createViewer } from '../../src/core/view/visibility.js';
import { getEventTimeMs } from '../../src/history/event.js';
import type { Case, CaseOptions } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { median, percentile, round } from '../repeat.js';
import { withOwnWorkers } from '../rig/own-workers.js';
import { listRuns, readRuns } from '../rig/runs.js';
import { taskOf, tool } from '../rig/task.js';

interface WaitingSize {
  /** Numbers of waiting chains, each on a worker of its own: its memory should not grow from the cache that is full to more. */
  readonly counts: readonly number[];
  /** Chains that are decided, spread over all. */
  readonly decisions: number;
  /** Required values. */
  readonly most: { readonly decisionP99Ms: number; readonly pageMs: number };
}

export interface WaitingRow {
  readonly chains: number;
  /** Most resident memory of the worker. */
  readonly peakRssMb: number;
  /** Milliseconds from a decision to its call being scheduled. */
  readonly decisionP50Ms: number;
  readonly decisionP99Ms: number;
  /** Milliseconds for the longest waiting chains, and for a page of the list. */
  readonly inboxMs: number;
  readonly listMs: number;
}

export const waiting: Case<WaitingRow, WaitingSize> = {
  full: {
    ...{ counts: [1_000, 10_000], decisions: 200 },
    most: { decisionP99Ms: promises.waitingDecisionP99Ms, pageMs: promises.pageMs },
  },
  // A busy machine: only a gross delay is certain.
  smoke: { counts: [4, 8], decisions: 4, most: { decisionP99Ms: 10_000, pageMs: 10_000 } },
  measure: async (options, size) => {
    const rows: WaitingRow[] = [];
    for (const chains of size.counts) rows.push(await measureWaiting(options, chains, size));
    return rows;
  },
  columns: [
    ['chains', (row) => String(row.chains)],
    ['peak MB', (row) => row.peakRssMb.toFixed(0)],
    ['decision p50 ms', (row) => row.decisionP50Ms.toFixed(0)],
    ['p99 ms', (row) => row.decisionP99Ms.toFixed(0)],
    ['inbox ms', (row) => row.inboxMs.toFixed(0)],
    ['list ms', (row) => row.listMs.toFixed(0)],
  ],
  expected: ({ counts }) =>
    counts.map((chains) => ({
      chains,
      peakRssMb: between(50, 20_000),
      decisionP50Ms: between(0.5, 60_000),
      decisionP99Ms: between(0.5, 600_000),
      inboxMs: between(0.5, 3_600_000),
      listMs: between(0.5, 600_000),
    })),
  contradictions: (rows) =>
    rows.flatMap(({ decisionP50Ms, decisionP99Ms }) =>
      decisionP50Ms <= decisionP99Ms ? [] : [`p50 is ${decisionP50Ms} ms, above p99, ${decisionP99Ms} ms.`],
    ),
  misses: (rows, { most }) => {
    const row = rows.at(-1);
    if (row === undefined) return [];
    const values = [
      ['a decision (p99)', row.decisionP99Ms, most.decisionP99Ms],
      ['the inbox', row.inboxMs, most.pageMs],
      ['a page of the list', row.listMs, most.pageMs],
    ] as const;
    return values.flatMap(([what, ms, allowed]) =>
      ms <= allowed
        ? []
        : [`With ${row.chains} waiting chains, ${what} takes ${ms} ms; at most ${allowed} ms are allowed.`],
    );
  },
  findings: (rows) =>
    rows.map(
      ({ chains, peakRssMb, decisionP99Ms, inboxMs, listMs }) =>
        `${chains} chains wait: the worker takes ${peakRssMb.toFixed(0)} MB, a decision ${decisionP99Ms} ms (p99), the inbox ${inboxMs} ms, a page of the list ${listMs} ms.`,
    ),
};

const startsAtOnce = 50;
const pageSize = 50;
const pageReads = 3;

async function measureWaiting(
  { rig, progress }: CaseOptions,
  chains: number,
  { decisions }: WaitingSize,
): Promise<WaitingRow> {
  const taskQueue = `waiting-${chains}`;
  return withOwnWorkers(rig, { system: 'longhand', taskQueue }, async ({ longhand, usage }) => {
    const ids = Array.from({ length: chains }, (_, nth) => `${taskQueue}-${nth + 1}`);
    await startAll(longhand, ids);
    await waitForAll(longhand, taskQueue, chains);
    progress(`${chains} chains wait`);
    const inboxMs = await timePages(() => longhand.listInbox({ limit: pageSize }));
    const query = { status: 'waiting', agent: null, agentVersion: null, tenant: null, outcome: null } as const;
    const rules = { viewer: createViewer('developer'), config: {} };
    const rest = { since: null, costOver: null, thread: null, tree: 'roots' } as const;
    const listMs = await timePages(() =>
      listChainPage(longhand.client, { ...query, ...rest }, { limit: pageSize, rules }),
    );
    progress(`the inbox took ${inboxMs} ms, a page of the list ${listMs} ms`);
    const delays: number[] = [];
    for (let nth = 0; nth < decisions; nth += 1)
      delays.push(await measureDecision(longhand, ids[Math.floor((nth * chains) / decisions)] ?? ''));
    const [worker] = await usage();
    // The next row's inbox would contain them.
    for (const id of ids)
      await longhand.client.workflow
        .getHandle(id)
        .terminate()
        .catch(() => {});
    return {
      chains,
      peakRssMb: round(worker?.peakResidentMb ?? Number.NaN, 1),
      decisionP50Ms: round(percentile(delays, 0.5), 1),
      decisionP99Ms: round(percentile(delays, 0.99), 1),
      inboxMs,
      listMs,
    };
  });
}

async function startAll(longhand: Longhand, ids: readonly string[]): Promise<void> {
  const left = [...ids];
  const startSome = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      await longhand.start('careful_taker', taskOf(1), { chainId: id });
  };
  await Promise.all(Array.from({ length: startsAtOnce }, startSome));
}

/** The server's list follows its chains with a delay. */
async function waitForAll({ client }: Longhand, taskQueue: string, chains: number): Promise<void> {
  const { namespace } = client.options;
  const query = `TaskQueue = '${taskQueue}' AND LonghandStatus = 'waiting'`;
  for (;;) {
    const { count } = await client.workflowService.countWorkflowExecutions({ namespace, query });
    if (Number(count) >= chains) return;
    await sleep(200);
  }
}

async function timePages(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < pageReads; time += 1) {
    const began = performance.now();
    await read();
    times.push(performance.now() - began);
  }
  return round(median(times), 1);
}

/** @returns the milliseconds from sending the decision to the call being scheduled, by the event's own time */
async function measureDecision(longhand: Longhand, id: string): Promise<number> {
  const sent = performance.timeOrigin + performance.now();
  const chain = longhand.getHandle(id);
  await chain.approve('1.1', { by: 'ana' });
  const { success } = await chain.result();
  const events = (await readRuns(longhand.client, await listRuns(longhand.client, id))).flat();
  const call = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === tool.name);
  if (!success || call === undefined) throw new Error(`The chain ${id} did not complete.`);
  return getEventTimeMs(call) - sent;
}

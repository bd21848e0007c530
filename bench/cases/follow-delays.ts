/** How long after an event its readers know of it: several of them, each on a chain of its own. */

import type { Client } from '@temporalio/client';
import type { Longhand } from '../../src/client/connect.js';
import { findNextRunId, getEventId, getEventTimeMs } from '../../src/history/event.js';
import { listRuns, readRuns, type WorkflowRun } from '../rig/runs.js';
import { taskOf } from '../rig/task.js';

export interface DelaysSize {
  readonly readers: number;
  /** Of the chain that each one reads. */
  readonly steps: number;
}

/** When an event was first seen, by its run and id. */
type Seen = Map<string, number>;

/** How a history is read while it grows: by Longhand, or by the server's bare long poll. */
const read = {
  follow: async (longhand: Longhand, chainId: string, seen: Seen) => {
    for await (const { runId, eventId, type } of longhand.getHandle(chainId).follow()) {
      if (type !== 'chain-ended') see(seen, runId, eventId);
    }
  },
  'raw-long-poll': async ({ client }: Longhand, chainId: string, seen: Seen) => {
    let runId: string | null = (await client.workflow.getHandle(chainId).describe()).runId;
    while (runId !== null) runId = await pollRun(client, { workflowId: chainId, runId }, seen);
  },
} as const;

/** @returns milliseconds, in no order */
export async function measureDelays(
  reader: keyof typeof read,
  longhand: Longhand,
  { readers, steps }: DelaysSize,
): Promise<readonly number[]> {
  const delays = await Promise.all(
    Array.from({ length: readers }, async (_, nth) => {
      const chainId = `${reader}-${nth}`;
      await longhand.start('stock_taker', taskOf(steps - 1, { atLeisure: true }), { chainId });
      const seen: Seen = new Map();
      await read[reader](longhand, chainId, seen);
      return delaysIn(longhand.client, chainId, seen);
    }),
  );
  return delays.flat();
}

/** The first events of a chain are no news: reading began with them. */
const eventsOfStart = 10;

/** Both readers are compared by completed workflow tasks: what comes before is not final. */
async function delaysIn(client: Client, chainId: string, seen: Seen): Promise<readonly number[]> {
  const runs = await listRuns(client, chainId);
  const histories = await readRuns(client, runs);
  return histories.flatMap((events, run) =>
    events.flatMap((event) => {
      const at = seen.get(keyOf(runs[run]?.runId ?? '', getEventId(event)));
      const isNews = run > 0 || getEventId(event) > eventsOfStart;
      return event.workflowTaskCompletedEventAttributes && isNews && at !== undefined
        ? [at - getEventTimeMs(event)]
        : [];
    }),
  );
}

/** @returns the run that continues this one, or null */
async function pollRun(
  { workflowService, options: { namespace } }: Client,
  execution: Pick<WorkflowRun, 'workflowId' | 'runId'>,
  seen: Seen,
): Promise<string | null> {
  let next: string | null = null;
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const request = { namespace, execution, waitNewEvent: true, nextPageToken };
    const page = await workflowService.getWorkflowExecutionHistory(request);
    const events = page.history?.events ?? [];
    for (const event of events) see(seen, execution.runId, getEventId(event));
    next = findNextRunId(events) ?? next;
    nextPageToken = page.nextPageToken ?? new Uint8Array();
  } while (nextPageToken.length > 0);
  return next;
}

function see(seen: Seen, runId: string, eventId: number): void {
  const key = keyOf(runId, eventId);
  if (!seen.has(key)) seen.set(key, Date.now());
}

function keyOf(runId: string, eventId: number): string {
  return `${runId} ${eventId}`;
}

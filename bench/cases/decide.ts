/**
 * How soon a chain continues once somebody has decided: from sending the decision to the tool's activity being scheduled,
 * by the event's own time. Beside it a workflow that waits for a bare update and then runs the same activity.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Longhand } from '../../src/client/connect.js';
import type { Case } from '../case.js';
import { between } from '../plausible.js';
import { percentile, type Repeats, round, takeTurns } from '../repeat.js';
import { listRuns, readRuns } from '../rig/runs.js';
import { taskOf, tool } from '../rig/task.js';

interface DecideSize extends Repeats {
  /** In one chain, one after the other. */
  readonly decisions: number;
}

export interface DecideRow {
  readonly what: 'decision' | 'bare-update';
  /** Milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const kinds = ['decision', 'bare-update'] as const;

export const decide: Case<DecideRow, DecideSize> = {
  full: { decisions: 20, times: 10, warmUp: 2 },
  smoke: { decisions: 15, times: 1, warmUp: 0 },
  measure: async ({ rig: { longhand }, progress }, size) => {
    const delays = await takeTurns(
      kinds,
      size,
      async (kind, turn) => {
        const workflow = { id: `${kind}-${turn}`, decisions: size.decisions };
        return measureDelays(longhand, workflow, await start[kind](longhand, workflow));
      },
      (kind, measured) => progress(`${kind}: ${round(percentile(measured, 0.5), 1)} ms`),
    );
    return kinds.map((what) => {
      const all = (delays.get(what) ?? []).flat();
      return { what, p50Ms: round(percentile(all, 0.5), 1), p99Ms: round(percentile(all, 0.99), 1) };
    });
  },
  columns: [
    ['what', (row) => row.what],
    ['p50 ms', (row) => row.p50Ms.toFixed(1)],
    ['p99 ms', (row) => row.p99Ms.toFixed(1)],
  ],
  expected: () => kinds.map((what) => ({ what, p50Ms: between(0.5, 10_000), p99Ms: between(0.5, 60_000) })),
  contradictions: (rows) =>
    rows.flatMap(({ what, p50Ms, p99Ms }) =>
      p50Ms <= p99Ms ? [] : [`${what}: p50 is ${p50Ms} ms, above p99, ${p99Ms} ms.`],
    ),
  findings: ([decision, update]) => {
    if (!decision || !update) return [];
    const more = (decision.p50Ms - update.p50Ms).toFixed(1);
    return [`From a decision to the call that it lets run: p50 ${decision.p50Ms} ms, ${more} ms above a bare update.`];
  },
};

interface Workflow {
  readonly id: string;
  readonly decisions: number;
}

/** A workflow that waits for one decision after the other, and runs the activity each time. */
interface Waiter {
  /** Resolves when the decision of this number, from 1, is awaited. */
  readonly isAwaited: (nth: number) => Promise<void>;
  readonly send: (nth: number) => Promise<unknown>;
  readonly end: () => Promise<void>;
}

const start: { readonly [kind in DecideRow['what']]: (longhand: Longhand, workflow: Workflow) => Promise<Waiter> } = {
  /** A step is a call that waits for approval, and its approval by the client's own function. */
  decision: async (longhand, { id, decisions }) => {
    const chain = await longhand.start('careful_taker', taskOf(decisions), { chainId: id });
    return {
      isAwaited: (nth) => until(async () => (await chain.listRequests()).some(({ call }) => call === `${nth}.1`)),
      send: (nth) => chain.approve(`${nth}.1`, { by: 'ana' }),
      end: async () => {
        const { success } = await chain.result();
        if (!success) throw new Error(`Chain ${id} did not complete.`);
      },
    };
  },
  'bare-update': async ({ client }, { id, decisions }) => {
    const options = { workflowId: id, taskQueue: 'hand-written', args: [decisions] };
    const handle = await client.workflow.start('takeApprovedStock', options);
    return {
      isAwaited: (nth) => until(async () => (await handle.query<number>('waitsFor')) === nth),
      send: (nth) => handle.executeUpdate('approve', { args: [{ call: `${nth}.1`, by: 'ana' }] }),
      end: () => handle.result(),
    };
  },
};

async function measureDelays(
  { client }: Longhand,
  { id, decisions }: Workflow,
  { isAwaited, send, end }: Waiter,
): Promise<readonly number[]> {
  const sent: number[] = [];
  for (let nth = 1; nth <= decisions; nth += 1) {
    await isAwaited(nth);
    sent.push(performance.timeOrigin + performance.now());
    await send(nth);
  }
  await end();
  const scheduled = (await readRuns(client, await listRuns(client, id)))
    .flat()
    .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === tool.name)
    .map(({ eventTime }) => Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000);
  if (scheduled.length !== decisions) throw new Error(`${scheduled.length} calls followed ${decisions} decisions.`);
  return scheduled.map((time, nth) => time - (sent[nth] ?? Number.NaN));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

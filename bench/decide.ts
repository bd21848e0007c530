/**
 * How soon a chain moves on once somebody has decided: from sending the decision to the tool's activity being scheduled, by
 * the event's own time. Beside it, in turns, a workflow that waits for a bare update and then runs the same activity.
 */

import type { Longhand } from '../src/client/connect.js';
import type { HistoryEvent } from '../src/history/event.js';
import type { CaseOptions } from './case.js';
import { taskOf, tool } from './task.js';

export interface DecideRow {
  readonly what: 'decision' | 'bare-update';
  /** Milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Decisions in one chain, one after the other. */
const inChain = 20;
const rounds = 10;
/** Rounds that are the compiler's. */
const warmUp = 2;

/** Something that waits to be told, again and again, and runs the activity each time. */
interface Waiter {
  /** Resolves when it waits for the word of this number, from 1. */
  readonly waits: (nth: number) => Promise<void>;
  readonly tell: (nth: number) => Promise<unknown>;
  /** Resolves when it has ended, with all that happened. */
  readonly events: () => Promise<readonly HistoryEvent[]>;
}

export async function measureDecide({ rig: { longhand }, say }: CaseOptions): Promise<readonly DecideRow[]> {
  const delays = { decision: [] as number[], 'bare-update': [] as number[] };
  const kinds = { decision: chain, 'bare-update': bare };
  for (let round = 0; round < rounds + warmUp; round += 1) {
    // Who goes first changes.
    const order = round % 2 === 0 ? (['decision', 'bare-update'] as const) : (['bare-update', 'decision'] as const);
    for (const what of order) {
      const measured = await delaysOf(await kinds[what](longhand, `${what}-${round}`));
      if (round < warmUp) continue;
      say(`${what}: ${at(measured, 0.5)} ms`);
      delays[what].push(...measured);
    }
  }
  return [rowOf('decision', delays.decision), rowOf('bare-update', delays['bare-update'])];
}

/** A step is a call that waits for approval, and its approval by the client's own function. */
async function chain(longhand: Longhand, chainId: string): Promise<Waiter> {
  const started = await longhand.start('careful_taker', taskOf(inChain), { chainId });
  return {
    waits: (nth) => until(async () => (await started.requests()).some(({ call }) => call === `${nth}.1`)),
    tell: (nth) => started.approve(`${nth}.1`, { by: 'ana' }),
    events: async () => {
      const { success } = await started.result();
      if (!success) throw new Error(`Chain ${chainId} did not come to its answer.`);
      return (await longhand.client.workflow.getHandle(chainId).fetchHistory()).events ?? [];
    },
  };
}

async function bare({ client }: Longhand, workflowId: string): Promise<Waiter> {
  const options = { workflowId, taskQueue: 'hand-written', args: [inChain] };
  const handle = await client.workflow.start('takeApprovedStock', options);
  return {
    waits: (nth) => until(async () => (await handle.query<number>('waitsFor')) === nth),
    tell: (nth) => handle.executeUpdate('approve', { args: [{ call: `${nth}.1`, by: 'ana' }] }),
    events: async () => {
      await handle.result();
      return (await handle.fetchHistory()).events ?? [];
    },
  };
}

async function delaysOf({ waits, tell, events }: Waiter): Promise<readonly number[]> {
  const sent: number[] = [];
  for (let nth = 1; nth <= inChain; nth += 1) {
    await waits(nth);
    sent.push(performance.timeOrigin + performance.now());
    await tell(nth);
  }
  const scheduled = (await events())
    .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === tool.name)
    .map(({ eventTime }) => Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000);
  if (scheduled.length !== inChain) throw new Error(`${scheduled.length} calls followed ${inChain} decisions.`);
  return scheduled.map((time, nth) => time - (sent[nth] ?? time));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

function rowOf(what: DecideRow['what'], delays: readonly number[]): DecideRow {
  return { what, p50Ms: at(delays, 0.5), p99Ms: at(delays, 0.99) };
}

function at(delays: readonly number[], share: number): number {
  const sorted = [...delays].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
}

/** What the rows come to, for people. */
export function decideFindings(rows: readonly DecideRow[]): readonly string[] {
  const [decision, update] = rows;
  if (!decision || !update) return [];
  const more = (decision.p50Ms - update.p50Ms).toFixed(1);
  return [`From a decision to the call that it lets run: p50 ${decision.p50Ms} ms, ${more} ms above a bare update.`];
}

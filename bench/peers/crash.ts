/** Kills the worker in the middle of a chain, starts it again, and counts what is done twice. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { round } from '../repeat.js';
import { effectsVariable, fatalPartVariable, readRecords } from '../rig/crash-records.js';
import { taskOf } from '../rig/task.js';
import { withPeer } from './measure.js';
import type { Peer, Resumer } from './peer.js';

/** Where the chain is when its worker is killed: within a call of the tool, after its effect, or within one of the model. */
export type CrashPoint = 'tool' | 'model';

export interface CrashResult {
  readonly point: CrashPoint;
  /** What resumed the chain; null if it did not answer within the time. */
  readonly resumedBy: Resumer | null;
  /** From the start of the second worker to the chain's next call, its own start included; null if it made none. */
  readonly seconds: number | null;
  /** Executions of the tool above one for each part. */
  readonly effectsTwice: number;
  /** Requests of the model above one for each step; the one that was killed is one of them. */
  readonly requestsTwice: number;
}

const steps = 10;
const fatalStep = 5;
/** Of the model before each reply, so that a kill can be aimed at it. */
const pauseMs = 600;
const patienceMs = 120_000;

export async function measureCrash(peer: Peer, point: CrashPoint): Promise<CrashResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-peer-crash-'));
  const [effectsFile, requestsFile] = [join(folder, 'effects'), join(folder, 'requests')];
  const fatal = point === 'tool' ? { [fatalPartVariable]: `P-${fatalStep}` } : {};
  try {
    return await withPeer(
      peer,
      { env: { [effectsVariable]: effectsFile, ...fatal }, requestsFile },
      async (running) => {
        const id = 'crashed';
        const first = running.worker();
        const answer = running.run(id, taskOf(steps, { pauseMs })).catch(() => false);
        if (point === 'model') {
          await waitUntil(() => readRecords(requestsFile).includes(String(fatalStep + 1)));
          await sleep(pauseMs / 3);
          await first.kill();
        } else {
          await Promise.race([first.ended, sleep(patienceMs, undefined, { ref: false })]);
        }
        if (!first.hasEnded()) throw new Error(`The worker of ${peer.title} was not killed.`);
        const countCalls = () => readRecords(effectsFile).length + readRecords(requestsFile).length;
        const before = countCalls();
        const began = performance.now();
        await running.restart();
        const resumedMs = waitUntil(() => countCalls() > before).then(
          () => performance.now() - began,
          () => null,
        );
        const { wait, getResumer } = running.resumption;
        const impatient = sleep(patienceMs, false as const, { ref: false });
        const hasAnswered = await Promise.race([wait(id), impatient]);
        void answer;
        const ms = await resumedMs;
        return {
          point,
          resumedBy: hasAnswered ? getResumer() : null,
          seconds: ms === null ? null : round(ms / 1_000, 1),
          effectsTwice: countRepeated(readRecords(effectsFile)),
          requestsTwice: countRepeated(readRecords(requestsFile)),
        };
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function countRepeated(lines: readonly string[]): number {
  return lines.length - new Set(lines).size;
}

async function waitUntil(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !holds(); await sleep(10)) {
    if (Date.now() > deadline) throw new Error('The chain made no further call.');
  }
}

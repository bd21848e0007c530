/** Measures a system: chains one at a time, many at once, its memory, and what a crash of its worker does. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { median, round } from '../repeat.js';
import { startChild } from '../rig/child.js';
import { requestsVariable } from '../rig/crash-records.js';
import type { ModelServerMessage } from '../rig/model-server.js';
import { taskOf } from '../rig/task.js';
import { type Peer, printProgress, type RunningPeer } from './peer.js';
import { readCpuMs, readMemoryMb } from './processes.js';

export interface PeerSize {
  readonly warmUps: number;
  readonly rounds: readonly { readonly steps: number; readonly chains: number; readonly times: number }[];
}

export const fullSize: PeerSize = {
  warmUps: 30,
  rounds: [
    { steps: 10, chains: 1, times: 15 },
    { steps: 50, chains: 1, times: 5 },
    { steps: 200, chains: 1, times: 3 },
    { steps: 10, chains: 50, times: 3 },
  ],
};

export const smokeSize: PeerSize = {
  warmUps: 1,
  rounds: [
    { steps: 3, chains: 1, times: 1 },
    { steps: 3, chains: 4, times: 1 },
  ],
};

/** A step is a call of the model and one of the tool; the answer, which ends the chain, counts as a part of its steps. */
export interface PeerRound {
  readonly steps: number;
  readonly chains: number;
  /** Of the record that the system keeps of a chain. */
  readonly bytesPerStep: number;
  /** Mean over all chains of the round: the clock is too coarse for one. */
  readonly workerCpuMsPerStep: number;
  readonly serverCpuMsPerStep: number;
  /** From the start of a chain to its answer; the median. */
  readonly msPerStep: number;
  readonly stepsPerSecond: number;
}

/** A round that the system cannot complete. */
export interface FailedRound extends Pick<PeerRound, 'steps' | 'chains'> {
  readonly failure: string;
}

export interface PeerLoad {
  readonly rounds: readonly (PeerRound | FailedRound)[];
  /** The most while many chains ran at once. */
  readonly workerMb: number;
  readonly serverMb: number;
}

const sampleMs = 200;

/** After this time a round is not repeated again. */
const maxRoundMs = 20_000;

/** Starts a system with a model of its own, and stops both. */
export async function withPeer<T>(
  peer: Peer,
  { env = {}, requestsFile }: { readonly env?: Readonly<Record<string, string>>; readonly requestsFile?: string },
  body: (running: RunningPeer, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-peer-'));
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const models = startChild<ModelServerMessage>('./model-server.ts', [], {
      env: requestsFile === undefined ? {} : { [requestsVariable]: requestsFile },
    });
    stops.push(() => models.stop());
    const { url } = await models.answer();
    const running = await peer.start({ modelUrl: url, folder, env, onStop: (stop) => stops.push(stop) });
    return await body(running, folder);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

export async function measureLoad(peer: Peer, size: PeerSize): Promise<PeerLoad> {
  return withPeer(peer, {}, async (running) => {
    for (let time = 0; time < size.warmUps; time += 1) await runChain(running, `warm-up-${time}`, 10);
    const rounds: (PeerRound | FailedRound)[] = [];
    for (const each of size.rounds) {
      const measured = await measureRound(running, each).catch(
        (error: unknown): FailedRound => ({ steps: each.steps, chains: each.chains, failure: String(error) }),
      );
      rounds.push(measured);
      printProgress(`${peer.title}: ${JSON.stringify(measured)}`);
    }
    const most = size.rounds.at(-1);
    const memory = most === undefined ? { workerMb: 0, serverMb: 0 } : await measureMemory(running, most);
    printProgress(`${peer.title}: ${JSON.stringify(memory)}`);
    return { rounds, ...memory };
  });
}

async function measureRound(
  running: RunningPeer,
  { steps, chains, times }: PeerSize['rounds'][number],
): Promise<PeerRound> {
  const roots = [running.worker().pid];
  const before = { worker: readCpuMs(roots), server: readCpuMs(running.servers) };
  const durations: number[] = [];
  const walls: number[] = [];
  const ids: string[] = [];
  const roundBegan = performance.now();
  for (let time = 0; time < times; time += 1) {
    if (time > 0 && performance.now() - roundBegan > maxRoundMs) break;
    const own = Array.from({ length: chains }, (_, at) => `chain-${steps}-${chains}-${time}-${at}`);
    const began = performance.now();
    durations.push(...(await Promise.all(own.map((id) => runChain(running, id, steps)))));
    walls.push(performance.now() - began);
    ids.push(...own);
  }
  const made = ids.length * steps;
  const cpuSince = (earlier: number, pids: readonly number[]) => round((readCpuMs(pids) - earlier) / made, 2);
  const [worker, server] = [cpuSince(before.worker, roots), cpuSince(before.server, running.servers)];
  return {
    steps,
    chains,
    bytesPerStep: Math.round((await running.countBytes(ids)) / made),
    workerCpuMsPerStep: worker,
    serverCpuMsPerStep: server,
    msPerStep: round(median(durations) / steps, 2),
    stepsPerSecond: round((chains * steps * 1_000) / median(walls), 1),
  };
}

async function runChain(running: RunningPeer, id: string, steps: number): Promise<number> {
  const began = performance.now();
  if (!(await running.run(id, taskOf(steps)))) throw new Error(`Chain ${id} of ${steps} steps did not answer.`);
  return performance.now() - began;
}

async function measureMemory(
  running: RunningPeer,
  { steps, chains }: PeerSize['rounds'][number],
): Promise<Pick<PeerLoad, 'workerMb' | 'serverMb'>> {
  const most = { workerMb: 0, serverMb: 0 };
  const sample = () => {
    most.workerMb = Math.max(most.workerMb, Math.round(readMemoryMb([running.worker().pid])));
    most.serverMb = Math.max(most.serverMb, Math.round(readMemoryMb(running.servers)));
  };
  const sampling = setInterval(sample, sampleMs);
  try {
    await Promise.all(Array.from({ length: chains }, (_, at) => runChain(running, `memory-${at}`, steps)));
    sample();
  } finally {
    clearInterval(sampling);
  }
  return most;
}

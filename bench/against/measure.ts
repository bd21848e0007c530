/** Measures pairs: the same work by the old and by the new build, in turn, each in processes of its own. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { writeModule } from '../../test/support/built-module.js';
import type { ProbeCost, ProbeReady, ProbeRequest } from '../probe/main.js';
import { type Child, startChild } from '../rig/child.js';
import type { Pair } from './judge.js';

/** A build and the chains that it recorded. */
export interface Side {
  readonly folder: string;
  /** The URL of its probe, in one file. */
  readonly probe: string;
  readonly recording: string;
}

export interface Sides {
  readonly old: Side;
  readonly new: Side;
}

/** Runs of a workload in a process, which have its code compiled and are not counted. */
const warmUpRuns = 1;

/** Runs that are counted, an odd number. */
const countedRuns = 3;

type Probe = Child<ProbeReady | ProbeCost>;

export interface ProbePair {
  /** Workloads of each build, with the number of units in a run. */
  readonly listed: { readonly old: ReadonlyMap<string, number>; readonly new: ReadonlyMap<string, number> };
  /**
   * Costs of a unit, for workloads that both have. Taken from the two neighbouring runs with the middle ratio: most of the noise lasts
   * for more than one run, so that it is in both costs. The least or the median cost of each side varies up to three times as much.
   */
  readonly measure: (workload: string) => Promise<Pair>;
  readonly stop: () => Promise<void>;
}

/** Starts a process of each build. */
export async function startProbes(sides: Sides): Promise<ProbePair> {
  const probes = { old: startProbe(sides.old), new: startProbe(sides.new) };
  const stop = async () => void (await Promise.all([probes.old.stop(), probes.new.stop()]));
  try {
    const ready = await Promise.all([probes.old.answer(), probes.new.answer()]);
    const [old, fresh] = ready.map(
      (answer) => new Map(toReady(answer).workloads.map(({ name, times }) => [name, times])),
    );
    if (old === undefined || fresh === undefined) throw new Error('A probe has not answered.');
    const measure = async (workload: string): Promise<Pair> => {
      const runs: Pair[] = [];
      for (let run = 0; run < warmUpRuns + countedRuns; run += 1) {
        const costs = { old: 0, new: 0 };
        // In alternating order: the second of two runs finds other caches than the first.
        for (const side of run % 2 === 0 ? (['old', 'new'] as const) : (['new', 'old'] as const)) {
          costs[side] = await askCost(probes[side], workload);
        }
        if (run >= warmUpRuns) runs.push(costs);
      }
      const middle = runs.sort((a, b) => a.new / a.old - b.new / b.old)[(countedRuns - 1) / 2] as Pair;
      return { old: middle.old / (old.get(workload) ?? 1), new: middle.new / (fresh.get(workload) ?? 1) };
    };
    return { listed: { old, new: fresh }, measure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startProbe({ folder, probe, recording }: Side): Probe {
  return startChild<ProbeReady | ProbeCost>(probe, ['serve', recording], {
    cwd: folder,
    flags: ['--expose-gc'],
  });
}

/** Builds the probe of a checkout and returns its URL. The path is a part of what is frozen: see bench/probe/main.ts. */
export async function buildProbe(folder: string): Promise<string> {
  return pathToFileURL(await writeModule(folder, 'bench/probe/main.ts')).href;
}

function toReady(answer: ProbeReady | ProbeCost): ProbeReady {
  if ('workloads' in answer) return answer;
  throw new Error('The probe answered with a cost before it listed its workloads.');
}

async function askCost(probe: Probe, run: string): Promise<number> {
  const answer = await probe.ask({ run } satisfies ProbeRequest);
  if ('cpuMs' in answer) return answer.cpuMs;
  throw new Error('The probe answered with its workloads instead of a cost.');
}

/** Lists what users of a build import: `longhand`, `longhand/http` … */
export async function listEntries({ folder }: Side): Promise<readonly string[]> {
  const { name, exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json') && !entry.includes('*'));
  return entries.map((entry) => `${name}${entry.slice(1)}`);
}

/** Imports an entry in a new process of each build, at the same time: as exact as in turn, in two thirds of the time. */
export async function measureImport(sides: Sides, entry: string): Promise<Pair> {
  const [old, fresh] = await Promise.all([importOnce(sides.old.folder, entry), importOnce(sides.new.folder, entry)]);
  return { old, new: fresh };
}

/** A package may import itself by its name: that is its build, as a user gets it. */
async function importOnce(folder: string, entry: string): Promise<number> {
  const code = `await import(${JSON.stringify(entry)}); const { user, system } = process.cpuUsage(); console.log((user + system) / 1000); process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
  return Number(stdout);
}

/**
 * `npm run bench -- against [<ref>] [--json]`: this build beside that of a commit, in CPU time and ratios, because absolute times of
 * different days and machines do not compare. Without a ref: the commit in bench/baseline.
 */

import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDevServer } from '../../src/cli/server/dev-server.js';
import { promises } from '../promises.js';
import { type Columns, cell, describeMachine, machineLine, table } from '../report.js';
import { startChild } from '../rig/child.js';
import type { ModelServerMessage } from '../rig/model-server.js';
import { openBuild, resolveCommit, root } from './build.js';
import { type ComparedRow, compareBuilds } from './compare.js';
import { buildProbe, type Side } from './measure.js';

const columns: Columns<ComparedRow> = [
  ['workload', (row) => row.workload],
  ['old ms', (row) => cell(row.oldMs, 2)],
  ['new ms', (row) => cell(row.newMs, 2)],
  ['ratio', (row) => cell(row.ratio, 3)],
  ['low', (row) => cell(row.low, 3)],
  ['high', (row) => cell(row.high, 3)],
  ['pairs', (row) => String(row.pairs)],
  ['verdict', (row) => row.verdict],
];

export interface AgainstOptions {
  readonly ref: string | null;
  readonly json: boolean;
  readonly progress: (line: string) => void;
}

/** @returns the exit code: 1 if a workload is slower than the allowance, or has disappeared */
export async function compareWith({ ref, json, progress }: AgainstOptions): Promise<number> {
  const commit = await resolveCommit(ref ?? (await readBaseline()));
  const machine = describeMachine();
  const temporary = await mkdtemp(join(tmpdir(), 'longhand-against-'));
  try {
    const { folder } = await openBuild(commit, progress);
    const model = await computeModelDigest();
    const sides = {
      // A build records the same chains each time: once is enough for a commit.
      old: { folder, probe: await buildProbe(folder), recording: join(folder, `recording-${model}.json`) },
      new: { folder: root, probe: await buildProbe(root), recording: join(temporary, 'recording.json') },
    };
    await recordMissing([sides.old, sides.new], progress);
    const rows = await compareBuilds(sides, progress);
    console.log(
      json
        ? JSON.stringify({ case: 'against', machine, commit, maxRatio: promises.againstRatio, rows })
        : toText(commit, rows),
    );
    if (!json) console.log(`\n${machineLine(machine)}`);
    const misses = rows.flatMap(findMiss);
    for (const miss of misses) console.error(`✗ ${miss}`);
    return misses.length === 0 ? 0 : 1;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function readBaseline(): Promise<string> {
  return (await readFile(join(root, 'bench/baseline'), 'utf8')).trim();
}

function toText(commit: string, rows: readonly ComparedRow[]): string {
  return `CPU time of this build beside commit ${commit.slice(0, 12)}; at most × ${promises.againstRatio}\n\n${table(columns, rows)}`;
}

/** Entries may move to other packages. The probe's own workloads are frozen: one that disappears hides what it cost. */
function findMiss({ workload, verdict, ratio, low, high }: ComparedRow): readonly string[] {
  if (verdict === 'slower')
    return [`${workload} costs × ${ratio} (${low} to ${high}); at most × ${promises.againstRatio} is allowed.`];
  if (verdict === 'only old' && !workload.startsWith('import ')) {
    return [`${workload} is missing in this build. Restore it in bench/probe/workloads.ts.`];
  }
  return [];
}

/** The replies of the scripted model decide what a recorded chain has. */
async function computeModelDigest(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['model-server.ts', 'task.ts', 'counting-task.ts']) {
    hash.update(await readFile(fileURLToPath(new URL(`../rig/${name}`, import.meta.url))));
  }
  return hash.digest('hex').slice(0, 12);
}

/** Each build records with its own worker, from the same model, on the same server. */
async function recordMissing(sides: readonly Side[], progress: (line: string) => void): Promise<void> {
  const server = await startDevServer({ headless: true });
  const models = startChild<ModelServerMessage>('./model-server.ts', []);
  try {
    const { url } = await models.answer();
    for (const { folder, probe, recording } of sides.filter((side) => !existsSync(side.recording))) {
      progress(`recording the chains of ${folder}`);
      const unfinished = `${recording}.${process.pid}`;
      const options = { address: server.address, taskQueue: randomUUID(), modelUrl: url };
      const recorder = startChild(probe, ['record', unfinished, JSON.stringify(options)], { cwd: folder });
      if ((await recorder.ended) !== 0) throw new Error(`The probe of ${folder} recorded no chains.`);
      await rename(unfinished, recording);
    }
  } finally {
    await models.stop();
    await server.stop();
  }
}

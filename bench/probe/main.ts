/**
 * The probe of a build, for `npm run bench -- against`: another build starts it in this one's folder and asks what its work costs.
 *
 * Frozen, because builds of any two commits speak with one another: the path of this file, its arguments, and the messages. What the
 * workloads call is this build's own. A new workload needs a new name; an old name never changes its meaning.
 *
 *     main.ts record <file> '{"address":…,"taskQueue":…,"modelUrl":…}'   records this build's chains into the file, and ends
 *     main.ts serve <file>      sends { workloads: [{ name, times }] }; answers { run: name } by { cpuMs } until disconnected
 */

import { readFile, writeFile } from 'node:fs/promises';
import { quietRuntime } from '../rig/worker-process.js';
import { type RecordOptions, recordChains } from './record.js';
import { createWorkloads, type Recording, type Workload } from './workloads.js';

export interface ProbeReady {
  readonly workloads: readonly { readonly name: string; readonly times: number }[];
}

export interface ProbeRequest {
  /** Name of a workload. */
  readonly run: string;
}

export interface ProbeCost {
  /** CPU time of the process for one run, in milliseconds. */
  readonly cpuMs: number;
}

const [command, file = '', options = '{}'] = process.argv.slice(2);
if (command === 'record') {
  await writeFile(file, JSON.stringify(await recordChains(JSON.parse(options) as RecordOptions)));
} else if (command === 'serve') {
  await serve(JSON.parse(await readFile(file, 'utf8')) as Recording);
} else {
  throw new Error(`Unknown command of the probe: ${command}`);
}

async function serve(recording: Recording): Promise<void> {
  quietRuntime();
  const workloads = await createWorkloads(recording);
  process.on('message', ({ run }: ProbeRequest) => {
    void measure(workloads.get(run)).then((cost) => process.send?.(cost));
  });
  // The replaying worker would keep the process.
  process.once('disconnect', () => process.exit());
  const listed = [...workloads].map(([name, { times }]) => ({ name, times }));
  process.send?.({ workloads: listed } satisfies ProbeReady);
}

async function measure(workload: Workload | undefined): Promise<ProbeCost> {
  if (workload === undefined) throw new Error('Unknown workload.');
  await workload.prepare?.();
  // Garbage of work before is not a cost of this.
  globalThis.gc?.();
  const before = process.cpuUsage();
  await workload.run();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000 };
}

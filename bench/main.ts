/**
 * `npm run bench -- <case> [--json] [--profile <folder>]`: measures Longhand beside a hand-written Temporal loop in
 * the same run. Only the result goes to stdout; what is being done is said on stderr.
 */

import { parseArgs } from 'node:util';
import type { CaseOptions } from './case.js';
import { concurrentFindings, measureConcurrent } from './concurrent.js';
import { decideFindings, measureDecide } from './decide.js';
import { fanOutFindings, measureFanOut } from './fanout.js';
import { historyFindings, measureHistory } from './history.js';
import { longFindings, measureLong } from './long.js';
import { machine } from './machine.js';
import { measureRead, readFindings } from './read.js';
import { startRig } from './rig.js';
import { measureStore, storeFindings } from './store.js';
import { decideTable, fanOutTable, longTable, readTable, storeTable, systemTable } from './table.js';

/** Measures, and says what it comes to as rows for machines and as lines for people. */
type Case = (options: CaseOptions) => Promise<{ readonly rows: readonly object[]; readonly lines: readonly string[] }>;

function caseOf<R extends object>(
  measure: (options: CaseOptions) => Promise<readonly R[]>,
  tableOf: (rows: readonly R[]) => string,
  findings: (rows: readonly R[]) => readonly string[],
): Case {
  return async (options) => {
    const rows = await measure(options);
    return { rows, lines: [tableOf(rows), '', ...findings(rows)] };
  };
}

const cases: Readonly<Record<string, Case>> = {
  history: caseOf(measureHistory, systemTable, historyFindings),
  concurrent: caseOf(measureConcurrent, systemTable, concurrentFindings),
  read: caseOf(measureRead, readTable, readFindings),
  fanout: caseOf(measureFanOut, fanOutTable, fanOutFindings),
  long: caseOf(measureLong, longTable, longFindings),
  store: caseOf(measureStore, storeTable, storeFindings),
  decide: caseOf(measureDecide, decideTable, decideFindings),
};

const usage = `Usage: npm run bench -- <${Object.keys(cases).join(' | ')}> [--json] [--profile <folder>]

  --json     one JSON object { case, machine, rows } instead of a table
  --profile  writes a CPU profile of each worker into this folder`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null) {
    console.error(usage);
    return 2;
  }
  const { name, json, profile } = asked;
  const chosen = cases[name] as Case;
  const measuredOn = machine();
  const rig = await startRig(profile);
  const stopped = stopOnSignal(rig.stop);
  try {
    const { rows, lines } = await chosen({ rig, say: (line) => console.error(`· ${line}`) });
    if (json) {
      console.log(JSON.stringify({ case: name, machine: measuredOn, rows }));
    } else {
      const { cpu, cores, node, loadBefore } = measuredOn;
      const about = `${cpu}, ${cores} cores, Node ${node}, load ${loadBefore} before`;
      console.log([about, '', ...lines].join('\n'));
    }
    return 0;
  } finally {
    stopped();
    await rig.stop();
  }
}

interface Asked {
  readonly name: string;
  readonly json: boolean;
  readonly profile: string | null;
}

function parse(args: readonly string[]): Asked | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, profile: { type: 'string' } },
    });
    const [name = '', ...more] = positionals;
    if (!Object.hasOwn(cases, name) || more.length > 0) return null;
    return { name, json: values.json, profile: values.profile ?? null };
  } catch {
    return null;
  }
}

/** @returns what takes the handlers away again */
function stopOnSignal(stop: () => Promise<void>): () => void {
  const end = (signal: NodeJS.Signals) => {
    console.error(`Stopped by ${signal}; nothing was measured to its end.`);
    void stop().finally(() => process.exit(130));
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return () => process.off('SIGINT', end).off('SIGTERM', end);
}

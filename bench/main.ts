/**
 * `npm run bench -- <case>… [--smoke] [--json] [--profile <folder>]`: measures Longhand beside a hand-written Temporal
 * loop in the same run. `against [<ref>]` measures this build beside another one. Only the result goes to stdout; progress goes to
 * stderr.
 */

import { parseArgs } from 'node:util';
import { compareWith } from './against/main.js';
import { type Measured, runnable, type Scale } from './case.js';
import { budget } from './cases/budget.js';
import { cache } from './cases/cache.js';
import { concurrent } from './cases/concurrent.js';
import { context } from './cases/context.js';
import { decide } from './cases/decide.js';
import { fanOut } from './cases/fanout.js';
import { gateway } from './cases/gateway.js';
import { history } from './cases/history.js';
import { long } from './cases/long.js';
import { many } from './cases/many.js';
import { overhead } from './cases/overhead.js';
import { read } from './cases/read.js';
import { store } from './cases/store.js';
import { tokens } from './cases/tokens.js';
import { tools } from './cases/tools.js';
import { waiting } from './cases/waiting.js';
import { workers } from './cases/workers.js';
import { describeMachine, machineLine } from './report.js';
import { startRig } from './rig/rig.js';

const cases = {
  history: runnable(history),
  concurrent: runnable(concurrent),
  read: runnable(read),
  fanout: runnable(fanOut),
  long: runnable(long),
  store: runnable(store),
  decide: runnable(decide),
  overhead: runnable(overhead),
  cache: runnable(cache),
  context: runnable(context),
  tokens: runnable(tokens),
  tools: runnable(tools),
  gateway: runnable(gateway),
  many: runnable(many),
  workers: runnable(workers),
  waiting: runnable(waiting),
  budget: runnable(budget),
} as const;

type CaseName = keyof typeof cases;

const names = Object.keys(cases) as CaseName[];

const usage = `Usage: npm run bench -- <case>… [--smoke] [--json] [--profile <folder>]
       npm run bench -- against [<ref>] [--json]

against: the CPU time of this build beside that of a commit, by default the one in bench/baseline.

Cases: ${names.join(', ')}, or all.

  --smoke    tiny sizes: proves in seconds that the cases still measure, not how fast anything is
  --json     a JSON object { case, machine, rows } on a line for each case, instead of a table
  --profile  writes a CPU profile of each worker into this folder

Exits with 1 if a row cannot be true, or misses a required value.`;

/** Small enough that short chains have several runs too. */
const smokeContinueAfterEvents = 150;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null) {
    console.error(usage);
    return 2;
  }
  const progress = (line: string) => console.error(`· ${line}`);
  if ('ref' in asked) return compareWith({ ...asked, progress });
  const { chosen, scale, json, profile } = asked;
  const machine = describeMachine();
  const continueAfterEvents = scale === 'smoke' ? smokeContinueAfterEvents : null;
  const rig = await startRig({ profile, continueAfterEvents });
  const forgetSignals = stopOnSignal(rig.stop);
  const problems: string[] = [];
  const misses: string[] = [];
  try {
    if (!json) console.log(machineLine(machine));
    for (const name of chosen) {
      const measured = await cases[name]({ rig, progress }, scale);
      console.log(json ? JSON.stringify({ case: name, machine, rows: measured.rows }) : textOf(name, measured));
      problems.push(...measured.problems.map((problem) => `${name}: ${problem}`));
      misses.push(...measured.misses.map((miss) => `${name}: ${miss}`));
    }
  } finally {
    forgetSignals();
    await rig.stop();
  }
  for (const problem of [...misses, ...problems]) console.error(`✗ ${problem}`);
  if (problems.length > 0) console.error('✗ These rows cannot be true: the benchmark is broken, not slow.');
  return problems.length + misses.length === 0 ? 0 : 1;
}

function textOf(name: CaseName, { lines }: Measured): string {
  return ['', name, '', ...lines].join('\n');
}

interface Asked {
  readonly chosen: readonly CaseName[];
  readonly scale: Scale;
  readonly json: boolean;
  readonly profile: string | null;
}

interface AskedComparison {
  readonly ref: string | null;
  readonly json: boolean;
}

function parse(args: readonly string[]): Asked | AskedComparison | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        smoke: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        profile: { type: 'string' },
      },
    });
    if (positionals[0] === 'against') {
      const isComparison = positionals.length <= 2 && !values.smoke && values.profile === undefined;
      return isComparison ? { ref: positionals[1] ?? null, json: values.json } : null;
    }
    const all = positionals.includes('all');
    if (positionals.length === 0 || !positionals.every((name) => name === 'all' || isCase(name))) return null;
    const chosen = names.filter((name) => all || positionals.includes(name));
    return { chosen, scale: values.smoke ? 'smoke' : 'full', json: values.json, profile: values.profile ?? null };
  } catch {
    return null;
  }
}

function isCase(name: string): name is CaseName {
  return Object.hasOwn(cases, name);
}

/** @returns a function that removes the handlers */
function stopOnSignal(stop: () => Promise<void>): () => void {
  const end = (signal: NodeJS.Signals) => {
    console.error(`Stopped by ${signal}; the measurement is not complete.`);
    void stop().finally(() => process.exit(130));
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return () => process.off('SIGINT', end).off('SIGTERM', end);
}

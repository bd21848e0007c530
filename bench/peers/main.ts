/**
 * `node --import tsx bench/peers/main.ts <system>… [--smoke] [--part <part>] [--out <folder>]`: measures other systems at the same task, by hand.
 * Prints one table of what `--out` has, the present run included.
 */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, machineLine } from '../report.js';
import { measureCrash } from './crash.js';
import { readPins } from './install.js';
import { fullSize, measureLoad, type PeerSize, smokeSize } from './measure.js';
import { type Peer, printProgress } from './peer.js';
import { eve } from './systems/eve.js';
import { dbos, langgraphPostgres, langgraphSqlite } from './systems/in-process.js';
import { restate } from './systems/restate.js';
import { aiSdk, handWritten, longhand, longhandUnsafe } from './systems/temporal.js';
import { formatTables, type PeerResult } from './tables.js';

/** In the order of the table. */
const peers: Readonly<Record<string, Peer>> = {
  longhand,
  'longhand-unsafe': longhandUnsafe,
  'hand-written': handWritten,
  'ai-sdk': aiSdk,
  langgraph: langgraphSqlite,
  'langgraph-postgres': langgraphPostgres,
  restate,
  dbos,
  eve,
};

const usage = `Usage: node --import tsx bench/peers/main.ts <system>… [--smoke] [--part <part>] [--out <folder>]

Systems: ${Object.keys(peers).join(', ')}, or all. Their packages are installed into ~/.cache/longhand/peers.

  --smoke  tiny sizes: proves that the systems still run, not how fast anything is
  --part   load, which needs a quiet machine, or crashes, which does not; default: both
  --out    a folder for the results, one file a system: the table has all of them, and the medians of repeated loads`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { smoke: { type: 'boolean', default: false }, part: { type: 'string' }, out: { type: 'string' } },
  });
  const names = Object.keys(peers).filter((name) => positionals.includes(name) || positionals.includes('all'));
  if (positionals.length === 0 || positionals.some((name) => name !== 'all' && !Object.hasOwn(peers, name))) {
    console.error(usage);
    return 2;
  }
  const { out = await mkdtemp(join(tmpdir(), 'longhand-peers-')), smoke, part } = values;
  await mkdir(out, { recursive: true });
  for (const name of names) {
    const file = join(out, `${name}.json`);
    const before = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as PeerResult) : null;
    const result = await measure(peers[name] as Peer, before, { size: smoke ? smokeSize : fullSize, part });
    await writeFile(file, JSON.stringify(result, null, 2));
  }
  console.log(formatTables(await readResults(out)));
  return 0;
}

interface Extent {
  readonly size: PeerSize;
  /** What is measured; undefined for everything. */
  readonly part: string | undefined;
}

/** @param before an earlier result: its loads count too, and its crashes if they are not measured again */
async function measure(peer: Peer, before: PeerResult | null, { size, part }: Extent): Promise<PeerResult> {
  const { title, node, counted, record, packages } = peer;
  const versions = packages === null ? {} : await readPins(packages);
  let result: PeerResult = {
    ...{ title, node, counted, record, versions },
    machine: before?.machine ?? machineLine(describeMachine()),
    loads: before?.loads ?? [],
    crashes: before?.crashes ?? [],
  };
  if (part !== 'crashes' && peer.measures !== 'crashes') {
    const machine = machineLine(describeMachine());
    result = { ...result, machine, loads: [...result.loads, await measureLoad(peer, size)] };
  }
  if (part === 'load') return result;
  const crashes = [];
  for (const point of ['tool', 'model'] as const) {
    const crash = await measureCrash(peer, point);
    printProgress(`${title}: ${JSON.stringify(crash)}`);
    crashes.push(crash);
  }
  return { ...result, crashes };
}

/** In the order of the systems. */
async function readResults(folder: string): Promise<readonly PeerResult[]> {
  const files = await readdir(folder);
  const names = Object.keys(peers).filter((name) => files.includes(`${name}.json`));
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as PeerResult),
  );
}

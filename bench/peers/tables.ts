/** Prints the results of all systems as tables of Markdown. */

import { medianRow } from '../repeat.js';
import type { CrashResult } from './crash.js';
import type { FailedRound, PeerLoad, PeerRound } from './measure.js';

export interface PeerResult {
  readonly title: string;
  readonly node: number;
  readonly counted: string;
  readonly record: string;
  /** Of its packages. */
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: string;
  /** One for each time that it was measured. */
  readonly loads: readonly PeerLoad[];
  readonly crashes: readonly CrashResult[];
}

type Column = readonly [heading: string, cell: (result: PeerResult) => string];

const costs: readonly Column[] = [
  ['system', ({ title }) => title],
  ['bytes a step', (result) => inRounds(result, ({ bytesPerStep }) => bytesPerStep.toLocaleString('en'))],
  ['CPU of the worker, ms a step', (result) => inRounds(result, (round) => formatMs(round.workerCpuMsPerStep))],
  ['CPU of the server, ms a step', (result) => inRounds(result, (round) => formatMs(round.serverCpuMsPerStep))],
  ['ms a step', (result) => inRounds(result, ({ msPerStep }) => formatMs(msPerStep))],
  ['many: steps/s', (result) => findMany(result)?.stepsPerSecond.toFixed(0) ?? ''],
  ['many: CPU, ms a step', (result) => formatCpu(findMany(result))],
  ['many: MB', (result) => formatMemory(findLoad(result))],
  ['resumed by', ({ crashes }) => [...new Set(crashes.map(formatResumption))].join('; ')],
  ['after seconds', ({ crashes }) => crashes.map(({ seconds }) => seconds?.toFixed(1) ?? '–').join(' / ')],
  ['effects twice', ({ crashes }) => crashes.map((crash) => ifResumed(crash, crash.effectsTwice)).join(' / ')],
  ['model calls twice', ({ crashes }) => crashes.map((crash) => ifResumed(crash, crash.requestsTwice)).join(' / ')],
];

const details: readonly Column[] = [
  ['system', ({ title }) => title],
  ['Node', ({ node }) => String(node)],
  ['counted: worker; server', ({ counted }) => counted],
  ['record of a chain', ({ record }) => record],
];

/** The results in one table, and what they count in another one. */
export function formatTables(results: readonly PeerResult[]): string {
  const machines = [...new Set(results.map(({ machine }) => machine))];
  const measured = results.filter(({ loads }) => loads.length > 0);
  return [machines.join('\n'), formatTable(costs, results), formatTable(details, measured)].join('\n\n');
}

function formatTable(columns: readonly Column[], results: readonly PeerResult[]): string {
  const lines = [columns.map(([heading]) => heading), columns.map(() => '---')];
  for (const result of results) lines.push(columns.map(([, cellOf]) => cellOf(result)));
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** A chain that nothing resumed repeats nothing. */
function ifResumed({ resumedBy }: CrashResult, count: number): string {
  return resumedBy === null ? '–' : String(count);
}

/** Of the chains that run alone, in the order of their lengths. */
function inRounds(result: PeerResult, format: (round: PeerRound) => string): string {
  const cells = (findLoad(result)?.rounds ?? [])
    .filter(({ chains }) => chains === 1)
    .map((round) => (isFailed(round) ? 'failed' : format(round)));
  return cells.every((cell) => cell === '–') ? cells.slice(0, 1).join() : cells.join(' / ');
}

/** The medians of all loads, number by number. Null if there is no load. */
function findLoad({ loads }: PeerResult): PeerLoad | null {
  const [first] = loads;
  if (first === undefined) return null;
  const rounds = first.rounds.map((_, at) => medianRow(loads.flatMap((load) => load.rounds[at] ?? [])));
  return { ...medianRow(loads), rounds };
}

/** The round of many chains at once. */
function findMany(result: PeerResult): PeerRound | undefined {
  const round = findLoad(result)?.rounds.at(-1);
  return round === undefined || isFailed(round) ? undefined : round;
}

function isFailed(round: PeerRound | FailedRound): round is FailedRound {
  return 'failure' in round;
}

function formatMemory(load: PeerLoad | null): string {
  if (load === null) return '';
  return load.serverMb === 0 ? load.workerMb.toFixed(0) : `${load.workerMb.toFixed(0)} + ${load.serverMb.toFixed(0)}`;
}

/** Zero is what a system without a server has there. */
function formatMs(ms: number): string {
  return ms === 0 ? '–' : ms.toFixed(ms < 10 ? 1 : 0);
}

function formatCpu(round: PeerRound | undefined): string {
  if (round === undefined) return '';
  return `${formatMs(round.workerCpuMsPerStep)} + ${formatMs(round.serverCpuMsPerStep)}`.replace(' + –', '');
}

function formatResumption({ resumedBy }: CrashResult): string {
  return resumedBy ?? 'nothing';
}

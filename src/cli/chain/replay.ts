/** `longhand chain replay`: a recorded chain run again by the code as it is, without a model, a tool or a server. */

import { formatCount } from '../../core/lib/display.js';
import { isObject, type Json, toCanonicalJson, toValueText } from '../../core/lib/json.js';
import { toOneLine, toPlainText } from '../../core/lib/plain-text.js';
import { type ReplayDifference, replayChain, type ToolSubstitute } from '../../core/record/replay.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { type Colors, getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';
import { loadStandIns } from './replay-tools.js';
import { viewDifferences } from './replay-view.js';

export interface ReplayFlags extends ViewFlags {
  /** `get_weather=./fake.ts` each. */
  readonly withTool: readonly string[];
  readonly fromStep?: string;
  readonly json?: boolean;
}

interface ReplayResult {
  readonly chainId: string;
  /** Whether nothing differs, to its end or as far as it had come. */
  readonly same: boolean;
  readonly fromStep: number;
  /** Workflow tasks that were taken again, of so many. */
  readonly turns: number;
  readonly of: number;
  /** Calls that a tool of `--with-tool` answered. */
  readonly stoodIn: number;
  /** Tools of `--with-tool` that had no call to answer, though the chain went on to its end. */
  readonly unused: readonly string[];
  readonly differences: readonly ReplayDifference[];
}

export async function printReplay(terminal: Terminal, named: string, flags: ReplayFlags): Promise<number> {
  const fromStep = flags.fromStep === undefined ? 1 : parseWholeNumber('--from-step', flags.fromStep);
  const seen = createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(named, connect);
    await recordView({ role: seen.role, command: 'chain replay', named }, [toViewedChain(recorded)]);
    const { agent, steps, origin } = recorded.chain.state;
    if (fromStep > Math.max(1, steps))
      throw new UsageError(`The chain has no step ${fromStep}: ${formatStepRange(steps)}.`);
    const { standIns, idle } = trackUse(await loadStandIns(flags.withTool, agent));
    const ran = await replayChain(recorded.runs, { fromStep, substitutes: standIns });
    const { turns, turnCount, substitutedCalls, differences } = ran;
    const replayed: ReplayResult = {
      chainId: recorded.chainId,
      same: differences.length === 0,
      ...{
        fromStep,
        turns: turns.length,
        of: turnCount,
        stoodIn: substitutedCalls,
        unused: turns.length === turnCount ? idle() : [],
      },
      differences: viewDifferences(recorded, ran, seen),
    };
    terminal.write(flags.json ? formatJson(replayed) : formatReplayResult(replayed, origin !== null, terminal));
    return replayed.same && replayed.unused.length === 0 ? 0 : 1;
  });
}

/** The same, and which of them have not been asked. */
function trackUse(given: ReadonlyMap<string, ToolSubstitute>): {
  readonly standIns: ReadonlyMap<string, ToolSubstitute>;
  readonly idle: () => readonly string[];
} {
  const asked = new Set<string>();
  const asking = ([name, standIn]: readonly [string, ToolSubstitute]) => {
    const ask: ToolSubstitute = (...call) => {
      asked.add(name);
      return standIn(...call);
    };
    return [name, ask] as const;
  };
  return {
    standIns: new Map([...given].map(asking)),
    idle: () => [...given.keys()].filter((name) => !asked.has(name)),
  };
}

function formatStepRange(steps: number): string {
  return steps === 0 ? 'it has none yet' : `it has steps 1 to ${steps}`;
}

/** @param fork its first steps were never its own to run */
function formatReplayResult(replayed: ReplayResult, fork: boolean, terminal: Terminal): string {
  const { chainId, same, fromStep, turns, of, stoodIn, unused, differences } = replayed;
  const c = getColors(terminal);
  const from = fromStep === 1 ? '' : ` from step ${fromStep} on`;
  const others =
    stoodIn === 0 ? '' : `; ${formatCount(stoodIn)} ${stoodIn === 1 ? 'call was' : 'calls were'} made anew`;
  const nothing = unused.map((name) => {
    return `${c.red('✗')} --with-tool ${toOneLine(name)} stood in for nothing: no call of it is recorded${fork ? ' in the steps that are its own' : ''}${from}`;
  });
  if (same) {
    const line = `${c.green('✓')} ${toOneLine(chainId)} goes the same way${from}: ${formatCount(turns)} turns${others}`;
    return `${[line, ...nothing].join('\n')}\n`;
  }
  const end = turns < of ? `; ${formatCount(of - turns)} of ${formatCount(of)} turns were not reached` : '';
  const head = `${c.red('✗')} ${toOneLine(chainId)} goes another way${from}${others}${end}`;
  return `${[head, ...nothing, ...differences.flatMap((each) => ['', ...formatDifferenceLines(each, terminal.width, c)])].join('\n')}\n`;
}

function formatDifferenceLines(difference: ReplayDifference, width: number, c: Colors): readonly string[] {
  const { eventId, recorded, now } = difference;
  const head = wrapText(`${formatHeading(difference)} (event ${eventId})`, width).map((line) => c.bold(line));
  return [...head, ...formatSide('recorded', recorded, c.dim), ...formatSide('now', now, (line) => line)];
}

function formatHeading({ kind, step, call, tool, recorded, now }: ReplayDifference): string {
  switch (kind) {
    case 'reading':
      return `Step ${step}: the reply to ${call} is read otherwise`;
    case 'result':
      return `Step ${step}: call ${call} (${tool}) gives something else`;
    case 'request':
      return `Step ${step}: ${call} would ask the model something else, and no answer to that is recorded`;
    case 'decision':
      return `Step ${step}: the chain would ${describeActions(now)}, where it did ${describeActions(recorded)}`;
    case 'outcome':
      return `Step ${step}: it comes to something else`;
  }
}

function describeActions(asked: Json): string {
  const ids = Array.isArray(asked) ? asked.map(toValueText) : [];
  if (ids.length === 0) return 'wait';
  return ids.map((id) => (id === 'end' ? 'end' : id === 'prepare' ? 'prepare its agent' : `call ${id}`)).join(' and ');
}

function formatSide(name: string, value: Json, paint: (line: string) => string): readonly string[] {
  if (value === null) return [paint(`  ${name}: not shown to this role, or not there`)];
  const lines = formatValueLines(value);
  if (lines.length === 1) return [paint(`  ${name}: ${lines[0]}`)];
  return [paint(`  ${name}:`), ...lines.map((line) => paint(`    ${line}`))];
}

/** Text as it is, messages as who said what, all else as JSON. */
function formatValueLines(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(formatValueLines);
  if (isObject(value) && typeof value.role === 'string' && typeof value.text === 'string') {
    return [`${toOneLine(value.role)}:`, ...formatValueLines(value.text).map((line) => `  ${line}`)];
  }
  return toPlainText(typeof value === 'string' ? value : toCanonicalJson(value)).split('\n');
}

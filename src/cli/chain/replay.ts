/** `longhand chain replay`: replays a recorded chain with the current code, without model, tools or server. */

import {
  formatCount,
  isObject,
  type Json,
  toCanonicalJson,
  toOneLine,
  toPlainText,
  toValueText,
} from '../../core/lib/index.js';
import { type ReplayDifference, replayChain, type ToolSubstitute } from '../../core/record/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { type Colors, getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';
import { loadSubstitutes } from './replay-tools.js';
import { viewDifferences } from './replay-view.js';

export interface ReplayFlags extends ViewFlags {
  /** Each in the form `get_weather=./fake.ts`. */
  readonly withTool: readonly string[];
  readonly fromStep?: string;
}

interface ReplayResult {
  readonly chainId: string;
  /** Whether nothing differs in the recorded turns. */
  readonly same: boolean;
  readonly fromStep: number;
  /** Number of replayed turns, and of all recorded ones. */
  readonly turns: number;
  readonly of: number;
  /** Number of calls executed by tools of `--with-tool`. */
  readonly substitutedCalls: number;
  /** Tools of `--with-tool` without a call, although all turns were replayed. */
  readonly unused: readonly string[];
  readonly differences: readonly ReplayDifference[];
}

export async function printReplay(terminal: Terminal, reference: string, flags: ReplayFlags): Promise<number> {
  const fromStep = flags.fromStep === undefined ? 1 : parseWholeNumber('--from-step', flags.fromStep);
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    await recordView({ role: chainViewer.role, command: 'chain replay', named: reference }, [toViewedChain(recorded)]);
    const { agent, steps, origin } = recorded.chain.state;
    if (fromStep > Math.max(1, steps))
      throw new UsageError(`The chain has no step ${fromStep}: ${formatStepRange(steps)}.`);
    const { substitutes, listUnused } = trackUse(await loadSubstitutes(flags.withTool, agent));
    const replay = await replayChain(recorded.runs, { fromStep, substitutes });
    const { turns, turnCount, substitutedCalls, differences } = replay;
    const replayed: ReplayResult = {
      chainId: recorded.chainId,
      same: differences.length === 0,
      ...{
        fromStep,
        turns: turns.length,
        of: turnCount,
        substitutedCalls,
        unused: turns.length === turnCount ? listUnused() : [],
      },
      differences: viewDifferences(recorded, replay, chainViewer),
    };
    const kept = agent?.strategy.name === 'custom' ? '; the readings of its own strategy are the recorded ones' : '';
    terminal.write(flags.json ? formatJson(replayed) : formatReplayResult(replayed, origin !== null, kept, terminal));
    return replayed.same && replayed.unused.length === 0 ? 0 : 1;
  });
}

/** Wraps the substitutes to record which of them are called. */
function trackUse(tools: ReadonlyMap<string, ToolSubstitute>): {
  readonly substitutes: ReadonlyMap<string, ToolSubstitute>;
  readonly listUnused: () => readonly string[];
} {
  const used = new Set<string>();
  const track = ([name, substitute]: readonly [string, ToolSubstitute]) => {
    const tracked: ToolSubstitute = (...call) => {
      used.add(name);
      return substitute(...call);
    };
    return [name, tracked] as const;
  };
  return {
    substitutes: new Map([...tools].map(track)),
    listUnused: () => [...tools.keys()].filter((name) => !used.has(name)),
  };
}

function formatStepRange(steps: number): string {
  return steps === 0 ? 'it has none yet' : `it has steps 1 to ${steps}`;
}

/** @param isFork its first steps belong to its origin and are not replayed; @param kept what was not parsed again */
function formatReplayResult(replayed: ReplayResult, isFork: boolean, kept: string, terminal: Terminal): string {
  const { chainId, same, fromStep, turns, of, substitutedCalls, unused, differences } = replayed;
  const c = getColors(terminal);
  const from = fromStep === 1 ? '' : ` from step ${fromStep}`;
  const others =
    substitutedCalls === 0
      ? ''
      : `; ${formatCount(substitutedCalls)} ${substitutedCalls === 1 ? 'call was' : 'calls were'} executed again`;
  const unusedLines = unused.map((name) => {
    return `${c.red('✗')} --with-tool ${toOneLine(name)} was not used: no call of it is recorded${isFork ? " in the fork's own steps" : ''}${from}`;
  });
  if (same) {
    const line = `${c.green('✓')} ${toOneLine(chainId)} replays without a difference${from}: ${formatCount(turns)} turns${others}${kept}`;
    return `${[line, ...unusedLines].join('\n')}\n`;
  }
  const end = turns < of ? `; ${formatCount(of - turns)} of ${formatCount(of)} turns were not reached` : '';
  const head = `${c.red('✗')} ${toOneLine(chainId)} replays differently${from}${others}${end}`;
  return `${[head, ...unusedLines, ...differences.flatMap((difference) => ['', ...formatDifferenceLines(difference, terminal.width, c)])].join('\n')}\n`;
}

function formatDifferenceLines(difference: ReplayDifference, width: number, c: Colors): readonly string[] {
  const { eventId, recorded, now } = difference;
  const head = wrapText(`${formatHeading(difference)} (event ${eventId})`, width).map((line) => c.bold(line));
  return [...head, ...formatSide('recorded', recorded, c.dim), ...formatSide('now', now, (line) => line)];
}

function formatHeading({ kind, step, call, tool, recorded, now }: ReplayDifference): string {
  switch (kind) {
    case 'reading':
      return `Step ${step}: the reply to ${call} is parsed differently`;
    case 'result':
      return `Step ${step}: call ${call} (${tool}) has a different result`;
    case 'request':
      return `Step ${step}: ${call} is a different request to the model, and no reply to it is recorded`;
    case 'decision':
      return `Step ${step}: the next action is ${describeActions(now)}; recorded is ${describeActions(recorded)}`;
    case 'outcome':
      return `Step ${step}: the outcome differs`;
  }
}

function describeActions(actions: Json): string {
  const ids = Array.isArray(actions) ? actions.map(toValueText) : [];
  if (ids.length === 0) return 'wait';
  return ids.map((id) => (id === 'end' ? 'end' : id === 'prepare' ? 'prepare' : `call ${id}`)).join(' and ');
}

function formatSide(name: string, value: Json, paint: (line: string) => string): readonly string[] {
  if (value === null) return [paint(`  ${name}: not visible to this role, or absent`)];
  const lines = formatValueLines(value);
  if (lines.length === 1) return [paint(`  ${name}: ${lines[0]}`)];
  return [paint(`  ${name}:`), ...lines.map((line) => paint(`    ${line}`))];
}

/** Formats text as it is, messages with their role, other values as JSON. */
function formatValueLines(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(formatValueLines);
  if (isObject(value) && typeof value.role === 'string' && typeof value.text === 'string') {
    return [`${toOneLine(value.role)}:`, ...formatValueLines(value.text).map((line) => `  ${line}`)];
  }
  return toPlainText(typeof value === 'string' ? value : toCanonicalJson(value)).split('\n');
}

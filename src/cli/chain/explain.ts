/** `longhand chain explain`: explains what a chain does next, or why it ended. */

import { findUnpolledQueue, truncateAtStep } from '../../client/index.js';
import { formatUnpolledQueue } from '../../connection/index.js';
import {
  formatCount,
  formatExactDuration,
  formatExactUsd,
  formatLongDuration,
  formatUsd,
  toOneLine,
} from '../../core/lib/index.js';
import { type Flight, formatStop, type LimitUsage, limitTable, type StopReason } from '../../core/model/index.js';
import { type RecordedChain, toRecordedResult } from '../../core/record/index.js';
import {
  type Explanation,
  explain,
  listNewestReasons,
  type StepReason,
  type StepView,
  splitFindings,
  toReasoning,
  whySources,
} from '../../core/view/index.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain, isFile } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { parseWholeNumber } from '../flags/values.js';
import { drawBar } from '../print/bar.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';

export interface ExplainFlags extends ViewFlags {
  readonly step?: string;
}

export async function explainChain(terminal: Terminal, reference: string, flags: ExplainFlags): Promise<number> {
  const step = flags.step === undefined ? undefined : parseWholeNumber('--step', flags.step);
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recordedChain = await findRecordedChain(reference, connect, step);
    const recorded = step === undefined ? recordedChain : truncateAtStep(recordedChain, step);
    await recordView({ role: chainViewer.role, command: 'chain explain', named: reference }, [toViewedChain(recorded)]);
    const explained = buildExplanation(
      recorded,
      chainViewer,
      step === undefined ? Date.now() : recorded.chain.state.now,
    );
    const isRunning = recorded.closed === null && step === undefined && !isFile(reference);
    const queue = isRunning ? await findUnpolledQueue((await connect()).client, recorded.chainId) : null;
    const why = [...(queue === null ? [] : [formatUnpolledQueue(queue)]), ...explained.why];
    const complete = { ...explained, why };
    terminal.write(flags.json ? formatJson(complete) : formatExplanation(complete, terminal));
    return 0;
  });
}

/** An explanation, with the reasons of the newest step. */
interface ExplanationOfSteps extends Explanation {
  readonly reasons: readonly StepReason[];
  /** Lines of the answer's findings and criteria. Absent without any. */
  readonly findings?: readonly string[];
}

/** Builds the explanation from the view: reasons quote models and tools (L8). */
function buildExplanation(recorded: RecordedChain, chainViewer: ChainViewer, now: number): ExplanationOfSteps {
  const { state } = recorded.chain;
  const result = toRecordedResult(recorded);
  const wholeReason = result?.reason ?? (state.stop === null ? null : formatStop(state.stop));
  const whole = toReasoning(recorded);
  const viewed = chainViewer.viewReasoning({ ...whole, reason: wholeReason });
  const { reason: visible, steps } = viewed;
  const reason = visible ?? `The reason is not visible to the role ${chainViewer.role}.`;
  const seenReason: StopReason = { code: 'check', reason };
  const stop = state.stop === null ? null : { ...state.stop, reason: seenReason, additional: [] };
  const flight = maskFlight(state.flight, steps);
  const mask = (text: string | null) =>
    text === null ? null : chainViewer.viewReasoning({ ...whole, reason: text }).reason;
  const paused =
    state.paused === null ? null : { ...state.paused, by: mask(state.paused.by), reason: mask(state.paused.reason) };
  const failing =
    state.failing === null
      ? null
      : { ...state.failing, message: mask(state.failing.message) ?? `Not visible to the role ${chainViewer.role}.` };
  const explained = explain(
    { ...state, stop, flight, paused, failing },
    result === null ? null : { ...result, reason },
    now,
  );
  const answer = steps.findLast((step) => step.level === 'full' && step.kind === 'synthesis');
  const { lines: findings } = splitFindings(answer !== undefined && 'conclusion' in answer ? answer.conclusion : null);
  return { ...explained, reasons: listNewestReasons(viewed), ...(findings.length === 0 ? {} : { findings }) };
}

/** Hides the tools of calls that the viewer may not see; only their ids remain. */
function maskFlight(flight: Flight, steps: readonly StepView[]): Flight {
  if (flight.kind !== 'calls') return flight;
  const visibleTools = new Map(
    steps.flatMap((step) =>
      step.level !== 'hidden' && step.kind === 'tool_call' ? [[step.id, step.tool] as const] : [],
    ),
  );
  const calls = flight.calls.map((call) => ({ ...call, tool: visibleTools.get(call.id) ?? 'not shown' }));
  return { ...flight, calls };
}

function formatExplanation(
  { next, why, reasons, findings = [], limits }: ExplanationOfSteps,
  terminal: Terminal,
): string {
  const { width } = terminal;
  const c = getColors(terminal);
  const ofSteps = reasons.map(({ ids, text, by }) => `Why ${ids.join(', ')}${whySources[by]}: ${toOneLine(text)}`);
  const lines = [...why, ...ofSteps, ...findings.map(toOneLine)].flatMap((sentence) =>
    wrapText(sentence, width - 2).map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)),
  );
  const head = wrapText(next, width).map((line) => c.bold(line));
  if (limits.length === 0) return `${[...head, ...lines].join('\n')}\n`;
  const columns = [
    { head: 'limit' },
    { head: 'used', align: 'right' },
    { head: 'of', align: 'right' },
    { head: '' },
  ] as const;
  const rows = limits.map(({ name, used, limit }) => [
    { text: limitTable[name].label },
    { text: formatAmount(name, used, { usd: formatUsd, time: formatLongDuration }) },
    { text: formatAmount(name, limit, { usd: formatExactUsd, time: formatLimitTime }) },
    { text: formatBar(used / limit), paint: used >= limit ? c.red : used >= limit * 0.8 ? c.yellow : c.green },
  ]);
  return `${[...head, ...lines, ''].join('\n')}\n${formatTable(columns, rows, terminal)}`;
}

interface AmountFormat {
  readonly usd: (value: number) => string;
  readonly time: (ms: number) => string;
}

/** What is used is rounded as in every other command; a limit is not. */
function formatAmount(name: LimitUsage['name'], value: number, { usd, time }: AmountFormat): string {
  const { unit } = limitTable[name];
  if (unit === 'usd') return usd(value);
  if (unit === 'count') return formatCount(value);
  return value === 0 ? '0 s' : time(value);
}

/** Whole days and hours as in every other command; a part of one is not rounded away. */
function formatLimitTime(ms: number): string {
  const unitMs = ms >= 48 * hourMs ? 24 * hourMs : hourMs;
  return ms % unitMs === 0 ? formatLongDuration(ms) : formatExactDuration(ms);
}

const hourMs = 60 * 60_000;

const barColumns = 20;

function formatBar(share: number): string {
  const least = share > 0 ? 1 / barColumns : 0;
  return `${drawBar(Math.max(least, share), barColumns).join('')} ${share > 0 && share < 0.005 ? '<1' : Math.round(share * 100)} %`;
}

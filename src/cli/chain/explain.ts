/** `longhand chain explain`: what a chain does next and why, or why it ended. */

import { type RecordedChain, toReasoning, toRecordedResult } from '../../client/read/recorded-chain.js';
import { formatCount, formatDuration, formatExactDuration, formatExactUsd } from '../../core/lib/display.js';
import type { Flight } from '../../core/model/state.js';
import { formatStop, type StopReason } from '../../core/model/stop-reason.js';
import { type Explanation, explain, type LimitUsage } from '../../core/view/explain.js';
import type { StepView } from '../../core/view/reasoning-view.js';
import { findRecorded } from '../access/find.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, type Viewing, viewing } from '../access/viewed.js';
import { colorsFor } from '../terminal/colors.js';
import { table } from '../terminal/table.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { wrapped } from '../terminal/text.js';

export interface ExplainFlags extends ViewFlags {
  readonly json?: boolean;
}

export async function explainChain(terminal: Terminal, named: string, flags: ExplainFlags): Promise<number> {
  const seen = viewing(flags);
  return withServer(async (connect) => {
    const recorded = await findRecorded(named, connect);
    await noteView({ role: seen.role, command: 'chain explain', named }, [viewedOf(recorded)]);
    const explained = explanationOf(recorded, seen);
    terminal.write(flags.json ? jsonLine(explained) : text(explained, terminal));
    return 0;
  });
}

/** Reasons quote what models and tools said: they are told as the view tells them (L8). */
function explanationOf(recorded: RecordedChain, seen: Viewing): Explanation {
  const { state } = recorded.chain;
  const result = toRecordedResult(recorded);
  const given = result?.reason ?? (state.stop === null ? null : formatStop(state.stop));
  const whole = toReasoning(recorded);
  const { reason: told, steps } = seen.reasoning({ ...whole, reason: given });
  const reason = told ?? `Why is not shown to the role ${seen.role}.`;
  // A sentence of its own stands for what may not be read here.
  const seenReason: StopReason = { code: 'check', reason };
  const stop = state.stop === null ? null : { ...state.stop, reason: seenReason, besides: [] };
  const flight = flightSeen(state.flight, steps);
  const words = (said: string | null) => (said === null ? null : seen.reasoning({ ...whole, reason: said }).reason);
  const held =
    state.paused === null ? null : { ...state.paused, by: words(state.paused.by), reason: words(state.paused.reason) };
  return explain({ ...state, stop, flight, paused: held }, result === null ? null : { ...result, reason }, Date.now());
}

/** Of a call that is hidden its number alone is told. */
function flightSeen(flight: Flight, steps: readonly StepView[]): Flight {
  if (flight.kind !== 'calls') return flight;
  const seen = new Map(
    steps.flatMap((step) =>
      step.level !== 'hidden' && step.kind === 'tool_call' ? [[step.id, step.tool] as const] : [],
    ),
  );
  const calls = flight.calls.map((call) => ({ ...call, tool: seen.get(call.id) ?? 'not shown' }));
  return { kind: 'calls', calls };
}

const names: Readonly<Record<LimitUsage['name'], string>> = {
  steps: 'steps',
  tokens: 'tokens',
  costUsd: 'cost',
  timeMs: 'time',
  stallThreshold: 'steps without news',
  chains: 'sub-chains',
};

function text({ next, why, limits }: Explanation, { width, ...terminal }: Terminal): string {
  const c = colorsFor(terminal);
  const lines = why.flatMap((sentence) =>
    wrapped(sentence, width - 2).map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)),
  );
  const head = wrapped(next, width).map((line) => c.bold(line));
  if (limits.length === 0) return `${[...head, ...lines].join('\n')}\n`;
  const columns = [
    { head: 'limit' },
    { head: 'used', align: 'right' },
    { head: 'of', align: 'right' },
    { head: '' },
  ] as const;
  const rows = limits.map(({ name, used, limit }) => [
    { text: names[name] },
    { text: amountOf(name, used, formatDuration) },
    { text: amountOf(name, limit, formatExactDuration) },
    { text: bar(used / limit), paint: used >= limit ? c.red : used >= limit * 0.8 ? c.yellow : c.green },
  ]);
  return `${[...head, ...lines, ''].join('\n')}\n${table(columns, rows, { width, paintHead: c.dim })}`;
}

function amountOf(name: LimitUsage['name'], value: number, time: (ms: number) => string): string {
  if (name === 'costUsd') return formatExactUsd(value);
  return name === 'timeMs' ? time(value) : formatCount(value);
}

const cells = 20;

function bar(share: number): string {
  const full = Math.min(cells, Math.max(share > 0 ? 1 : 0, Math.round(share * cells)));
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${share > 0 && share < 0.005 ? '<1' : Math.round(share * 100)} %`;
}

/** The first lines on a chain: who works on what with which model, what it came to and why, and what it took. */

import { count, longDuration, usd } from '../../core/lib/display.js';
import { oneLine } from '../../core/lib/plain.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { sumOf } from '../../core/view/sub-chain.js';
import { belowText, chargedText } from '../../core/view/sub-chain-text.js';
import { clock } from '../flags/when.js';
import type { Colors } from '../terminal/colors.js';
import { columns, wrapped } from '../terminal/text.js';
import { waitsBelow, waitsFor } from './waits-for.js';

/** Lines of a task; a longer one is whole in `--json`. */
const mostTask = 6;

export function headLines(chain: ReasoningView, width: number, now: number, c: Colors): readonly string[] {
  return [...aboutLines(chain, width, c), ...outcomeLines(chain, width, c), c.dim(spentText(chain, now))];
}

export function aboutLines(chain: ReasoningView, width: number, c: Colors): readonly string[] {
  const agent = oneLine(chain.agent);
  const indent = ' '.repeat(columns(agent) + 2);
  // No more is measured than could be shown.
  const task = wrapped(chain.task.slice(0, mostTask * width), width - indent.length);
  const whole = task.length <= mostTask && chain.task.length <= mostTask * width;
  const [first = '', ...more] = whole ? task : [...task.slice(0, mostTask), '…'];
  const { model, chainId, tenant, user, startedAt, origin, path } = chain;
  const about = [
    ...(model === '' ? [] : [model]),
    chainId,
    ...(tenant === null ? [] : [`tenant ${tenant}`]),
    ...(user === null ? [] : [`user ${user}`]),
    ...(startedAt > 0 ? [clock(startedAt)] : []),
    ...(path === undefined ? [] : [`sub-chain of ${path.slice(0, -1).join(' → ')}`]),
    ...(origin === null ? [] : [`forked from ${origin.chainId} after step ${origin.steps}`]),
  ];
  return [
    `${c.bold(agent)}  ${first}`,
    ...more.map((line) => indent + line),
    ...wrapped(about.map(oneLine).join(' · '), width).map((line) => c.dim(line)),
  ];
}

export function outcomeLines(chain: ReasoningView, width: number, c: Colors): readonly string[] {
  const { state, outcome, reason } = chain;
  const waits = outcome === null ? (waitsFor(chain) ?? waitsBelow(chain)) : null;
  if (waits !== null) return wrapped(waits, width - 2).map((line, at) => c.yellow(`${at === 0 ? '⏸ ' : '  '}${line}`));
  if (outcome === null) return [c.cyan(`● ${runningWords[state]}`)];
  const good = state === 'completed';
  const label = `${good ? '✓' : '■'} ${outcome}`;
  const lines = reason === null ? [''] : wrapped(reason, width - label.length - 2);
  const paint = good ? c.green : c.red;
  const indent = ' '.repeat(label.length + 2);
  return lines.map((line, at) => (at === 0 ? `${paint(c.bold(label))}  ${line}`.trimEnd() : indent + line));
}

const runningWords: { readonly [state in ReasoningView['state']]: string } = {
  thinking: 'running: the model is thinking',
  tool_calling: 'running: its calls are under way',
  waiting: 'running: it waits',
  completed: 'completed',
  failed: 'failed',
};

export function spentText(chain: ReasoningView, now: number): string {
  const steps = new Set(chain.steps.filter(({ number }) => number > 0).map(({ number }) => number)).size;
  const parts = [
    `${count(steps)} ${steps === 1 ? 'step' : 'steps'}`,
    ...(chain.startedAt > 0 ? [longDuration(Math.max(0, (chain.endedAt ?? now) - chain.startedAt))] : []),
    `${count(chain.tokens)} tokens`,
    ...(chain.costUsd === null ? [] : [usd(chain.costUsd)]),
    ...belowParts(chain),
  ];
  return parts.join(' · ');
}

/** What its sub-chains took, and what that is together. */
function belowParts({ below, tokens, costUsd }: ReasoningView): readonly string[] {
  if (below === undefined || below.chains === 0) return [];
  const all = sumOf([{ chains: 1, tokens, costUsd }, below]);
  return [`${belowText(below.chains)} ${chargedText(below)}`, `in all ${chargedText(all)}`];
}

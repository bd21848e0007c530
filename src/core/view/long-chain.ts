/**
 * What readers of a long chain get: a warning, and an outline by rule. The outline is made of viewed steps, so that it shows
 * nothing hidden.
 */

import { formatCount, formatPlural, shorten } from '../lib/index.js';
import { defaults } from '../model/index.js';
import type { StepView } from './reasoning-view.js';
import { toSummaryLine } from './summary-text.js';

/** Parts of an outline. */
const maxOutlineLines = 10;
/** Tools that a line names. */
const maxOutlineTools = 3;
const maxSentenceLength = 110;

/** Returns null for a chain of usual length. @param steps number of its newest step */
export function formatLengthWarning(steps: number): string | null {
  return steps <= defaults.usualSteps
    ? null
    : `This chain is long: ${formatCount(steps)} steps, where ${defaults.usualSteps} are usually enough.`;
}

/** Returns a line for each tenth of a chain, from its first step; none for a chain that readers show whole. */
export function outlineSteps(steps: readonly StepView[]): readonly string[] {
  const last = steps.reduce((max, { number }) => Math.max(max, number), 0);
  if (last <= defaults.shownSteps) return [];
  const size = Math.ceil(last / maxOutlineLines);
  const parts = new Map<number, StepView[]>();
  for (const step of steps) {
    const part = Math.floor((step.number - 1) / size);
    const known = parts.get(part);
    if (step.number > 0 && known === undefined) parts.set(part, [step]);
    else if (step.number > 0) known?.push(step);
  }
  return [...parts].map(([part, items]) => {
    const range = `Steps ${formatCount(part * size + 1)} to ${formatCount(Math.min(last, (part + 1) * size))}`;
    return toSummaryLine(`${range}: ${[...listCounts(items), ...listConclusions(items)].join('. ')}`);
  });
}

/** `search 8, fetch 2, 1 failed` */
function listCounts(items: readonly StepView[]): readonly string[] {
  const times = new Map<string, number>();
  let failed = 0;
  for (const item of items) {
    if (item.level === 'hidden') continue;
    if (item.kind === 'tool_call' && item.tool !== null) times.set(item.tool, (times.get(item.tool) ?? 0) + 1);
    if (item.kind === 'tool_result' && item.status === 'error') failed += 1;
  }
  const tools = [...times].sort(([, a], [, b]) => b - a);
  const named = tools.slice(0, maxOutlineTools).map(([tool, count]) => `${tool} ${formatCount(count)}`);
  const facts = [
    ...(tools.length === 0 ? ['no visible calls'] : named),
    ...(tools.length > maxOutlineTools ? [formatPlural(tools.length - maxOutlineTools, 'more tool')] : []),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
  ];
  return [facts.join(', ')];
}

/** The first sentence of the last thought that the viewer reads, else the last reason. */
function listConclusions(items: readonly StepView[]): readonly string[] {
  const thoughts = items.flatMap((item) =>
    item.level === 'full' && item.kind === 'thinking' && item.thought !== null ? [item.thought] : [],
  );
  const reasons = items.flatMap((item) => (item.level === 'hidden' || item.why === undefined ? [] : [item.why.text]));
  const text = (thoughts.at(-1) ?? reasons.at(-1) ?? '').replace(/\s+/g, ' ').trim();
  const [sentence = ''] = /^.+?[.!?…](?=\s|$)|^.+$/u.exec(text) ?? [];
  return sentence === '' ? [] : [shorten(sentence, maxSentenceLength)];
}

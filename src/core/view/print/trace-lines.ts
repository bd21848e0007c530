/** A chain's trace as a tree of lines: the steps with what each took, from the view of its reader (L8). */

import { formatLongDuration, formatPlural } from '../../lib/index.js';
import type { ReasoningView } from '../reasoning-view.js';
import type { Trace } from '../trace.js';
import { createLine, createSignLabel, type Line, type LineTree } from './line.js';
import { formatStepLine, formatStepTrees } from './step-lines.js';

/** `Trace  2 steps · took 3.2 s` */
export function formatTraceHead({ steps, durationMs }: Pick<Trace, 'steps' | 'durationMs'>): Line {
  const remarks = [formatPlural(steps.length, 'step'), formatTook(durationMs)];
  return createLine(createSignLabel('trace', 'Trace', 'heading'), { remarks });
}

/** @param trace of the same chain: its texts are complete, so only its times are printed */
export function formatTraceTrees(
  { steps }: Pick<Trace, 'steps'>,
  view: Pick<ReasoningView, 'steps' | 'children'>,
): readonly LineTree[] {
  const took = new Map(steps.map(({ iteration, durationMs }) => [iteration, durationMs]));
  return [...new Set(view.steps.map(({ number }) => number))].map((number): LineTree => {
    const items = formatStepTrees(
      view,
      view.steps.filter((step) => step.number === number),
    );
    const durationMs = took.get(number);
    const line = formatStepLine(number, durationMs === undefined ? [] : [formatTook(durationMs)]);
    return { line, children: items.flatMap(({ children }) => children) };
  });
}

function formatTook(ms: number): string {
  return `took ${formatLongDuration(ms)}`;
}

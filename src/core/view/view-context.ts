/**
 * The outline of a model call's context as its viewer may see it (L8): tools, sizes of results and notes have the levels of the calls, the
 * results and the notice in the view of the chain.
 */

import type { ContextOutline, ResultOutline } from '../model/index.js';
import type { Reasoning } from './reasoning.js';
import type { StepView } from './reasoning-view.js';
import { view } from './view.js';
import type { Viewer, VisibilityConfig } from './visibility.js';

export function viewContext(
  reasoning: Reasoning,
  outline: ContextOutline,
  viewer: Viewer,
  config: VisibilityConfig = {},
): ContextOutline {
  const { steps } = view(reasoning, viewer, config);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const { summary } = outline;
  const notes = summary?.notes ?? null;
  return {
    ...outline,
    summary:
      summary === null || notes === null
        ? summary
        : { ...summary, notes: { ...notes, text: findNotesText(steps, notes.call) } },
    steps: outline.steps.map((step) => ({ ...step, results: step.results.map((each) => viewResult(each, byId)) })),
  };
}

function findNotesText(steps: readonly StepView[], call: string | null): string | null {
  const notice = steps.findLast(
    (step) => step.level === 'full' && step.kind === 'notice' && step.asked?.call === call && call !== null,
  );
  return notice?.level === 'full' && notice.kind === 'notice' ? notice.text : null;
}

function viewResult(result: ResultOutline, byId: ReadonlyMap<string, StepView>): ResultOutline {
  const call = byId.get(result.call);
  const tool = call === undefined || call.level === 'hidden' || !('tool' in call) ? null : call.tool;
  if (byId.get(`${result.call}r`)?.level === 'full') return { ...result, tool };
  return { call: result.call, tool, form: null, bytes: null, ofBytes: null };
}

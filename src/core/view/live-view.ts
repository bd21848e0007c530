/**
 * A chain looked at again and again while it goes on: each time what has changed is told, and only that is looked at.
 *
 * 1. A step is told as `view` shows it, by the same rules and with the same marks. What `view` knows and this cannot is
 *    what comes later: a text that repeats a sensitive value before any tool was given it has been told by then.
 * 2. Steps before the last one of the chain do not change, so a look costs the same however long the chain is.
 */

import { toCanonicalJson } from '../lib/json.js';
import type { ActivityAttempts } from '../model/activity.js';
import type { Chain } from '../model/chain.js';
import { createRedactor } from '../redact/redactor.js';
import { createValueMasker, type ValueMasker } from '../redact/value-masker.js';
import { buildReasoning, emptyReasoningContext } from './build-reasoning.js';
import { createChainMasker, listSensitiveTexts } from './chain-masker.js';
import { describeProgress } from './progress.js';
import type { Reasoning, ReasoningStep, ToolCallStep } from './reasoning.js';
import type { StepView } from './reasoning-view.js';
import { toSummaryLine } from './summary-text.js';
import { isProgress, sortByTime } from './view.js';
import { viewStep } from './view-step.js';
import { buildRedactionPolicy, type Viewer, type ViewScene, type VisibilityConfig } from './visibility.js';
import { canSeeAll } from './visibility-level.js';

/** What a look has shown. */
export interface LiveViewUpdate {
  /** The chain, with no steps but its last ones. */
  readonly reasoning: Reasoning;
  /** Those that are new or have changed, in the order in which they came. */
  readonly changedSteps: readonly StepView[];
  /** What was done so far, in a few lines; empty where the viewer wants none. */
  readonly progress: () => readonly string[];
}

export type LiveView = (chain: Chain, attempts: ReadonlyMap<string, ActivityAttempts>) => LiveViewUpdate;

export function createLiveView(viewer: Viewer, config: VisibilityConfig): LiveView {
  const done = new Map<string, ReasoningStep>();
  const calls = new Map<string, ToolCallStep>();
  let told: ReadonlyMap<string, string> = new Map();
  /** It remembers from look to look which marks were given, and what is hidden since a tool called it sensitive. */
  let kept: ValueMasker | null = null;
  let from = 0;
  return (chain, attempts) => {
    const reasoning = buildReasoning(chain, { ...emptyReasoningContext, attempts }, from);
    const scene: ViewScene = { viewer, config, chain: reasoning, path: '' };
    from = chain.state.steps;
    // Before the agent is known there are notices at most, and no tool's words in them.
    const masker = kept ?? createTreeMasker(reasoning, viewer, config);
    if (reasoning.tools !== null) kept = masker;
    for (const step of reasoning.steps) {
      if (isProgress(step, scene)) done.set(step.id, step);
      if (step.kind === 'tool_call') calls.set(step.id, step);
    }
    if (!canSeeAll(scene)) for (const secret of listSensitiveTexts(reasoning.steps, scene)) masker.remember(secret);
    const mask = createChainMasker(calls, scene, masker);
    const seen = sortByTime(reasoning.steps).map((step) => viewStep(step, calls, { scene, mask }));
    const now = new Map(seen.map((step) => [step.id, toComparisonKey(step)]));
    const changed = seen.filter(({ id }) => now.get(id) !== told.get(id));
    told = now;
    let lines: readonly string[] | null = null;
    const progress = () => {
      lines ??= describeProgress([...done.values()]).map((line) => toSummaryLine(mask.text(line)));
      return lines;
    };
    return { reasoning, changedSteps: changed, progress };
  };
}

/** Without its attempts: of those a reader learns sooner or later, and all are to find the same changes. */
function toComparisonKey(step: StepView): string {
  return toCanonicalJson({ ...step, attempts: null, redacted: 0 });
}

/** The task is what `view` reads first. */
function createTreeMasker(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig): ValueMasker {
  const masker = createValueMasker(createRedactor(buildRedactionPolicy(reasoning, config)));
  masker.text(reasoning.task);
  if (!canSeeAll({ viewer, chain: reasoning }))
    for (const secret of reasoning.ancestry?.sensitive ?? []) masker.remember(secret);
  return masker;
}

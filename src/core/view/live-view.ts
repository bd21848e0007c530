/**
 * The view of a running chain: each look returns the steps that changed since the last.
 *
 * 1. A step is masked as `view` masks it, with the same marks. Only later facts can differ: a text that repeats a value
 *    may be shown before a tool marks the value as sensitive.
 * 2. Steps before the chain's last one do not change, so the cost of a look does not grow with the chain.
 */

import { toCanonicalJson } from '../lib/index.js';
import {
  type ActivityAttempts,
  type Chain,
  type InterimResult,
  listEarlierSensitiveTexts,
  type Plan,
} from '../model/index.js';
import { createRedactor, createValueMasker, type ValueMasker } from '../redact/index.js';
import { buildReasoning, emptyReasoningContext } from './build-reasoning.js';
import { createChainMasker, listSensitiveTexts } from './chain-masker.js';
import { getPreferences } from './preferences.js';
import { describeProgress } from './progress.js';
import type { Reasoning, ReasoningStep, ToolCallStep } from './reasoning.js';
import { type PlanView, type StepView, toPlanView } from './reasoning-view.js';
import { toSummaryLine } from './summary-text.js';
import { isProgress, sortByTime } from './view.js';
import { viewInterim } from './view-interim.js';
import { addFailure, viewStep } from './view-step.js';
import { buildRedactionPolicy, type Viewer, type ViewScene, type VisibilityConfig } from './visibility.js';
import { canSeeAll, computeLevel } from './visibility-level.js';
import { indexThoughts } from './why.js';

/** The result of a look. */
export interface LiveViewUpdate {
  /** The chain with its last steps only. */
  readonly reasoning: Reasoning;
  /** New and changed steps, in order of time. */
  readonly changedSteps: readonly StepView[];
  /** Progress in a few lines; empty if the viewer switched it off. */
  readonly progress: () => readonly string[];
  /** Returns the plan so far as the viewer sees it; null without one. */
  readonly viewPlan: () => PlanView | null;
  /** Returns an interim result of a call as the viewer sees it. */
  readonly viewInterim: (call: string, interim: InterimResult | null) => LiveInterim;
}

export type LiveInterim =
  /** No step so far has the call. */
  | { readonly kind: 'unknown' }
  /** The call has ended, or the viewer may not see its result. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'visible'; readonly interim: InterimResult | null };

export type LiveView = (chain: Chain, attempts: ReadonlyMap<string, ActivityAttempts>) => LiveViewUpdate;

export function createLiveView(viewer: Viewer, config: VisibilityConfig): LiveView {
  const done = new Map<string, ReasoningStep>();
  const calls = new Map<string, ToolCallStep>();
  let shownKeys: ReadonlyMap<string, string> = new Map();
  /** Remembers marks and sensitive values across looks. */
  let lastMasker: ValueMasker | null = null;
  let from = 0;
  /** The last plan as it was shown. More sensitive values may change how it is shown. */
  let shownPlan: { readonly plan: Plan; readonly sensitive: number; readonly view: PlanView | null } | null = null;
  return (chain, attempts) => {
    const reasoning = buildReasoning(chain, { ...emptyReasoningContext, attempts }, from);
    const scene: ViewScene = { viewer, config, chain: reasoning, path: '' };
    from = chain.state.steps;
    // Before the agent is known, only notices exist, without texts of tools.
    const masker = lastMasker ?? createTreeMasker(reasoning, viewer, config);
    if (reasoning.tools !== null) lastMasker = masker;
    for (const step of reasoning.steps) {
      if (isProgress(step, scene)) done.set(step.id, step);
      if (step.kind === 'tool_call') calls.set(step.id, step);
    }
    if (!canSeeAll(scene)) for (const secret of listSensitiveTexts(reasoning.steps, scene)) masker.remember(secret);
    const mask = createChainMasker(calls, scene, masker);
    const thoughts = indexThoughts(reasoning.steps);
    const ordered = sortByTime(reasoning.steps);
    const views = ordered
      .map((step) => viewStep(step, { calls, thoughts }, { scene, mask }))
      .map((stepView, at) => addFailure(stepView, ordered[at] as ReasoningStep, { scene, mask }));
    const now = new Map(views.map((step) => [step.id, toComparisonKey(step)]));
    const changed = views.filter(({ id }) => now.get(id) !== shownKeys.get(id));
    shownKeys = now;
    let lines: readonly string[] | null = null;
    const progress = () => {
      const current = getPreferences(viewer).progressSummary ? reasoning.currentStep : null;
      lines ??= describeProgress([...done.values()], current).map((line) => toSummaryLine(mask.text(line)));
      return lines;
    };
    const viewCallInterim: LiveViewUpdate['viewInterim'] = (call, interim) => {
      const step = calls.get(call);
      if (step === undefined || reasoning.tools === null) return { kind: 'unknown' };
      if (step.status !== 'pending') return { kind: 'hidden' };
      if (interim === null) return { kind: 'visible', interim };
      const view = viewInterim(step, interim, { scene, masker: createOwnMasker() });
      return view === null ? { kind: 'hidden' } : { kind: 'visible', interim: view };
    };
    const createOwnMasker = () => {
      const own = createTreeMasker(reasoning, viewer, config);
      for (const secret of masker.remembered) own.remember(secret);
      return own;
    };
    const viewPlan = () => {
      const { plan } = reasoning;
      if (plan === undefined) return null;
      const sensitive = masker.remembered.size;
      if (shownPlan?.plan === plan && shownPlan.sensitive === sensitive) return shownPlan.view;
      // Its own masker: the marks of the steps do not depend on the plan.
      const ownMask = createChainMasker(calls, scene, createOwnMasker());
      const { level } = computeLevel({ id: 'plan', kind: 'thinking' }, scene);
      shownPlan = { plan, sensitive, view: toPlanView(plan, level, ownMask) };
      return shownPlan.view;
    };
    return { reasoning, changedSteps: changed, progress, viewPlan, viewInterim: viewCallInterim };
  };
}

/** Without attempts: readers learn of them at different times, but must find the same changes. */
function toComparisonKey(step: StepView): string {
  return toCanonicalJson({ ...step, attempts: null, redacted: 0 });
}

/** Masks the task first, as `view` does. */
function createTreeMasker(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig): ValueMasker {
  const masker = createValueMasker(createRedactor(buildRedactionPolicy(reasoning, config)));
  createChainMasker(new Map(), { viewer, config, chain: reasoning, path: '' }, masker).text(reasoning.task);
  if (!canSeeAll({ viewer, chain: reasoning }))
    for (const secret of [...(reasoning.ancestry?.sensitive ?? []), ...listEarlierSensitiveTexts(reasoning)])
      masker.remember(secret);
  return masker;
}

/**
 * Whether a view of a chain's newest steps is exact where the steps before were only counted (past-collector.ts). The part must
 * equal the end of the view of the whole chain (L8): where that is not certain, earlier runs are read.
 *
 * 1. A value that is sensitive may be in any text before, whose mark then has a lower number: with sensitive paths, with own
 *    rules of redaction and with values from other chains, the whole chain is read.
 * 2. A rule for single steps, and a text that names a call, may be about a step that was only counted.
 * 3. A result that is shown again and the results that an answer is based on must have been read.
 */

import { listNamedCauses } from '../engine/index.js';
import { type Chain, listEarlierSensitiveTexts } from '../model/index.js';
import { createRedactor } from '../redact/index.js';
import { listSensitivePaths, listSensitiveTexts, type ToolRef } from './chain-masker.js';
import type { Reasoning, ReasoningStep } from './reasoning.js';
import { needsEarlierResults } from './sources.js';
import { buildRedactionPolicy, type Viewer, type ViewScene, type VisibilityConfig } from './visibility.js';
import { canSeeAll, findTemplate } from './visibility-level.js';

/** What has to be read: nothing more, the run before, or the whole chain. */
export type ViewReach = 'enough' | 'runBefore' | 'wholeChain';

/** A chain whose first steps were restored from the past of a run. */
export interface RestoredChain {
  readonly chain: Chain;
  /** Steps before the run. */
  readonly before: number;
  /** Those of them that were only counted. */
  readonly isCounted: (step: number) => boolean;
}

/** The rules of a view, and its viewer. */
export interface ViewRules {
  readonly viewer: Viewer;
  readonly config: VisibilityConfig;
}

/** @param first the first step that is shown; after the last one, where only the head of the view is */
export function computeViewReach(
  restored: RestoredChain,
  reasoning: Reasoning,
  { viewer, config, first }: ViewRules & { readonly first: number },
): ViewReach {
  const scene: ViewScene = { viewer, config, chain: reasoning, path: '' };
  if (!canSeeAll(scene) && !canMask(restored, reasoning, scene)) return 'wholeChain';
  const { chain, before, isCounted } = restored;
  if (first <= before) return 'runBefore';
  const later = chain.steps.filter(({ number }) => number > before);
  const shown = later.filter(({ number }) => number >= first);
  const isAnswerOpen = shown.some(
    ({ answer, number }) =>
      answer !== null &&
      needsEarlierResults(
        answer,
        reasoning.task,
        later.filter((step) => step.number < number),
      ),
  );
  const repeats = shown.some(({ calls }) => calls.some(({ reusedFrom }) => isCounted(toStepNumber(reusedFrom ?? ''))));
  return isAnswerOpen || repeats ? 'runBefore' : 'enough';
}

/** Whether all marks have their numbers, and all texts their masks. */
function canMask({ before, isCounted }: RestoredChain, reasoning: Reasoning, scene: ViewScene): boolean {
  const { viewer, config } = scene;
  const { patterns, keys, paths, optionalKinds } = buildRedactionPolicy(reasoning, config);
  if ([patterns, keys, paths, optionalKinds].some((rules) => rules !== undefined && rules.length > 0)) return false;
  const inherited = [...(reasoning.ancestry?.sensitive ?? []), ...listEarlierSensitiveTexts(reasoning)];
  if (inherited.length > 0 || listSensitiveTexts(reasoning.steps, scene).length > 0) return false;
  const ids = [...Object.keys(config.steps ?? {}), ...(viewer.expanded === 'all' ? [] : viewer.expanded)];
  if (ids.some((id) => isCounted(toStepNumber(id)) || id.includes('/'))) return false;
  const counted = reasoning.steps.flatMap((step) =>
    step.kind === 'tool_call' && isCounted(step.number) ? [[step.tool, step] as const] : [],
  );
  const tools = [...new Map<string, ToolRef>(counted).values()];
  if (tools.some((tool) => isMaskedByRules(tool, scene))) return false;
  if (reasoning.steps.some((step) => step.number > before && isFailureMasked(step))) return false;
  const texts = [...(reasoning.reason === null ? [] : [reasoning.reason]), ...reasoning.steps.flatMap(listTexts)];
  return texts.every(
    (text) =>
      !tools.some(({ tool }) => text.includes(`${tool}(`)) &&
      !listNamedCauses(text).some((call) => isCounted(toStepNumber(call))),
  );
}

/** Failures of attempts are no facts, so the marks of earlier ones are unknown. */
function isFailureMasked(step: ReasoningStep): boolean {
  const failure = step.kind === 'tool_call' ? (step.attempts?.lastFailure ?? null) : null;
  if (failure === null) return false;
  const redactor = createRedactor();
  return [failure.type, failure.message, failure.stack ?? ''].some((text) => redactor.text(text) !== text);
}

/** A template joins values to a text, in which more may be found than in each of them. */
function isMaskedByRules(tool: ToolRef, scene: ViewScene): boolean {
  const templates = (['summary', 'request', 'response', 'why', 'block'] as const).map((member) =>
    findTemplate(member, tool, scene),
  );
  return listSensitivePaths(tool, scene).length > 0 || templates.some((template) => template !== undefined);
}

/** Returns the texts that may name calls. */
function listTexts(step: ReasoningStep): readonly string[] {
  if (step.kind === 'notice') return [step.text];
  if (step.kind !== 'approval') return [];
  return [step.reason, ...step.decisions.flatMap(({ reason }) => reason ?? [])];
}

function toStepNumber(id: string): number {
  return Number.parseInt(id, 10);
}

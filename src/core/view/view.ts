/**
 * The one function between a chain and whoever looks at it (L8): applies levels and redaction, for every outlet alike.
 *
 * W1 Every step keeps its place, its id and its number, whatever is shown of it.
 * W2 At `summary` nothing of a thought, of arguments or of results leaves, but what a tool's template takes from them and a
 *    question that waits for a person's answer; at `hidden` nothing but the place.
 * W3 Whatever text leaves has passed the mask, the summaries too.
 * W4 What a chain took (tokens, cost, time) is told to everybody.
 */

import { shorten } from '../lib/display.js';
import { findOwn, toValueText } from '../lib/json.js';
import { createRedactor } from '../redact/redactor.js';
import { createValueMasker, type ValueMasker } from '../redact/value-masker.js';
import { type ChainMasker, createChainMasker, listSensitiveTexts } from './chain-masker.js';
import { describeProgress, summarizeSteps } from './progress.js';
import type { Reasoning, ReasoningStep, SubChain, ToolCallStep } from './reasoning.js';
import { type ChildChain, type ChildView, type ReasoningView, type StepView, toPlanView } from './reasoning-view.js';
import { formatSubChain } from './sub-chain.js';
import { maxSummaryLength, toSummaryLine } from './summary-text.js';
import { viewStep } from './view-step.js';
import { buildRedactionPolicy, type Viewer, type ViewScene, type VisibilityConfig } from './visibility.js';
import {
  canSeeAll,
  computeCeiling,
  computeChildLevel,
  computeLevel,
  computePathCeiling,
  isForeignTenant,
} from './visibility-level.js';

/**
 * @throws {TypeError} when a pattern of the configuration is no regular expression
 * @example
 * view(reasoning, viewerOf('end_user'), { toolKinds: { database: { level: 'summary' } } });
 */
export function view(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig = {}): ReasoningView {
  const seat = createViewContext(reasoning, viewer, config);
  const masker = createValueMasker(createRedactor(buildRedactionPolicy(reasoning, config)));
  if (!canSeeAll(seat.scene)) {
    for (const secret of [...(reasoning.ancestry?.sensitive ?? []), ...listSensitiveTextsInTree(seat)])
      masker.remember(secret);
  }
  return viewChain(seat, masker);
}

/** A chain of the tree, and how it is looked at. */
interface ViewContext {
  readonly reasoning: Reasoning;
  readonly scene: ViewScene;
  /** Whether its task may be read: a sub-chain's is the argument of a call. */
  readonly isTaskVisible: boolean;
}

function createViewContext(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig): ViewContext {
  const scene: ViewScene = { viewer, config, chain: reasoning, path: '' };
  return { reasoning, scene, isTaskVisible: !isForeignTenant(scene) && computePathCeiling(scene).isTaskVisible };
}

/** @param masker that of the whole tree */
function viewChain(seat: ViewContext, masker: ValueMasker): ReasoningView {
  const { reasoning, scene, isTaskVisible } = seat;
  const {
    task,
    steps: taken,
    answer,
    partial,
    reason,
    tools: _,
    children: __,
    ancestry: ___,
    plan,
    ...rest
  } = reasoning;
  const calls = new Map(taken.flatMap((step) => (step.kind === 'tool_call' ? [[step.id, step]] : [])));
  const mask = createChainMasker(calls, scene, masker);
  const left = computePathCeiling(scene).level;
  const answers = computeCeiling({ id: '', kind: 'synthesis' }, scene).level === 'full';
  const reasons = computeCeiling({ id: '', kind: 'notice' }, scene).level === 'full';
  const asked = isTaskVisible ? mask.text(task) : '';
  const seen = new Map<ReasoningStep, StepView>();
  const children: Record<string, readonly ChildView[]> = {};
  for (const step of sortByTime(taken)) {
    seen.set(step, viewStep(step, calls, { scene, mask }));
    const begun = step.kind === 'tool_call' ? viewChildren(step, seat, { masker, mask }) : [];
    if (step.kind === 'tool_call' && begun.length > 0) children[step.correlationId] = begun;
  }
  const steps = taken.map((step) => seen.get(step) as StepView);
  const seenPlan =
    plan === undefined ? null : toPlanView(plan, computeLevel({ id: 'plan', kind: 'thinking' }, scene).level, mask);
  return {
    ...rest,
    ...(left === 'full' ? {} : { pathLevel: left }),
    ...(left === 'hidden' ? { agent: '', model: '' } : {}),
    user: isForeignTenant(scene) ? null : rest.user,
    task: asked,
    answerLevel: answers ? 'full' : 'hidden',
    answer: answers ? mask.value(answer) : null,
    partial: answers && partial !== null && canQuotePartial(taken, steps) ? mask.text(partial) : null,
    reason: reasons && reason !== null ? mask.notice(reason) : null,
    summary: toSummaryLine(mask.text(summarizeSteps(steps, reasoning))),
    progress: describeProgress(taken.filter((step) => isProgress(step, scene))).map((line) =>
      toSummaryLine(mask.text(line)),
    ),
    redacted: steps.reduce((sum, step) => sum + (step.level === 'hidden' ? 0 : step.redacted), 0),
    steps,
    ...(seenPlan === null ? {} : { plan: seenPlan }),
    children,
  };
}

/** W2: where no last call summed up, the partial answer is the last thought and the last result, word for word. */
function canQuotePartial(taken: readonly ReasoningStep[], seen: readonly StepView[]): boolean {
  if (taken.some((step) => step.kind === 'notice' && step.notice === 'closing_call')) return true;
  return seen.every(({ kind, level }) => level === 'full' || (kind !== 'thinking' && kind !== 'tool_result'));
}

/** In the order in which things came, since a redactor numbers what it hides: then live readers find the same marks. */
export function sortByTime(steps: readonly ReasoningStep[]): readonly ReasoningStep[] {
  return [...steps].sort((a, b) => a.at - b.at);
}

/** What is switched off for being too much to read counts as progress; what is kept from the viewer does not. */
export function isProgress(step: ReasoningStep, scene: ViewScene): boolean {
  const { level, by } = computeLevel(step, scene);
  return scene.viewer.preferences.progressSummary && (level !== 'hidden' || by === 'preference');
}

interface Maskers {
  readonly masker: ValueMasker;
  readonly mask: ChainMasker;
}

function viewChildren(call: ToolCallStep, seat: ViewContext, { masker, mask }: Maskers): readonly ChildView[] {
  const begun = findOwn(seat.reasoning.children, call.correlationId) ?? [];
  const level = begun.length === 0 ? 'hidden' : computeChildLevel(call, seat.scene);
  if (level === 'hidden') return [];
  const tasked = computeLevel(call, seat.scene).level === 'full';
  const result = computeCeiling({ ...call, kind: 'tool_result', id: `${call.id}r` }, seat.scene);
  const answered = result.level === 'full' || result.by !== 'security';
  return begun.map((child): ChildView => {
    const below = findChildContext(seat, call.correlationId, child);
    if (below === null) return toCollapsedChild(child, tasked ? mask.text(child.task) : '');
    const chain = viewChain({ ...below, isTaskVisible: below.isTaskVisible && tasked }, masker);
    return level === 'full'
      ? { level, ...toChildFields(child), chain }
      : toChildSummary(child, answered ? chain : removeAnswer(chain));
  });
}

function toChildFields({
  chainId,
  agent,
  state,
  outcome,
  steps,
  own,
  whole,
}: SubChain): Omit<ChildChain, 'level' | 'chain'> {
  return { chainId, agent, state, outcome, steps, own, whole };
}

/** What it came to is the result of its call, and shown as that is. */
function toCollapsedChild(child: SubChain, task: string): ChildView {
  return {
    level: 'summary',
    ...toChildFields(child),
    task,
    answer: null,
    summary: toSummaryLine(formatSubChain(child)),
  };
}

/** What it answers is the result of its call, of which a security rule leaves no word. */
function removeAnswer(chain: ReasoningView): ReasoningView {
  return { ...chain, answer: null };
}

function toChildSummary(child: SubChain, { task, answer, summary }: ReasoningView): ChildView {
  const told = answer === null ? null : shorten(toValueText(answer), maxSummaryLength);
  return { level: 'summary', ...toChildFields(child), task, answer: told, summary };
}

/** Null where it was not opened. A sub-chain belongs to its parent's tenant unless it says another. */
function findChildContext(
  { reasoning, scene }: ViewContext,
  call: string,
  { chainId, chain: child }: SubChain,
): ViewContext | null {
  if (child === null) return null;
  const chain = { agent: child.agent, tenant: child.tenant ?? scene.chain.tenant, tools: child.tools };
  const path = `${scene.path}${toPlaceSegment(chainId, reasoning.chainId, call)}/`;
  const below: ViewScene = { ...scene, chain, path, place: scene.place ?? scene.chain.ancestry?.place ?? '' };
  return { reasoning: child, scene: below, isTaskVisible: !isForeignTenant(below) };
}

/** What its id adds to that of its parent: `3.1`, or `3.1.2` of several that one call began. */
function toPlaceSegment(chainId: string, parent: string, call: string): string {
  return chainId.startsWith(`${parent}/`) ? chainId.slice(parent.length + 1) : call;
}

function listSensitiveTextsInTree(seat: ViewContext): readonly string[] {
  const below = Object.entries(seat.reasoning.children).flatMap(([call, chains]) =>
    chains.flatMap((each) => {
      const child = findChildContext(seat, call, each);
      return child === null ? [] : listSensitiveTextsInTree(child);
    }),
  );
  return [...listSensitiveTexts(seat.reasoning.steps, seat.scene), ...below];
}

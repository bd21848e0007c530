/**
 * The view of a chain: applies levels and redaction, for every outlet alike (L8).
 *
 * W1 Every step keeps its place, its id and its number at every level.
 * W2 At `summary` a step shows no thought, arguments or results, except what its tool's templates take from them, a
 *    question that waits for an answer, and, where a rule of the role allows it, the first sentence of the thought as its
 *    reason. At `hidden` it shows its place only.
 * W3 All text of a view is masked, summaries included.
 * W4 Every viewer sees tokens, cost and time.
 */

import { findOwn, type JsonObject, shorten, toValueText } from '../lib/index.js';
import {
  type EarlierMessage,
  type EarlierMessages,
  listEarlierSensitiveTexts,
  maxSummaryLength,
} from '../model/index.js';
import { createRedactor, createValueMasker, type ValueMasker } from '../redact/index.js';
import type { CallWaitView } from './call-waits.js';
import { type ChainMasker, createChainMasker, listSensitiveTexts } from './chain-masker.js';
import { formatLengthWarning, outlineSteps } from './long-chain.js';
import { getPreferences } from './preferences.js';
import { describeProgress, summarizeSteps } from './progress.js';
import type { Reasoning, ReasoningStep, SubChain, ToolCallStep } from './reasoning.js';
import {
  type ChildChain,
  type ChildView,
  type EarlierView,
  type ReasoningView,
  type StepView,
  toPlanView,
} from './reasoning-view.js';
import { formatSubChain } from './sub-chain.js';
import { toSummaryLine } from './summary-text.js';
import { viewInterims } from './view-interim.js';
import { addFailure, maskFile, viewStep } from './view-step.js';
import { buildRedactionPolicy, type Viewer, type ViewScene, type VisibilityConfig } from './visibility.js';
import {
  canSeeAll,
  computeCeiling,
  computeChildLevel,
  computeLevel,
  computePathCeiling,
  hasUnknownSensitivePaths,
  isOtherTenant,
} from './visibility-level.js';
import { indexThoughts } from './why.js';

/**
 * Returns the chain as its viewer may see it.
 * @throws when a pattern of the configuration is not a valid regular expression
 * @example
 * view(reasoning, createViewer('end_user'), { toolKinds: { database: { level: 'summary' } } });
 */
export function view(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig = {}): ReasoningView {
  return viewWithMask(reasoning, viewer, config).chain;
}

export interface MaskedView {
  readonly chain: ReasoningView;
  /** Masks a text of the chain that is not a step. Equal values have the marks that they have in the view. */
  readonly mask: ChainMasker;
  readonly scene: ViewScene;
  readonly isTaskVisible: boolean;
}

export function viewWithMask(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig): MaskedView {
  const context = createViewContext(reasoning, viewer, config);
  const masker = createValueMasker(createRedactor(buildRedactionPolicy(reasoning, config)));
  if (!canSeeAll(context.scene)) {
    const inherited = [...(reasoning.ancestry?.sensitive ?? []), ...listEarlierSensitiveTexts(reasoning)];
    for (const secret of [...inherited, ...listSensitiveTextsInTree(context)]) masker.remember(secret);
  }
  const { scene, isTaskVisible } = context;
  const chain = viewChain(context, masker);
  return { chain, mask: createChainMasker(new Map(), scene, masker), scene, isTaskVisible };
}

/** A chain of the tree, with the scene of its view. */
interface ViewContext {
  readonly reasoning: Reasoning;
  readonly scene: ViewScene;
  /** Whether its task is visible: a sub-chain's task is an argument of its call. */
  readonly isTaskVisible: boolean;
}

function createViewContext(reasoning: Reasoning, viewer: Viewer, config: VisibilityConfig): ViewContext {
  const scene: ViewScene = { viewer, config, chain: reasoning, path: '' };
  return { reasoning, scene, isTaskVisible: !isOtherTenant(scene) && computePathCeiling(scene).isTaskVisible };
}

/** @param masker that of the whole tree */
function viewChain(context: ViewContext, masker: ValueMasker): ReasoningView {
  const { reasoning, scene, isTaskVisible } = context;
  const {
    agentTitle,
    agentPrompt,
    task,
    metadata,
    files,
    steps: allSteps,
    answer,
    partial,
    reason,
    tools: _,
    children: __,
    ancestry: ___,
    interims,
    earlier,
    plan,
    waits,
    ...rest
  } = reasoning;
  const calls = new Map(allSteps.flatMap((step) => (step.kind === 'tool_call' ? [[step.id, step]] : [])));
  const thoughts = indexThoughts(allSteps);
  const mask = createChainMasker(calls, scene, masker);
  const pathLevel = computePathCeiling(scene).level;
  const isAnswerVisible = computeCeiling({ id: '', kind: 'synthesis' }, scene).level === 'full';
  const isReasonVisible = computeCeiling({ id: '', kind: 'notice' }, scene).level === 'full';
  const visibleTask = isTaskVisible ? mask.text(task) : '';
  const views = new Map<ReasoningStep, StepView>();
  const children: Record<string, readonly ChildView[]> = {};
  for (const step of sortByTime(allSteps)) {
    views.set(step, viewStep(step, { calls, thoughts }, { scene, mask }));
    const started = step.kind === 'tool_call' ? viewChildren(step, context, { masker, mask }) : [];
    if (step.kind === 'tool_call' && started.length > 0) children[step.correlationId] = started;
  }
  for (const [step, stepView] of views) views.set(step, addFailure(stepView, step, { scene, mask }));
  const steps = allSteps.map((step) => views.get(step) as StepView);
  const visiblePlan =
    plan === undefined ? null : toPlanView(plan, computeLevel({ id: 'plan', kind: 'thinking' }, scene).level, mask);
  return {
    ...rest,
    ...(pathLevel === 'full' ? {} : { pathLevel }),
    ...(pathLevel === 'hidden' ? { agent: '', agentVersion: null, model: '' } : {}),
    ...(agentTitle === undefined || pathLevel === 'hidden' ? {} : { agentTitle }),
    ...(agentPrompt === undefined || pathLevel === 'hidden' ? {} : { agentPrompt }),
    ...(isOtherTenant(scene) ? { user: null, roles: [] } : {}),
    task: visibleTask,
    ...(metadata === undefined || !isTaskVisible ? {} : { metadata: mask.value(metadata) as JsonObject }),
    ...(files === undefined || !isTaskVisible ? {} : { files: files.map((file) => maskFile(file, mask)) }),
    answerLevel: isAnswerVisible ? 'full' : 'hidden',
    answer: isAnswerVisible ? mask.value(answer) : null,
    partial: isAnswerVisible && partial !== null && canQuotePartial(allSteps, steps) ? mask.text(partial) : null,
    reason: isReasonVisible && reason !== null ? mask.notice(reason) : null,
    summary: toSummaryLine(mask.text(summarizeSteps(steps, reasoning))),
    ...viewLength(steps),
    progress: describeProgress(
      allSteps.filter((step) => isProgress(step, scene)),
      getPreferences(scene.viewer).progressSummary ? reasoning.currentStep : null,
    ).map((line) => toSummaryLine(mask.text(line))),
    redacted: steps.reduce((sum, step) => sum + (step.level === 'hidden' ? 0 : step.redacted), 0),
    steps,
    ...(waits === undefined ? {} : { waits: viewWaits(waits, calls, { scene, mask }) }),
    ...(visiblePlan === null ? {} : { plan: visiblePlan }),
    children,
    // Masked last, so that the marks of the recorded steps do not depend on them.
    ...(earlier === undefined ? {} : { earlier: viewEarlier(earlier, { ...context, isAnswerVisible }, mask) }),
    ...(interims === undefined ? {} : { interims: viewInterims(calls, interims, { scene, masker }) }),
  };
}

function viewLength(steps: readonly StepView[]): Pick<ReasoningView, 'warning' | 'outline'> {
  const warning = formatLengthWarning(steps.reduce((max, { number }) => Math.max(max, number), 0));
  const outline = outlineSteps(steps);
  return { ...(warning === null ? {} : { warning }), ...(outline.length === 0 ? {} : { outline }) };
}

/** A wait has the level of its call. Its time is no content (W4). */
function viewWaits(
  waits: readonly CallWaitView[],
  calls: ReadonlyMap<string, ToolCallStep>,
  { scene, mask }: { readonly scene: ViewScene; readonly mask: ChainMasker },
): readonly CallWaitView[] {
  return waits.flatMap((wait) => {
    const call = calls.get(wait.call);
    const level = call === undefined ? 'hidden' : computeLevel(call, scene).level;
    if (level === 'hidden') return [];
    return [{ ...wait, signal: level === 'full' && wait.signal !== null ? mask.text(wait.signal) : null }];
  });
}

/** An earlier message is visible like the task, or the answer, of this chain. */
function viewEarlier(
  { omitted, messages }: EarlierMessages,
  { scene, isTaskVisible, isAnswerVisible }: ViewContext & { readonly isAnswerVisible: boolean },
  mask: ChainMasker,
): EarlierView {
  const isHidden = hasUnknownSensitivePaths(scene);
  const isVisible = (role: EarlierMessage['role']) => !isHidden && (role === 'user' ? isTaskVisible : isAnswerVisible);
  return {
    omitted,
    messages: messages.map(({ role, text }) => ({ role, text: isVisible(role) ? mask.text(text) : null })),
  };
}

/** W2: without a closing call, the partial answer quotes the last thought and the last result. */
function canQuotePartial(taken: readonly ReasoningStep[], stepViews: readonly StepView[]): boolean {
  if (taken.some((step) => step.kind === 'notice' && step.notice === 'closing_call')) return true;
  return stepViews.every(({ kind, level }) => level === 'full' || (kind !== 'thinking' && kind !== 'tool_result'));
}

/** Sorts by time: the redactor numbers its marks, so live readers get the same marks. */
export function sortByTime(steps: readonly ReasoningStep[]): readonly ReasoningStep[] {
  return [...steps].sort((a, b) => a.at - b.at);
}

/** Steps hidden by preference count as progress; steps hidden by a rule do not. */
export function isProgress(step: ReasoningStep, scene: ViewScene): boolean {
  const { level, by } = computeLevel(step, scene);
  return getPreferences(scene.viewer).progressSummary && (level !== 'hidden' || by === 'preference');
}

interface Maskers {
  readonly masker: ValueMasker;
  readonly mask: ChainMasker;
}

function viewChildren(call: ToolCallStep, context: ViewContext, { masker, mask }: Maskers): readonly ChildView[] {
  const chains = findOwn(context.reasoning.children, call.correlationId) ?? [];
  const level = chains.length === 0 ? 'hidden' : computeChildLevel(call, context.scene);
  if (level === 'hidden') return [];
  const tasked = computeLevel(call, context.scene).level === 'full';
  const result = computeCeiling({ ...call, kind: 'tool_result', id: `${call.id}r` }, context.scene);
  const answered = result.level === 'full' || result.by !== 'security';
  return chains.map((child): ChildView => {
    const below = findChildContext(context, call.correlationId, child);
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
  total,
}: SubChain): Omit<ChildChain, 'level' | 'chain'> {
  return { chainId, agent, state, outcome, steps, own, total };
}

/** Its answer is omitted: it is the result of its call. */
function toCollapsedChild(child: SubChain, task: string): ChildView {
  return {
    level: 'summary',
    ...toChildFields(child),
    task,
    answer: null,
    summary: toSummaryLine(formatSubChain(child)),
  };
}

/** Its answer is the result of its call, which a security rule hides. */
function removeAnswer(chain: ReasoningView): ReasoningView {
  return { ...chain, answer: null };
}

function toChildSummary(child: SubChain, { task, answer, summary }: ReasoningView): ChildView {
  const shortAnswer = answer === null ? null : shorten(toValueText(answer), maxSummaryLength);
  return { level: 'summary', ...toChildFields(child), task, answer: shortAnswer, summary };
}

/** Returns null for a sub-chain that was not opened. A sub-chain without a tenant has its parent's. */
function findChildContext(
  { reasoning, scene }: ViewContext,
  call: string,
  { chainId, chain: child }: SubChain,
): ViewContext | null {
  if (child === null) return null;
  const chain = { agent: child.agent, tenant: child.tenant ?? scene.chain.tenant, tools: child.tools };
  const path = `${scene.path}${toPlaceSegment(chainId, reasoning.chainId, call)}/`;
  const below: ViewScene = { ...scene, chain, path, place: scene.place ?? scene.chain.ancestry?.place ?? '' };
  return { reasoning: child, scene: below, isTaskVisible: !isOtherTenant(below) };
}

/** Returns the part of its id after its parent's: `3.1`, or `3.1.2` if one call started several. */
function toPlaceSegment(chainId: string, parent: string, call: string): string {
  return chainId.startsWith(`${parent}/`) ? chainId.slice(parent.length + 1) : call;
}

function listSensitiveTextsInTree(context: ViewContext): readonly string[] {
  const below = Object.entries(context.reasoning.children).flatMap(([call, chains]) =>
    chains.flatMap((chain) => {
      const child = findChildContext(context, call, chain);
      return child === null ? [] : listSensitiveTextsInTree(child);
    }),
  );
  return [...listSensitiveTexts(context.reasoning.steps, context.scene), ...below];
}

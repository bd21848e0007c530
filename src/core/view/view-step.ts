/** One step at its level: in full, as a line, or as a place. Implements W1 to W3 of `view.ts`. */

import { findOwn, isObject, type Json, omitUndefined } from '../lib/index.js';
import { getKindDefaults, hasResult, isPlanNotice, type StoredFile } from '../model/index.js';
import { countMarksWithin } from '../redact/index.js';
import { formatCallByView, formatResultByView } from './call-text.js';
import { type ChainMasker, createCountingMasker } from './chain-masker.js';
import { findCombinedResults, formatCombinedResults } from './combined-results.js';
import { formatUncertainty } from './confidence.js';
import { isCallRule } from './content-block.js';
import type {
  ApprovalStep,
  ModelCallStats,
  NoticeStep,
  ReasoningStep,
  SynthesisStep,
  ThinkingStep,
  ToolCallStep,
  ToolResultStep,
} from './reasoning.js';
import type { FullStep, StepView } from './reasoning-view.js';
import { describeStep, listTemplateTexts, type TemplateValues, toSummaryLine } from './summary-text.js';
import { canReadReply, createToToolRef, maskReplyBlock } from './view-reply.js';
import type { StepRef, ViewScene } from './visibility.js';
import {
  canReadInternals,
  canSeeAll,
  computeLevel,
  findTemplate,
  findToolView,
  hasUnknownSensitivePaths,
} from './visibility-level.js';
import { findWhy, type StepSurroundings } from './why.js';

export interface StepViewContext {
  readonly scene: ViewScene;
  readonly mask: ChainMasker;
}

export function viewStep(step: ReasoningStep, surroundings: StepSurroundings, context: StepViewContext): StepView {
  const { id, number, kind, at } = step;
  const { scene, mask } = context;
  const { level } = computeLevel(toStepRef(step), scene);
  if (level === 'hidden') return { level, id, number, kind };
  if (level === 'full') {
    const mask = createCountingMasker(context.mask);
    const body = maskStep(step, { scene, mask });
    const redacted = mask.marks();
    return { ...body, level, ...describeShown(body, scene), ...viewRelations(step, surroundings, context), redacted };
  }
  const ofTool = step.kind === 'tool_call' || step.kind === 'approval' || step.kind === 'tool_result' ? step : null;
  const line = describeByContext(step, surroundings, context);
  const summary = toSummaryLine(mask.text(line ?? describeStep(step, null, [])));
  return {
    level,
    id,
    number,
    kind,
    at,
    status: ofTool?.status ?? null,
    tool: ofTool === null ? null : maskToolName(ofTool.tool, scene, mask),
    toolKind: ofTool?.toolKind ?? null,
    correlationId: ofTool?.correlationId ?? null,
    durationMs: step.kind === 'tool_result' ? step.durationMs : null,
    summary,
    ...viewRelations(step, surroundings, context),
    redacted: countMarksWithin(summary),
  };
}

/**
 * Returns the view of a call with the failure of its last attempt. Masked after all steps: readers learn of attempts at different
 * times, and those who begin at a later run know no earlier ones, but all must number the marks of the steps alike.
 */
export function addFailure(stepView: StepView, step: ReasoningStep, context: StepViewContext): StepView {
  if (stepView.level !== 'full' || stepView.kind !== 'tool_call' || step.kind !== 'tool_call') return stepView;
  if (step.attempts === null || step.attempts.lastFailure === null) return stepView;
  const mask = createCountingMasker(context.mask);
  const attempts = maskAttempts(step, { scene: context.scene, mask });
  return { ...stepView, attempts, redacted: stepView.redacted + mask.marks() };
}

/** From the masked values alone. */
function describeShown(step: ReturnType<typeof maskStep>, scene: ViewScene): Pick<FullStep, 'line' | 'block'> {
  if (step.kind !== 'tool_call' && step.kind !== 'tool_result') return {};
  if (step.kind === 'tool_result' && !hasResult(step.status)) return {};
  const isCall = step.kind === 'tool_call';
  const rule = findTemplate('block', step, scene);
  const view = {
    ...omitUndefined({
      request: findTemplate('request', step, scene),
      response: findTemplate('response', step, scene),
      block: rule,
    }),
  };
  const line = isCall ? formatCallByView(view, step.input) : formatResultByView(view, step.observation);
  return {
    ...(line === null ? {} : { line }),
    ...(rule !== undefined && isCallRule(rule) === isCall ? { block: rule } : {}),
  };
}

/** The marks of a reason are not the step's own: it repeats a text from elsewhere. */
function viewRelations(
  step: ReasoningStep,
  surroundings: StepSurroundings,
  context: StepViewContext,
): Pick<FullStep, 'why' | 'combines'> {
  const why = findWhy(step, surroundings, context);
  const combines = findStepCombination(step, surroundings, context);
  return { ...(why === null ? {} : { why }), ...(combines === null ? {} : { combines }) };
}

/** On the thought, or, without a thought, on the answer. */
function findStepCombination(step: ReasoningStep, { calls, thoughts }: StepSurroundings, { scene }: StepViewContext) {
  return step.kind === 'synthesis' && thoughts.has(step.number) ? null : findCombinedResults(step, calls, scene);
}

/** Formats a step at `summary` by its tool's template, or by the steps before; null where neither has a line for it. */
function describeByContext(
  step: ReasoningStep,
  surroundings: StepSurroundings,
  context: StepViewContext,
): string | null {
  if (step.kind === 'tool_result') return describeToolResult(step, surroundings.calls.get(step.correlationId), context);
  if (step.kind === 'tool_call' && step.status === 'pending') return describeRunningCall(step, context);
  if (step.kind !== 'thinking' || step.problem !== null) return null;
  const combined = findStepCombination(step, surroundings, context);
  if (combined === null) return null;
  return `Combining ${formatCombinedResults(combined)}${formatUncertainty(step.confidence)}`;
}

/** A closing call's summary has the level of conclusions, a plan's changes that of thoughts. */
function toStepRef(step: ReasoningStep): StepRef {
  if (step.kind !== 'notice') return step;
  if (step.notice === 'closing_call') return { id: step.id, kind: 'synthesis' };
  return isPlanNotice(step.notice) ? { id: step.id, kind: 'thinking' } : step;
}

function maskStep(
  step: ReasoningStep,
  { scene, mask }: StepViewContext,
): Exclude<ReasoningStep, { kind: 'tool_call' }> | Omit<ToolCallStep, 'taskText'> {
  const text = (raw: string | null) => (raw === null ? null : mask.text(raw));
  switch (step.kind) {
    case 'thinking': {
      const { reply, ...rest } = step;
      const modelCall = maskStats(step, { scene, mask });
      const thought = { ...rest, thought: text(step.thought), problem: text(step.problem), modelCall };
      return reply === undefined || !canReadReply(step.number, scene)
        ? thought
        : { ...thought, reply: reply.map((block) => maskReplyBlock(block, mask, createToToolRef(scene))) };
    }
    case 'tool_call': {
      const { changedFrom, taskText: _, ...rest } = step;
      return {
        ...rest,
        tool: maskToolName(step.tool, scene, mask),
        // Masked first, since it came first: marks are numbered.
        ...(changedFrom === undefined ? {} : { changedFrom: mask.value(changedFrom, step) }),
        input: mask.value(step.input, step),
        attempts: step.attempts === null ? null : { ...step.attempts, lastFailure: null },
      };
    }
    case 'approval':
      return maskApprovalStep(step, { scene, mask });
    case 'tool_result':
      return {
        ...step,
        tool: maskToolName(step.tool, scene, mask),
        observation: mask.value(step.observation, step),
        ...(step.visibility === undefined
          ? {}
          : { visibility: { ...step.visibility, summary: text(step.visibility.summary) } }),
        ...(step.files === undefined ? {} : { files: step.files.map((file) => maskFile(file, mask)) }),
        ...(step.artifacts === undefined ? {} : { artifacts: step.artifacts.map((made) => maskFile(made, mask)) }),
      };
    case 'synthesis': {
      return { ...step, conclusion: mask.value(step.conclusion), modelCall: maskStats(step, { scene, mask }) };
    }
    case 'notice': {
      const { asked, ...rest } = step;
      const shown = asked === undefined || !canSeeModelCall(step, scene) ? {} : { asked };
      return { ...rest, ...shown, text: mask.notice(step.text) };
    }
  }
}

/** A model call has the level of its step, as far as rules for its kind leave it in full. */
function canSeeModelCall(step: ThinkingStep | SynthesisStep | NoticeStep, scene: ViewScene): boolean {
  const { toolKinds, required = [] } = scene.config;
  // The step is in full here: most deployments have no rule for the kind, and each step of a chain comes here.
  if (toolKinds?.llm === undefined && !required.some(({ toolKind }) => toolKind === 'llm')) return true;
  return computeLevel({ ...toStepRef(step), toolKind: 'llm' }, scene).level === 'full';
}

/** The reason of a route may quote the task. */
function maskStats(step: ThinkingStep | SynthesisStep, { scene, mask }: StepViewContext): ModelCallStats | null {
  const stats = step.modelCall;
  const { route } = stats ?? {};
  if (stats !== null && !canSeeModelCall(step, scene)) return null;
  if (stats === null || route?.reason === undefined) return stats;
  return { ...stats, route: { ...route, reason: mask.text(route.reason) } };
}

/** M4: a failure is visible where its result is. Its stack is for those who read the code. */
function maskAttempts(step: ToolCallStep, { scene, mask }: StepViewContext): ToolCallStep['attempts'] {
  const { attempts } = step;
  if (attempts === null || attempts.lastFailure === null) return attempts;
  const { type, message, stack } = attempts.lastFailure;
  const { level } = computeLevel({ ...step, kind: 'tool_result', id: `${step.id}r` }, scene);
  if (level !== 'full') return { ...attempts, lastFailure: null };
  const shownStack = stack === null || !canReadInternals(scene) ? null : mask.text(stack);
  return { ...attempts, lastFailure: { type: mask.text(type), message: mask.text(message), stack: shownStack } };
}

/** A result beside the question is masked by the rules of its tool, and the question as other texts. */
function maskToolQuestion(input: Json, step: ApprovalStep, mask: StepViewContext['mask']): Json {
  if (!isObject(input)) return mask.value(input);
  const { result, ...question } = input;
  return mask.value(result === undefined ? question : { ...question, result: mask.value(result, step) });
}

/** Masks a request. Its reason may name its call and its failure. */
function maskApprovalStep(step: ApprovalStep, { scene, mask }: StepViewContext): ApprovalStep {
  const { input, changedInput } = step;
  return {
    ...step,
    tool: maskToolName(step.tool, scene, mask),
    reason: mask.notice(step.reason),
    input: step.byTool ? maskToolQuestion(input, step, mask) : mask.value(input, step),
    ...(changedInput === undefined ? {} : { changedInput: mask.value(changedInput, step) }),
    decisions: step.decisions.map(({ input: changed, answer, ...decision }) => ({
      ...decision,
      by: decision.by === null ? null : mask.text(decision.by),
      reason: decision.reason === null ? null : mask.notice(decision.reason),
      ...(changed === undefined ? {} : { input: mask.value(changed, step) }),
      ...(answer === undefined ? {} : { answer: mask.value(answer, step) }),
    })),
  };
}

/**
 * Formats a result by the rules of its tool, else by the line that the tool set while it ran, else by a template;
 * not if sensitive paths are unknown. Arguments are used only where the call is visible.
 */
function describeToolResult(
  step: ToolResultStep,
  call: ToolCallStep | undefined,
  { scene, mask }: StepViewContext,
): string {
  const unknown = isTemplateUnsafe(scene);
  const ruled = findOwn(scene.config.tools ?? {}, step.tool)?.summary;
  const marked = step.visibility?.summary ?? null;
  if (!unknown && ruled === undefined && marked !== null) return marked;
  const template = findSummaryTemplate(step, scene);
  if (template === undefined) return describeStep(step, null, []);
  const inputs =
    call !== undefined && computeLevel(call, scene).level !== 'hidden' ? [mask.value(call.input, call)] : [];
  const places: TemplateValues = [mask.value(step.observation, step), ...inputs];
  return describeStep(step, template, places);
}

/** Adds the arguments that the line of the result will have, where the viewer will see that line: `Calling query: scores`. */
function describeRunningCall(step: ToolCallStep, { scene, mask }: StepViewContext): string | null {
  const template = findSummaryTemplate(step, scene);
  if (template === undefined) return null;
  if (computeLevel({ ...step, kind: 'tool_result', id: `${step.id}r` }, scene).level === 'hidden') return null;
  const texts = listTemplateTexts(template, mask.value(step.input, step));
  return texts.length === 0 ? null : `${describeStep(step, null, [])}: ${texts.join(', ')}`;
}

function findSummaryTemplate(step: ToolCallStep | ToolResultStep, scene: ViewScene): string | undefined {
  if (isTemplateUnsafe(scene)) return undefined;
  return findTemplate('summary', step, scene) ?? getKindDefaults(step.toolKind).view?.summary;
}

/** Whether a template may print a sensitive value: its paths are unknown. */
function isTemplateUnsafe(scene: ViewScene): boolean {
  return (scene.chain.tools === null && !canSeeAll(scene)) || hasUnknownSensitivePaths(scene);
}

/** Masks the name and the media type, which people and tools choose. */
export function maskFile({ name, mediaType, ...content }: StoredFile, mask: ChainMasker): StoredFile {
  return { name: mask.text(name), mediaType: mask.text(mediaType), ...content };
}

/** Masks a tool's name if the agent has no such tool: a model wrote it. */
function maskToolName(tool: string, scene: ViewScene, mask: ChainMasker): string {
  return findToolView(scene, tool) === undefined ? mask.text(tool) : tool;
}

/** One step as it is viewed: whole, as a line, or as a place. W1 to W3 of `view.ts` are kept here. */

import { findOwn } from '../lib/json.js';
import type { Artifact } from '../model/stored-content.js';
import { type ChainMasker, countMarksWithin, createCountingMasker } from './chain-masker.js';
import type { ApprovalStep, ReasoningStep, ToolCallStep, ToolResultStep } from './reasoning.js';
import type { StepView } from './reasoning-view.js';
import { describeStep, type TemplateValues, toSummaryLine } from './summary-text.js';
import type { StepRef, ViewScene } from './visibility.js';
import { canSeeAll, computeLevel, findToolView, hasUnknownSensitivePaths } from './visibility-level.js';

export interface StepViewContext {
  readonly scene: ViewScene;
  readonly mask: ChainMasker;
}

export function viewStep(
  step: ReasoningStep,
  calls: ReadonlyMap<string, ToolCallStep>,
  through: StepViewContext,
): StepView {
  const { id, number, kind, at } = step;
  const { scene, mask } = through;
  const { level } = computeLevel(toStepRef(step), scene);
  if (level === 'hidden') return { level, id, number, kind };
  if (level === 'full') {
    const mask = createCountingMasker(through.mask);
    const shown = maskStep(step, { scene, mask });
    return { ...shown, level, redacted: mask.marks() };
  }
  const ofTool = step.kind === 'tool_call' || step.kind === 'approval' || step.kind === 'tool_result' ? step : null;
  const said = step.kind === 'tool_result' ? describeToolResult(step, calls.get(step.correlationId), through) : null;
  const summary = toSummaryLine(mask.text(said ?? describeStep(step, null, [])));
  return {
    level,
    id,
    number,
    kind,
    at,
    status: ofTool?.status ?? null,
    tool: ofTool === null ? null : maskToolName(ofTool.tool, scene, mask),
    correlationId: ofTool?.correlationId ?? null,
    summary,
    redacted: countMarksWithin(summary),
  };
}

/** The words with which a stopped chain sums up are a conclusion, and those on its plan a thought, whatever they come as. */
function toStepRef(step: ReasoningStep): StepRef {
  if (step.kind !== 'notice') return step;
  if (step.notice === 'closing_call') return { id: step.id, kind: 'synthesis' };
  return step.notice === 'plan_changed' ? { id: step.id, kind: 'thinking' } : step;
}

function maskStep(step: ReasoningStep, { scene, mask }: StepViewContext): ReasoningStep {
  const text = (said: string | null) => (said === null ? null : mask.text(said));
  switch (step.kind) {
    case 'thinking':
      return { ...step, thought: text(step.thought), problem: text(step.problem) };
    case 'tool_call': {
      const { attempts } = step;
      const told = attempts === null ? null : { ...attempts, lastFailure: text(attempts.lastFailure) };
      const { changedFrom } = step;
      return {
        ...step,
        tool: maskToolName(step.tool, scene, mask),
        // First, as it came first: marks are numbered.
        ...(changedFrom === undefined ? {} : { changedFrom: mask.value(changedFrom, step) }),
        input: mask.value(step.input, step),
        attempts: told,
      };
    }
    case 'approval':
      return maskApprovalStep(step, { scene, mask });
    case 'tool_result':
      return {
        ...step,
        tool: maskToolName(step.tool, scene, mask),
        observation: mask.value(step.observation, step),
        ...(step.artifacts === undefined ? {} : { artifacts: step.artifacts.map((made) => maskArtifact(made, mask)) }),
      };
    case 'synthesis':
      return { ...step, conclusion: mask.value(step.conclusion) };
    case 'notice':
      return { ...step, text: mask.notice(step.text) };
  }
}

/** The reason of a request may name its call, and tell why it failed. */
function maskApprovalStep(step: ApprovalStep, { scene, mask }: StepViewContext): ApprovalStep {
  const { input, changedInput } = step;
  return {
    ...step,
    tool: maskToolName(step.tool, scene, mask),
    reason: mask.notice(step.reason),
    input: mask.value(input, step),
    ...(changedInput === undefined ? {} : { changedInput: mask.value(changedInput, step) }),
    decisions: step.decisions.map(({ input: changed, ...said }) => ({
      ...said,
      by: said.by === null ? null : mask.text(said.by),
      reason: said.reason === null ? null : mask.notice(said.reason),
      ...(changed === undefined ? {} : { input: mask.value(changed, step) }),
    })),
  };
}

/** By the template, unless what is sensitive in its members is not known. Arguments are told only where the call may be. */
function describeToolResult(
  step: ToolResultStep,
  call: ToolCallStep | undefined,
  { scene, mask }: StepViewContext,
): string {
  const unknown = (scene.chain.tools === null && !canSeeAll(scene)) || hasUnknownSensitivePaths(scene);
  const template = unknown ? null : findTemplate(step, scene);
  if (template === null) return describeStep(step, null, []);
  const told = call !== undefined && computeLevel(call, scene).level !== 'hidden' ? [mask.value(call.input, call)] : [];
  const places: TemplateValues = [mask.value(step.observation, step), ...told];
  return describeStep(step, template, places);
}

function findTemplate({ tool, toolKind }: ToolResultStep, scene: ViewScene): string | null {
  const { tools, toolKinds } = scene.config;
  const said = findOwn(tools ?? {}, tool)?.summary ?? findToolView(scene, tool)?.summary;
  return said ?? findOwn(toolKinds ?? {}, toolKind)?.summary ?? null;
}

/** What it is named and said to be are words of the tool's. */
function maskArtifact({ artifact, mediaType, ...content }: Artifact, mask: ChainMasker): Artifact {
  return { artifact: mask.text(artifact), mediaType: mask.text(mediaType), ...content };
}

/** An agent's own names are fit to be read; others are what a model wrote. */
function maskToolName(tool: string, scene: ViewScene, mask: ChainMasker): string {
  return findToolView(scene, tool) === undefined ? mask.text(tool) : tool;
}

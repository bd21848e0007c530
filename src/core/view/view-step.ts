/** One step as it is viewed: whole, as a line, or as a place. W1 to W3 of `view.ts` are kept here. */

import { own } from '../lib/json.js';
import type { Artifact } from '../model/kept.js';
import { counting, type Mask, marksWithin } from './chain-masker.js';
import { levelOf, mayHoldUnknown, ownView, seesAll } from './level-of.js';
import type { ApprovalStep, ReasoningStep, ToolCallStep, ToolResultStep } from './reasoning.js';
import type { StepView } from './reasoning-view.js';
import { asLine, type Places, sayStep } from './summary-text.js';
import type { Scene, Seen } from './visibility.js';

export interface Through {
  readonly scene: Scene;
  readonly mask: Mask;
}

export function viewStep(step: ReasoningStep, calls: ReadonlyMap<string, ToolCallStep>, through: Through): StepView {
  const { id, number, kind, at } = step;
  const { scene, mask } = through;
  const { level } = levelOf(seenAs(step), scene);
  if (level === 'hidden') return { level, id, number, kind };
  if (level === 'full') {
    const mask = counting(through.mask);
    const shown = whole(step, { scene, mask });
    return { ...shown, level, redacted: mask.marks() };
  }
  const ofTool = step.kind === 'tool_call' || step.kind === 'approval' || step.kind === 'tool_result' ? step : null;
  const said = step.kind === 'tool_result' ? sayResult(step, calls.get(step.correlationId), through) : null;
  const summary = asLine(mask.text(said ?? sayStep(step, null, [])));
  return {
    level,
    id,
    number,
    kind,
    at,
    status: ofTool?.status ?? null,
    tool: ofTool === null ? null : nameOf(ofTool.tool, scene, mask),
    correlationId: ofTool?.correlationId ?? null,
    summary,
    redacted: marksWithin(summary),
  };
}

/** The words with which a stopped chain sums up are a conclusion, and those on its plan a thought, whatever they come as. */
function seenAs(step: ReasoningStep): Seen {
  if (step.kind !== 'notice') return step;
  if (step.notice === 'closing') return { id: step.id, kind: 'synthesis' };
  return step.notice === 'plan' ? { id: step.id, kind: 'thinking' } : step;
}

function whole(step: ReasoningStep, { scene, mask }: Through): ReasoningStep {
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
        tool: nameOf(step.tool, scene, mask),
        // First, as it came first: marks are numbered.
        ...(changedFrom === undefined ? {} : { changedFrom: mask.value(changedFrom, step) }),
        input: mask.value(step.input, step),
        attempts: told,
      };
    }
    case 'approval':
      return wholeApproval(step, { scene, mask });
    case 'tool_result':
      return {
        ...step,
        tool: nameOf(step.tool, scene, mask),
        observation: mask.value(step.observation, step),
        ...(step.artifacts === undefined ? {} : { artifacts: step.artifacts.map((made) => artifactSeen(made, mask)) }),
      };
    case 'synthesis':
      return { ...step, conclusion: mask.value(step.conclusion) };
    case 'notice':
      return { ...step, text: mask.notice(step.text) };
  }
}

/** The reason of a request may name its call, and tell why it failed. */
function wholeApproval(step: ApprovalStep, { scene, mask }: Through): ApprovalStep {
  const { input, changedInput } = step;
  return {
    ...step,
    tool: nameOf(step.tool, scene, mask),
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
function sayResult(step: ToolResultStep, call: ToolCallStep | undefined, { scene, mask }: Through): string {
  const unknown = (scene.chain.tools === null && !seesAll(scene)) || mayHoldUnknown(scene);
  const template = unknown ? null : templateOf(step, scene);
  if (template === null) return sayStep(step, null, []);
  const told = call !== undefined && levelOf(call, scene).level !== 'hidden' ? [mask.value(call.input, call)] : [];
  const places: Places = [mask.value(step.observation, step), ...told];
  return sayStep(step, template, places);
}

function templateOf({ tool, toolKind }: ToolResultStep, scene: Scene): string | null {
  const { tools, toolKinds } = scene.config;
  const said = own(tools ?? {}, tool)?.summary ?? ownView(scene, tool)?.summary;
  return said ?? own(toolKinds ?? {}, toolKind)?.summary ?? null;
}

/** What it is named and said to be are words of the tool's. */
function artifactSeen({ artifact, mediaType, ...content }: Artifact, mask: Mask): Artifact {
  return { artifact: mask.text(artifact), mediaType: mask.text(mediaType), ...content };
}

/** An agent's own names are fit to be read; others are what a model wrote. */
function nameOf(tool: string, scene: Scene, mask: Mask): string {
  return ownView(scene, tool) === undefined ? mask.text(tool) : tool;
}

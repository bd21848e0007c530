/**
 * What stands at the sensitive paths of a chain's tools, so that it can be kept out of everything else that is said in
 * the chain. Found by the paths alone: a redactor that counts what it sees is not asked before its turn.
 */

import { type Json, own } from '../lib/json.js';
import { sensitiveIn } from '../redact/sensitive.js';
import { ownView } from './level-of.js';
import type { ApprovalStep, ReasoningStep, ToolCallStep, ToolResultStep } from './reasoning.js';
import type { Scene } from './visibility.js';

export interface OfTool {
  readonly tool: string;
  readonly toolKind: string;
}

/** Of the tool, and of what the configuration says about it and its kind: none of them takes back another's. */
export function sensitivePaths({ tool, toolKind }: OfTool, scene: Scene): readonly string[] {
  const { tools, toolKinds } = scene.config;
  return [ownView(scene, tool), own(tools ?? {}, tool), own(toolKinds ?? {}, toolKind)].flatMap(
    (said) => said?.sensitive ?? [],
  );
}

export function secretsOf(steps: readonly ReasoningStep[], scene: Scene): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'tool_call' && step.kind !== 'approval' && step.kind !== 'tool_result') return [];
    const paths = sensitivePaths(step, scene);
    return valuesOf(step).flatMap((value) => sensitiveIn(value, paths));
  });
}

/** Arguments and results: all of a call that its tool's paths lead into. */
function valuesOf(step: ToolCallStep | ApprovalStep | ToolResultStep): readonly Json[] {
  switch (step.kind) {
    case 'tool_call':
      return step.changedFrom === undefined ? [step.input] : [step.changedFrom, step.input];
    case 'approval':
      return [step.input, ...step.decisions.flatMap(({ input }) => (input === undefined ? [] : [input]))];
    case 'tool_result':
      return [step.observation];
  }
}

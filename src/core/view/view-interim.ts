/**
 * The interim result of a running call as a viewer sees it (L8): as the result itself would be.
 *
 * I1 A viewer who does not see the call's result in full sees no interim result: a summary describes a result.
 * I2 Its values at sensitive paths are masked, wherever it repeats them, and so are those of the chain so far.
 * I3 In a chain that is watched its marks are numbered after those of the task alone: the recorded steps must have the
 *    same marks for a reader without interim results.
 * I4 No part of a model's answer is shown for a tool with sensitive paths: a path is known of a complete value only.
 */

import type { Json } from '../lib/index.js';
import type { CallInterim, InterimResult } from '../model/index.js';
import type { ValueMasker } from '../redact/index.js';
import { createChainMasker, listSensitivePaths, listSensitiveTexts } from './chain-masker.js';
import type { ToolCallStep, ToolResultStep } from './reasoning.js';
import type { ViewScene } from './visibility.js';
import { canSeeAll, computeLevel } from './visibility-level.js';

/** A visible interim result of a running call. */
export interface InterimView {
  readonly call: string;
  readonly attempt: number;
  readonly value: Json;
}

/** @param masker remembers the sensitive values of the interim result */
export function viewInterim(
  call: ToolCallStep,
  interim: InterimResult,
  { scene, masker }: { readonly scene: ViewScene; readonly masker: ValueMasker },
): InterimResult | null {
  const result = toResultStep(call, interim);
  if (computeLevel(result, scene).level !== 'full') return null;
  if (call.toolKind === 'llm' && !canSeeAll(scene) && listSensitivePaths(result, scene).length > 0) return null;
  if (!canSeeAll(scene)) for (const secret of listSensitiveTexts([result], scene)) masker.remember(secret);
  return { value: createChainMasker(new Map(), scene, masker).value(result.observation, result) };
}

/** Returns the visible interim results of the calls that run. */
export function viewInterims(
  calls: ReadonlyMap<string, ToolCallStep>,
  interims: readonly CallInterim[],
  context: { readonly scene: ViewScene; readonly masker: ValueMasker },
): readonly InterimView[] {
  return interims.flatMap(({ call, attempt, interim }) => {
    const running = calls.get(call);
    const view = running?.status === 'pending' ? viewInterim(running, interim, context) : null;
    return view === null ? [] : [{ call, attempt, value: view.value }];
  });
}

/** The step that its result would be. */
function toResultStep(
  { id, number, at, tool, toolKind, correlationId }: ToolCallStep,
  { value, visibility }: InterimResult,
): ToolResultStep {
  return {
    ...{ kind: 'tool_result', id: `${id}r`, number, at, tool, toolKind, correlationId, status: 'ok' },
    ...{ observation: value, clippedFrom: null, reusedFrom: null, durationMs: null },
    ...(visibility === undefined ? {} : { visibility: { level: visibility.level, summary: null } }),
  };
}

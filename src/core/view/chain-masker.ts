/**
 * Masks the texts and values of one chain for its viewer.
 *
 * M1 Texts and values pass the redactor; values with the sensitive paths of their tool and the configuration.
 * M2 A value at a sensitive path is masked everywhere else in the chain: in thoughts, in other tools' arguments, in the
 *    answer.
 * M3 A notice names a call only as far as the viewer may see the call.
 * M4 The message of a failed call has the level of its result.
 * M5 An auditor reads the original.
 * M6 Only developers and auditors read the private parts of a reply, wherever they occur in the chain. They are masked
 *    first: a mark must not swallow the tag of a part.
 */

import { removeCauses } from '../engine/index.js';
import { findOwn, formatCall, isObject, type Json, maskPrivateParts } from '../lib/index.js';
import type { VisibilityLevel } from '../model/index.js';
import { countMarksWithin, findSensitiveTexts, hasShortSensitiveText, type ValueMasker } from '../redact/index.js';
import type { ApprovalStep, ReasoningStep, ToolCallStep, ToolResultStep } from './reasoning.js';
import type { ViewScene } from './visibility.js';
import {
  canReadInternals,
  canSeeAll,
  computeCeiling,
  computeLevel,
  findToolView,
  pickLowerLevel,
} from './visibility-level.js';

export interface ChainMasker {
  readonly text: (text: string) => string;
  /** The beginning of a text, masked before it is cut. */
  readonly snippet: (text: string, characters: number) => string;
  /** Arguments or a result; without a tool, an answer. */
  readonly value: (value: Json, toolRef?: ToolRef) => Json;
  /** A notice or a reason; it may name calls. */
  readonly notice: (text: string) => string;
}

/**
 * @param calls the calls that a notice may name
 * @param masker the masker of the whole tree: a sensitive text of a chain is sensitive in its sub-chains
 */
export function createChainMasker(
  calls: ReadonlyMap<string, ToolCallStep>,
  scene: ViewScene,
  masker: ValueMasker,
): ChainMasker {
  if (canSeeAll(scene)) return { text: keep, snippet: keep, value: keep, notice: keep };
  const hide = <T extends Json>(raw: T): T => (canReadInternals(scene) ? raw : maskPrivateParts(raw));
  const text = (raw: string) => masker.text(hide(raw));
  const snippet = (raw: string, characters: number) => masker.text(hide(raw), { characters });
  const value = (raw: Json, toolRef?: ToolRef) =>
    masker.value(hide(raw), { paths: toolRef === undefined ? [] : listSensitivePaths(toolRef, scene) });
  const canReveal = (id: string) => {
    const call = calls.get(id);
    return call !== undefined && computeLevel({ ...call, kind: 'tool_result', id: `${id}r` }, scene).level === 'full';
  };
  const notice = (raw: string) => text(maskCalls(removeCauses(raw, canReveal), calls.values(), { value, scene }));
  return { text, snippet, value, notice };
}

function keep<T extends Json>(value: T): T {
  return value;
}

interface MaskingContext {
  readonly value: ChainMasker['value'];
  readonly scene: ViewScene;
}

/** M3: replaces each call that a text names by the call as the viewer may see it. */
function maskCalls(text: string, calls: Iterable<ToolCallStep>, context: MaskingContext): string {
  const callsByTool = new Map<string, ToolCallStep[]>();
  for (const call of calls) {
    if (!text.includes(call.tool)) continue;
    const known = callsByTool.get(call.tool) ?? [];
    // A text names a call with its arguments at that time.
    known.push(call, ...(call.changedFrom === undefined ? [] : [{ ...call, input: call.changedFrom }]));
    callsByTool.set(call.tool, known);
  }
  let masked = text;
  for (const [tool, toolCalls] of callsByTool) {
    const [before = '', ...after] = masked.split(`${tool}(`);
    masked = before + after.map((rest) => maskCall(rest, toolCalls, context)).join('');
    const [first] = toolCalls;
    const isToolHidden = first !== undefined && computeCeiling(first, context.scene).level === 'hidden';
    if (isToolHidden) masked = masked.split(tool).join('a tool');
  }
  return masked;
}

/** @param rest what follows `tool(` in a text */
function maskCall(rest: string, calls: readonly ToolCallStep[], { value, scene }: MaskingContext): string {
  const [first] = calls;
  const tool = first?.tool ?? '';
  const start = `${tool}(`.length;
  const nameAt = (level: VisibilityLevel) => (level === 'hidden' ? 'a tool' : tool);
  const argumentsOf = ({ input }: ToolCallStep) => formatCall(tool, input).slice(start);
  const call = calls.find((candidate) => rest.startsWith(argumentsOf(candidate)));
  if (call !== undefined) {
    const behind = rest.slice(argumentsOf(call).length);
    const { level } = computeLevel(call, scene);
    return (level === 'full' ? formatCall(tool, value(call.input, call)) : nameAt(level)) + behind;
  }
  // A reason may end in the middle of a call; the sensitive part is then unknown.
  const levels = calls.map(
    (candidate): VisibilityLevel =>
      listSensitivePaths(candidate, scene).length > 0 ? 'summary' : computeLevel(candidate, scene).level,
  );
  const level = levels.reduce(pickLowerLevel, 'full');
  return level === 'full' ? `${tool}(${rest}` : `${nameAt(level)}…`;
}

/** Returns the same masker with a count of the marks that it added. */
export function createCountingMasker(mask: ChainMasker): ChainMasker & { readonly marks: () => number } {
  let marks = 0;
  const count = <T extends Json>(raw: T, masked: T): T => {
    if (masked !== raw) marks += Math.max(0, countMarksWithin(masked) - countMarksWithin(raw));
    return masked;
  };
  return {
    text: (text) => count(text, mask.text(text)),
    snippet: mask.snippet,
    value: (value, tool) => count(value, mask.value(value, tool)),
    notice: (text) => count(text, mask.notice(text)),
    marks: () => marks,
  };
}

export interface ToolRef {
  readonly tool: string;
  readonly toolKind: string;
}

/** Returns the sensitive paths of the tool, of its rule and of its kind's rule: their union. */
export function listSensitivePaths({ tool, toolKind }: ToolRef, scene: ViewScene): readonly string[] {
  const { tools, toolKinds } = scene.config;
  return [findToolView(scene, tool), findOwn(tools ?? {}, tool), findOwn(toolKinds ?? {}, toolKind)].flatMap(
    (rule) => rule?.sensitive ?? [],
  );
}

/** Returns texts at sensitive paths, without the redactor: it would count marks too early. */
export function listSensitiveTexts(steps: readonly ReasoningStep[], scene: ViewScene): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'tool_call' && step.kind !== 'approval' && step.kind !== 'tool_result') return [];
    const paths = listSensitivePaths(step, scene);
    return listCallValues(step).flatMap((value) => findSensitiveTexts(value, paths));
  });
}

/** Whether a sensitive value of these steps is too short to be masked in a text that repeats it. */
export function hasShortSensitiveTexts(steps: readonly ReasoningStep[], scene: ViewScene): boolean {
  return steps.some((step) => {
    if (step.kind !== 'tool_call' && step.kind !== 'approval' && step.kind !== 'tool_result') return false;
    const paths = listSensitivePaths(step, scene);
    return listCallValues(step).some((value) => hasShortSensitiveText(value, paths));
  });
}

/** Returns the values that a tool's sensitive paths apply to: arguments and results. */
function listCallValues(step: ToolCallStep | ApprovalStep | ToolResultStep): readonly Json[] {
  switch (step.kind) {
    case 'tool_call':
      return step.changedFrom === undefined ? [step.input] : [step.changedFrom, step.input];
    case 'approval':
      return [
        ...(step.byTool && isObject(step.input) ? [step.input.result ?? null] : [step.input]),
        ...step.decisions.flatMap(({ input, answer }) => [input, answer].filter((value) => value !== undefined)),
      ];
    case 'tool_result':
      return [step.observation];
  }
}

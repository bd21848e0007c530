/**
 * Masks the words of one chain as its viewer may read them: the value masker, with what is known of calls and tools.
 *
 * M1 Text and values pass the redactor, values with the paths that their tool and the configuration call sensitive.
 * M2 What stood at a sensitive path is not readable anywhere else in the chain either: not in a thought that repeats it,
 *    not in another tool's arguments, not in the answer.
 * M3 A notice names a call only as far as the viewer may see it.
 * M4 The message of a failed call is shown as far as its result is.
 * M5 An auditor reads the original.
 */

import { callText } from '../lib/display.js';
import { isObject, type Json, own } from '../lib/json.js';
import type { Level } from '../model/agent.js';
import { marksIn } from '../redact/labels.js';
import { sensitiveIn } from '../redact/sensitive.js';
import type { ValueMasker } from '../redact/value-masker.js';
import { withoutCauses } from '../state/reasons.js';
import { ceilingOf, levelOf, lower, ownView, seesAll } from './level-of.js';
import type { ApprovalStep, ReasoningStep, ToolCallStep, ToolResultStep } from './reasoning.js';
import type { Scene } from './visibility.js';

export interface Mask {
  readonly text: (text: string) => string;
  /** Arguments or a result; of no tool: an answer. */
  readonly value: (value: Json, of?: OfTool) => Json;
  /** A notice or a reason, which may name calls. */
  readonly notice: (text: string) => string;
}

/**
 * @param calls those that a notice may name
 * @param masker that of the whole tree: what is sensitive in a chain is so in the chains that it started
 */
export function maskOf(calls: ReadonlyMap<string, ToolCallStep>, scene: Scene, masker: ValueMasker): Mask {
  if (seesAll(scene)) return { text: (text) => text, value: (value) => value, notice: (text) => text };
  const text = (said: string) => masker.text(said);
  const value = (held: Json, of?: OfTool) =>
    masker.value(held, { paths: of === undefined ? [] : sensitivePaths(of, scene) });
  const canReveal = (id: string) => {
    const call = calls.get(id);
    return call !== undefined && levelOf({ ...call, kind: 'tool_result', id: `${id}r` }, scene).level === 'full';
  };
  const notice = (said: string) => text(nameCalls(withoutCauses(said, canReveal), calls.values(), { value, scene }));
  return { text, value, notice };
}

interface Naming {
  readonly value: Mask['value'];
  readonly scene: Scene;
}

/** M3: where a text names calls, they are put the way the viewer may read them. */
function nameCalls(text: string, calls: Iterable<ToolCallStep>, naming: Naming): string {
  const ofTools = new Map<string, ToolCallStep[]>();
  for (const call of calls) {
    if (!text.includes(call.tool)) continue;
    const known = ofTools.get(call.tool) ?? [];
    // Texts name it by the arguments that it had then.
    known.push(call, ...(call.changedFrom === undefined ? [] : [{ ...call, input: call.changedFrom }]));
    ofTools.set(call.tool, known);
  }
  let named = text;
  for (const [tool, made] of ofTools) {
    const [before = '', ...after] = named.split(`${tool}(`);
    named = before + after.map((rest) => nameCall(rest, made, naming)).join('');
    const [first] = made;
    const kept = first !== undefined && ceilingOf(first, naming.scene).level === 'hidden';
    if (kept) named = named.split(tool).join('a tool');
  }
  return named;
}

/** @param rest what follows `tool(` in a text */
function nameCall(rest: string, made: readonly ToolCallStep[], { value, scene }: Naming): string {
  const [first] = made;
  const tool = first?.tool ?? '';
  const begun = `${tool}(`.length;
  const nameAt = (level: Level) => (level === 'hidden' ? 'a tool' : tool);
  const argumentsOf = ({ input }: ToolCallStep) => callText(tool, input).slice(begun);
  const call = made.find((each) => rest.startsWith(argumentsOf(each)));
  if (call !== undefined) {
    const behind = rest.slice(argumentsOf(call).length);
    const { level } = levelOf(call, scene);
    return (level === 'full' ? callText(tool, value(call.input, call)) : nameAt(level)) + behind;
  }
  // A reason may end in the middle of a call; then nothing in it says what is sensitive.
  const levels = made.map(
    (each): Level => (sensitivePaths(each, scene).length > 0 ? 'summary' : levelOf(each, scene).level),
  );
  const level = levels.reduce(lower, 'full');
  return level === 'full' ? `${tool}(${rest}` : `${nameAt(level)}…`;
}

/** The same mask, and how many marks it has put into what it was given. */
export function counting(mask: Mask): Mask & { readonly marks: () => number } {
  let marks = 0;
  const count = <T extends Json>(given: T, masked: T): T => {
    if (masked !== given) marks += Math.max(0, marksWithin(masked) - marksWithin(given));
    return masked;
  };
  return {
    text: (text) => count(text, mask.text(text)),
    value: (value, of) => count(value, mask.value(value, of)),
    notice: (text) => count(text, mask.notice(text)),
    marks: () => marks,
  };
}

export function marksWithin(value: Json): number {
  let marks = 0;
  const ahead: Json[] = [value];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') marks += marksIn(next).length;
    else if (isObject(next)) for (const [key, member] of Object.entries(next)) ahead.push(key, member);
    else if (typeof next === 'object' && next !== null) for (const item of next as readonly Json[]) ahead.push(item);
  }
  return marks;
}

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

/** Texts at the sensitive paths of a chain's tools, found by the paths alone: no redactor counts them before their turn. */
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

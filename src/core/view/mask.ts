/**
 * Everything of a chain that is words passes here on its way out.
 *
 * M1 Text and values go through the redactor, values with the paths that their tool and the configuration call sensitive.
 * M2 What stood at a sensitive path is not readable anywhere else in the chain either: not in a thought that repeats it,
 *    not in another tool's arguments, not in the answer.
 * M3 A notice names a call only as far as the viewer may see it.
 * M4 What a failed call said of itself is told as far as its result is.
 * M5 An auditor reads what is there.
 */

import { callText } from '../lib/display.js';
import { canonical, isObject, type Json, type JsonObject } from '../lib/json.js';
import type { Level } from '../model/agent.js';
import type { Concealer } from '../redact/conceal.js';
import { marksIn } from '../redact/labels.js';
import type { Redactor } from '../redact/redactor.js';
import { fieldMark, insideOf } from '../redact/sensitive.js';
import { withoutCauses } from '../state/reasons.js';
import { ceilingOf, levelOf, lower, seesAll } from './level-of.js';
import type { ToolCallStep } from './reasoning.js';
import { type OfTool, sensitivePaths } from './secrets.js';
import type { Scene } from './visibility.js';

export interface Mask {
  readonly text: (text: string) => string;
  /** Arguments or a result; of no tool: an answer. */
  readonly value: (value: Json, of?: OfTool) => Json;
  /** A notice or a reason, which may name calls. */
  readonly notice: (text: string) => string;
}

/** A model decides how deep a value is; nobody reads deeper than this. */
const deepest = 200;

/**
 * @param calls those that a notice may name
 * @param secrets those of the whole tree: what is sensitive in a chain is so in the chains that it began
 */
export function maskOf(
  calls: ReadonlyMap<string, ToolCallStep>,
  scene: Scene,
  redactor: Redactor,
  secrets: Concealer,
): Mask {
  if (seesAll(scene)) return { text: (text) => text, value: (value) => value, notice: (text) => text };
  const text = (said: string) => redactor.text(secrets.text(said));
  const value = (held: Json, of?: OfTool) => {
    const redacted = redactMembers(held, of === undefined ? [] : sensitivePaths(of, scene), redactor);
    return secrets.size() === 0 ? redacted : mapTexts(redacted, secrets.text);
  };
  const tells = (id: string) => {
    const call = calls.get(id);
    return call !== undefined && levelOf({ ...call, kind: 'tool_result', id: `${id}r` }, scene).level === 'full';
  };
  const notice = (said: string) => text(nameCalls(withoutCauses(said, tells), calls.values(), { value, scene }));
  return { text, value, notice };
}

/** A text that is JSON has members too. One that was, and is clipped, has them where no path leads. */
function redactMembers(held: Json, paths: readonly string[], redactor: Redactor): Json {
  if (paths.length === 0) return redactor.value(held);
  const inside = insideOf(held);
  if (inside.kind === 'cut') return fieldMark;
  const redacted = redactor.value(inside.value, paths);
  if (inside.value === held) return redacted;
  const written = canonical(redacted);
  return written === canonical(inside.value) ? held : written;
}

function mapTexts(value: Json, change: (text: string) => string, depth = 0): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') return change(String(value)) === String(value) ? value : fieldMark;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return fieldMark;
  if (!isObject(value)) return (value as readonly Json[]).map((item) => mapTexts(item, change, depth + 1));
  const members = Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change, depth + 1)]);
  return Object.fromEntries(members) as JsonObject;
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

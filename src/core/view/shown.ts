/**
 * The short texts of a chain that stand where anybody may look: in Temporal's Web UI and its list of workflows (L8).
 *
 * 1. A text is masked before it is cut to what is shown, and looked at a bounded way beyond: no secret is half shown
 *    because it was cut before it was recognised, and a text's length costs nothing.
 * 2. What a tool calls sensitive is hidden in its arguments and results, and from then on in every other text.
 * 3. Marks are stable within what one of these has shown. A view of the whole chain counts by itself.
 */

import { callText, shorten } from '../lib/display.js';
import { asText, isObject, type Json } from '../lib/json.js';
import type { KnownTool } from '../model/origin.js';
import { createConcealer, longestSought, mostSensitive } from '../redact/conceal.js';
import { createRedactor } from '../redact/redactor.js';
import { fieldMark, insideOf, sensitiveIn } from '../redact/sensitive.js';

/** Characters beyond what is shown that are looked at: the longest key that is found by its form, and some more. */
const beyond = 600;
/** Nobody reads deeper in a line. */
const deepest = 12;

interface Asked {
  readonly tool: string;
  readonly input: Json;
}

/** Characters that the Web UI shows of a summary. */
export const summaryLength = 120;

export interface Shown {
  /** In one line. */
  readonly line: (said: string, characters: number) => string;
  /** With its line breaks. */
  readonly block: (said: string, characters: number) => string;
  /** Arguments or a result of a tool. */
  readonly value: (tool: string, held: Json, characters: number) => string;
  /** A call in one short line. */
  readonly call: (asked: Asked) => string;
  /** A reason or a notice, which may name the calls that were shown last. */
  readonly reason: (said: string, characters: number) => string;
  /** A step's calls, before anything of the step is shown. */
  readonly begin: (tools: readonly KnownTool[] | null, calls: readonly Asked[]) => void;
  /** The arguments that a person gave a call of the step instead: texts may name it by either. */
  readonly change: (asked: Asked) => void;
  /** What a tool gave back where it is not shown: what is sensitive in it is hidden elsewhere all the same. */
  readonly keep: (tool: string, held: Json) => void;
  /** What tools have called sensitive so far: for who goes on showing the same chain. */
  readonly hidden: () => readonly string[];
}

/**
 * The same, for a place where a text that cannot be shown must not end what it stands beside (L7). Once something sensitive
 * could not be noted, nothing is shown any more: it might stand in any text.
 */
export function unfailing(shown: Shown): Shown {
  let isOpen = true;
  const text =
    <Given extends readonly unknown[]>(show: (...given: Given) => string) =>
    (...given: Given): string => {
      try {
        return isOpen ? show(...given) : notShown;
      } catch {
        return notShown;
      }
    };
  const note =
    <Given extends readonly unknown[]>(keep: (...given: Given) => void) =>
    (...given: Given): void => {
      try {
        keep(...given);
      } catch {
        isOpen = false;
      }
    };
  const { line, block, value, call, reason, begin, change, keep, hidden } = shown;
  return {
    ...{ line: text(line), block: text(block), value: text(value), call: text(call), reason: text(reason) },
    ...{ begin: note(begin), change: note(change), keep: note(keep), hidden },
  };
}

const notShown = '[cannot be shown]';

/** @param hidden what was hidden when the same chain was shown before */
export function createShown(hidden: readonly string[] = []): Shown {
  const redactor = createRedactor();
  const sensitive = createConcealer(redactor);
  for (const text of hidden) sensitive.add(text);
  let paths: ReadonlyMap<string, readonly string[]> = new Map();
  let known: readonly KnownTool[] | null = null;
  let last: readonly Asked[] = [];

  const block = (said: string, characters: number) => {
    const masked = redactor.text(sensitive.text(said.slice(0, characters + beyond)));
    return shorten(said.length > characters + beyond ? `${masked}…` : masked, characters);
  };
  const line = (said: string, characters: number) => {
    const masked = block(said, characters + beyond);
    return shorten(masked.replace(/\s+/g, ' ').trim(), characters);
  };
  const keep = (tool: string, held: Json) => {
    const of = paths.get(tool);
    if (of === undefined) return;
    for (const text of sensitiveIn(held, of)) {
      if (sensitive.size() < mostSensitive) sensitive.add(text.slice(0, longestSought));
    }
  };
  const value = (tool: string, held: Json, characters: number) => {
    const of = paths.get(tool);
    if (of !== undefined) keep(tool, held);
    const inside = of === undefined ? ({ kind: 'value', value: held } as const) : insideOf(held);
    if (inside.kind === 'cut') return fieldMark;
    const bounded = head(inside.value, { left: characters + beyond }, 0);
    return shorten(sensitive.text(asText(redactor.value(bounded, of ?? []))), characters);
  };
  const call = ({ tool, input }: Asked) => `${tool}(${value(tool, input, 200)})`;
  return {
    line,
    block,
    value,
    call,
    reason: (said, characters) => {
      // They are cut in there: what is left of a secret would not be recognised.
      const named = last.reduce((text, asked) => text.split(callText(asked.tool, asked.input)).join(call(asked)), said);
      return line(named, characters);
    },
    keep,
    hidden: sensitive.known,
    change: (asked) => {
      last = [...last, asked];
      keep(asked.tool, asked.input);
    },
    begin: (tools, calls) => {
      if (tools !== known) {
        known = tools;
        paths = pathsOf(tools ?? []);
      }
      last = calls;
      for (const { tool, input } of calls) keep(tool, input);
    },
  };
}

function pathsOf(tools: readonly KnownTool[]): ReadonlyMap<string, readonly string[]> {
  return new Map(tools.flatMap(({ name, view }) => (view.sensitive?.length ? [[name, view.sensitive]] : [])));
}

/** The beginning of a value, of its shape: so much of its texts and names. */
function head(value: Json, room: { left: number }, depth: number): Json {
  if (typeof value === 'string') {
    const kept = value.slice(0, Math.max(0, room.left));
    room.left -= kept.length + 3;
    return kept.length < value.length ? `${kept}…` : kept;
  }
  room.left -= 6;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return '…';
  if (!isObject(value)) {
    const items: Json[] = [];
    for (const item of value as readonly Json[]) {
      if (room.left <= 0) break;
      items.push(head(item, room, depth + 1));
    }
    return items;
  }
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (room.left <= 0) break;
    const name = key.slice(0, Math.max(0, room.left));
    room.left -= name.length;
    members.push([name, head(member, room, depth + 1)]);
  }
  return Object.fromEntries(members);
}

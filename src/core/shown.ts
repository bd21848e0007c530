/**
 * The short texts of a chain that stand where anybody may look: in Temporal's Web UI and its list of workflows (L8).
 *
 * 1. A text is masked before it is cut to what is shown, and looked at a bounded way beyond: no secret is half shown
 *    because it was cut before it was recognised, and a text's length costs nothing.
 * 2. What a tool calls sensitive is hidden in its arguments and results, and from then on in every other text.
 * 3. Marks are stable within what one of these has shown. A view of the whole chain counts by itself.
 */

import { callText, shorten } from './display.js';
import { asText, isObject, type Json } from './json.js';
import type { KnownTool } from './origin.js';
import { createRedactor } from './redact/redactor.js';
import { textsAt } from './redact/values-at.js';

/** Characters beyond what is shown that are looked at: the longest key that is found by its form, and some more. */
const beyond = 600;
/** Nobody reads deeper in a line. */
const deepest = 12;
/** Sensitive texts that are kept in mind, and how much of each. */
const mostSensitive = 200;
const longestSensitive = 300;

interface Asked {
  readonly tool: string;
  readonly input: Json;
}

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
  /** What a tool gave back where it is not shown: what is sensitive in it is hidden elsewhere all the same. */
  readonly keep: (tool: string, held: Json) => void;
}

export function createShown(): Shown {
  const redactor = createRedactor();
  const sensitive = new Set<string>();
  let paths: ReadonlyMap<string, readonly string[]> = new Map();
  let known: readonly KnownTool[] | null = null;
  let last: readonly Asked[] = [];

  const conceal = (text: string) => {
    let left = text;
    for (const each of sensitive) left = without(left, each, () => asText(redactor.value(each, [[]])));
    return left;
  };
  const block = (said: string, characters: number) => {
    const masked = redactor.text(conceal(said.slice(0, characters + beyond)));
    return shorten(said.length > characters + beyond ? `${masked}…` : masked, characters);
  };
  const line = (said: string, characters: number) => {
    const masked = block(said, characters + beyond);
    return shorten(masked.replace(/\s+/g, ' ').trim(), characters);
  };
  const keep = (tool: string, held: Json) => {
    const of = paths.get(tool);
    if (of === undefined) return;
    for (const text of textsAt(jsonIn(held), of)) {
      // Part of a mark: it would be sought in what stands for others.
      if (sensitive.size < mostSensitive && !'[redacted:field]'.includes(text))
        sensitive.add(text.slice(0, longestSensitive));
    }
  };
  const value = (tool: string, held: Json, characters: number) => {
    const of = paths.get(tool);
    if (of !== undefined) keep(tool, held);
    // A text that was JSON and is cut off has members where no path leads.
    const inside = of === undefined ? held : jsonIn(held);
    if (of !== undefined && typeof inside === 'string' && /^\s*[[{]/.test(inside)) return '[redacted]';
    const bounded = head(inside, { left: characters + beyond }, 0);
    return shorten(conceal(asText(redactor.value(bounded, of ?? []))), characters);
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
  return new Map(tools.flatMap(({ name, view }) => (view?.sensitive?.length ? [[name, view.sensitive]] : [])));
}

/** Each place of a text gives way to the mark; of a long one that was cut, all that follows. */
function without(text: string, secret: string, mark: () => string): string {
  let left = text;
  for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) {
    const at = left.indexOf(form);
    if (at < 0) continue;
    left = secret.length < longestSensitive ? left.split(form).join(mark()) : left.slice(0, at) + mark();
  }
  return left;
}

/** A text that is JSON, read: tools give back such texts, and members of theirs are members too. */
function jsonIn(held: Json): Json {
  if (typeof held !== 'string' || !/^\s*[[{]/.test(held)) return held;
  try {
    return JSON.parse(held) as Json;
  } catch {
    return held;
  }
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

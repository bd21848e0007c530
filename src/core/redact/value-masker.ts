/**
 * Masks texts and values: the one place where words of a chain are masked for a viewer (L8).
 *
 * 1. The redactor finds secrets by their form and by the name of their field; the paths of a scope lead to sensitive members.
 * 2. A remembered text is masked wherever it occurs, with the mark that it has at its path.
 * 3. A snippet is masked before it is cut, and examined a bounded way beyond the cut: no secret is half shown because it was
 *    cut before it was recognised, and the length of a text costs nothing.
 * 4. No regular expression is built from data: its error message would contain the data.
 * 5. Linear in the text, however many texts are remembered.
 */

import { isObject, type Json, shorten, toCanonicalJson, toValueText } from '../lib/index.js';
import type { FieldPath } from './policy.js';
import type { Redactor } from './redactor.js';
import { fieldMark, shortestSensitive, toPathTarget } from './sensitive-texts.js';

/** Characters of a remembered text that are searched for. After a match of this length, all that follows is masked. */
export const longestSearched = 300;
/** Sensitive texts that a workflow remembers. */
export const maxSensitiveTexts = 200;
/** Characters beyond a snippet that are examined: more than the longest key that is found by its form. */
export const snippetLookahead = 600;

/** A model decides how deep a value is. Deeper members are masked; in a snippet they are omitted. */
const deepest = 200;
const deepestInSnippet = 12;

interface MaskScope {
  /** Members of the value that are sensitive. */
  readonly paths?: readonly FieldPath[];
  /** Characters to show. Default all. */
  readonly characters?: number;
}

export interface ValueMasker {
  readonly text: (text: string, scope?: Pick<MaskScope, 'characters'>) => string;
  /** Contract: with `characters`, returns the beginning of the value in its shape; as a text it is longer than that. */
  readonly value: (value: Json, scope?: MaskScope) => Json;
  /** Masks this text from now on. Ignored if it is too short to be distinctive, or part of a mark. */
  readonly remember: (sensitive: string) => void;
  readonly remembered: ReadonlySet<string>;
}

export function createValueMasker(redactor: Redactor): ValueMasker {
  const { remember, remembered, maskRemembered } = createMemory((sensitive) =>
    toValueText(redactor.value(sensitive, [[]])),
  );
  return {
    remember,
    remembered,
    text: (text, { characters } = {}) => {
      if (characters === undefined) return redactor.text(maskRemembered(text));
      const masked = redactor.text(maskRemembered(text.slice(0, characters + snippetLookahead)));
      return shorten(text.length > characters + snippetLookahead ? `${masked}…` : masked, characters);
    },
    value: (value, scope = {}) => {
      const redacted = redactMembers(value, scope, redactor);
      return remembered.size === 0 ? redacted : mapTexts(redacted, maskRemembered);
    },
  };
}

/** Masks the members at the paths, also in a text that is JSON. Clipped JSON is masked whole: no path leads into it. */
function redactMembers(value: Json, { paths = [], characters }: MaskScope, redactor: Redactor): Json {
  const inside = paths.length === 0 ? ({ kind: 'value', value } as const) : toPathTarget(value);
  if (inside.kind === 'cut') return fieldMark;
  if (characters !== undefined) {
    return redactor.value(takeBeginning(inside.value, { left: characters + snippetLookahead }, 0), paths);
  }
  const redacted = redactor.value(inside.value, paths);
  if (inside.value === value) return redacted;
  const canonicalJson = toCanonicalJson(redacted);
  return canonicalJson === toCanonicalJson(inside.value) ? value : canonicalJson;
}

function mapTexts(value: Json, change: (text: string) => string, depth = 0): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') return change(String(value)) === String(value) ? value : fieldMark;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return fieldMark;
  if (!isObject(value)) return (value as readonly Json[]).map((item) => mapTexts(item, change, depth + 1));
  const members = Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change, depth + 1)]);
  return Object.fromEntries(members);
}

/** Returns the beginning of a value in its shape, limited by the characters of its texts and names. */
function takeBeginning(value: Json, room: { left: number }, depth: number): Json {
  if (typeof value === 'string') {
    const beginning = value.slice(0, Math.max(0, room.left));
    room.left -= beginning.length + 3;
    return beginning.length < value.length ? `${beginning}…` : beginning;
  }
  room.left -= 6;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepestInSnippet) return '…';
  if (!isObject(value)) {
    const items: Json[] = [];
    for (const item of value as readonly Json[]) {
      if (room.left <= 0) break;
      items.push(takeBeginning(item, room, depth + 1));
    }
    return items;
  }
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (room.left <= 0) break;
    const name = key.slice(0, Math.max(0, room.left));
    room.left -= name.length;
    members.push([name, takeBeginning(member, room, depth + 1)]);
  }
  return Object.fromEntries(members);
}

interface MaskMemory extends Pick<ValueMasker, 'remember' | 'remembered'> {
  /** Returns the text with marks for remembered texts. */
  readonly maskRemembered: (text: string) => string;
}

/** All remembered texts that begin with the same characters. */
interface FormGroup {
  /** The remembered text of each form that is searched for. */
  readonly forms: Map<string, string>;
  /** The lengths of the forms, the longest first, since one may begin with another. */
  lengths: readonly number[];
}

// Read once: within a workflow each access to a global passes the sandbox.
const { stringify } = JSON;

function createMemory(markOf: (sensitive: string) => string): MaskMemory {
  const remembered = new Set<string>();
  const beginnings = new Map<string, FormGroup>();
  /** First characters of all forms: most positions of a text have another character and need no look-up. */
  const initials = new Set<number>();

  const put = (form: string, sensitive: string) => {
    const start = form.slice(0, shortestSensitive);
    let { forms, lengths } = beginnings.get(start) ?? { forms: new Map<string, string>(), lengths: [] };
    if (forms.has(form)) return;
    forms.set(form, sensitive);
    initials.add(form.charCodeAt(0));
    if (!lengths.includes(form.length)) lengths = [...lengths, form.length].sort((a, b) => b - a);
    beginnings.set(start, { forms, lengths });
  };
  const remember = (sensitive: string) => {
    if (sensitive.length < shortestSensitive || remembered.has(sensitive) || fieldMark.includes(sensitive)) return;
    remembered.add(sensitive);
    // Verbatim, and as JSON within a text. One character more, so that no surrogate pair is cut.
    put(sensitive.slice(0, longestSearched), sensitive);
    const jsonText = stringify(sensitive.slice(0, longestSearched + 1)).slice(1, -1);
    put(jsonText.slice(0, longestSearched), sensitive);
  };
  const formAt = (text: string, at: number): readonly [form: string, sensitive: string] | null => {
    const beginning = beginnings.get(text.slice(at, at + shortestSensitive));
    if (beginning === undefined) return null;
    for (const length of beginning.lengths) {
      const form = text.slice(at, at + length);
      const sensitive = beginning.forms.get(form);
      if (sensitive !== undefined) return [form, sensitive];
    }
    return null;
  };
  const conceal = (text: string) => {
    if (remembered.size === 0) return text;
    let masked = '';
    let from = 0;
    for (let at = 0; at + shortestSensitive <= text.length; at++) {
      const match = initials.has(text.charCodeAt(at)) ? formAt(text, at) : null;
      if (match === null) continue;
      const [form, sensitive] = match;
      masked += text.slice(from, at) + markOf(sensitive);
      if (form.length === longestSearched) return masked;
      from = at + form.length;
      at = from - 1;
    }
    return from === 0 ? text : masked + text.slice(from);
  };
  return { remember, remembered, maskRemembered: conceal };
}

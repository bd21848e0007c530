/**
 * Finds the tokens of a reply, its labels, and the code fences around them.
 *
 * One pass over the lines. A JSON input is read as a whole, so that words inside it are not taken as labels.
 */

import { readLooseJson } from '../../lib/index.js';
import { type Format, isEnding } from './format.js';
import { findLabel, type Label } from './labels.js';

export interface Token extends Label {
  /** Offsets of the label, and of the labelled text. */
  readonly start: number;
  readonly body: number;
  /** Start of the code fence around the label, or -1. */
  readonly fence: number;
}

export interface Fence {
  readonly start: number;
  /** End of its first line. */
  readonly inside: number;
  /** Its end, or that of the text. */
  readonly end: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly fences: readonly Fence[];
}

export function listTokens(text: string, format: Format): Tokens {
  const tokens: Token[] = [];
  const fences = new FenceList(text);
  // After one unreadable input the reply is a problem. Retrying at each label would not be linear.
  let readsJson = true;
  for (let at = 0; at < text.length; ) {
    const end = findLineEnd(text, at);
    const labels = listLineLabels(text.slice(at, end), at, fences.openStart, format);
    const last = labels.at(-1);
    tokens.push(...labels);
    fences.pass(last?.body ?? at, end);
    at = end + 1;
    if (!readsJson || (last?.kind !== 'input' && last?.kind !== 'action')) continue;
    const value = findJson(text, last.body);
    if (value === 'unreadable') readsJson = false;
    else if (value !== null) {
      const lineEnd = text.indexOf('\n', last.body);
      if (lineEnd >= 0 && lineEnd < value.from) fences.pass(lineEnd + 1, value.from);
      at = findLineEnd(text, value.end) + 1;
      fences.pass(value.end, at - 1);
    }
  }
  return { tokens, fences: fences.list() };
}

/** Lists the labels at the start of a line. In `Thought: Action: search` both count, in `Action: Action: search` one. */
function listLineLabels(line: string, at: number, fence: number, format: Format): readonly Token[] {
  const labels: Token[] = [];
  let start = 0;
  let body = 0;
  let label = findLabel(line, format);
  while (label !== null) {
    body += label.rest;
    const inner = findInnerLabel(line.slice(body), label, format);
    if (inner?.kind !== label.kind) {
      labels.push({ ...label, start: at + start, body: at + body, fence });
      start = body;
    }
    label = inner;
  }
  return labels;
}

function findInnerLabel(rest: string, outer: Label, format: Format): Label | null {
  if (isEnding(outer.kind) || outer.kind === 'scratchpad' || outer.kind === 'observation') return null;
  const inner = findLabel(rest, format);
  if (inner === null || inner.rest >= rest.length) return null;
  const leads = outer.kind !== 'input' && (isEnding(inner.kind) || inner.kind === 'action');
  return leads || inner.kind === outer.kind ? inner : null;
}

/** Start of an input: blanks, and the opening of a code fence. */
const inputLead = /\s*(?:(?:`{3,}|~{3,})[A-Za-z0-9]*\s*|`)?/y;

function findJson(text: string, body: number): 'unreadable' | { readonly from: number; readonly end: number } | null {
  inputLead.lastIndex = body;
  const from = body + (inputLead.exec(text)?.[0].length ?? 0);
  if (text[from] !== '{') return null;
  const read = readLooseJson(text, from);
  return read.ok ? { from, end: read.end } : 'unreadable';
}

/** As in Markdown: a fence ends at a line with as many of its marks, alone. A fence within one line does not count. */
class FenceList {
  readonly #closed: Fence[] = [];
  #open: (Omit<Fence, 'end'> & { readonly marks: string }) | null = null;

  constructor(private readonly text: string) {}

  /** Start of the open fence, or -1. */
  get openStart(): number {
    return this.#open?.start ?? -1;
  }

  /** Opens or closes a fence with a line or the rest of a line. */
  pass(start: number, end: number): void {
    const line = this.text.slice(start, end);
    const marks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (marks === undefined) return;
    if (this.#open === null) {
      if (line.split(marks).length % 2 === 0) this.#open = { start, inside: end, marks };
    } else if (marks.startsWith(this.#open.marks) && line.trim() === marks) {
      this.#closed.push({ ...this.#open, end });
      this.#open = null;
    }
  }

  list(): readonly Fence[] {
    return this.#open === null ? this.#closed : [...this.#closed, { ...this.#open, end: this.text.length }];
  }
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

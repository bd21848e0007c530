/**
 * Splits a reply into labelled sections, up to the first observation, which the model made up.
 *
 * One pass over the lines. A JSON input is read as a whole, so that words inside it are not taken as labels.
 */

import { readLooseJson } from '../../lib/loose-json.js';
import { findLabel, type Label, type LabelKind, type Tags } from './labels.js';
import { type Fence, type OwnMarks, selectOwnMarks } from './quotes.js';

export interface Section {
  readonly kind: LabelKind | 'preface';
  /** Offsets of the label, of the labelled text, and of its end. */
  readonly start: number;
  readonly body: number;
  readonly end: number;
  readonly wrap: string;
  /** Whether a code fence was opened before it. */
  readonly fenced: boolean;
}

interface LabelMark extends Label {
  readonly start: number;
  readonly body: number;
  /** Start of the code fence around the label, or -1. */
  readonly fence: number;
}

/** Start of an input: blanks, and the opening of a code fence. */
const inputLead = /\s*(?:(?:`{3,}|~{3,})[A-Za-z0-9]*\s*|`)?/y;

export interface ReplySections extends Pick<OwnMarks<LabelMark>, 'visible' | 'doubt'> {
  readonly sections: readonly Section[];
}

export function splitSections(whole: string, tags: Tags): ReplySections {
  const text = cutAtObservation(whole, tags);
  const found = listMarks(text, tags);
  const { marks: own, visible, doubt } = selectOwnMarks(found.marks, found.fences, text, tags);
  const marks = removePlannedActions(own);
  const sections: Section[] = [];
  let answer: LabelMark | null = null;
  let end = text.length;
  for (const [index, mark] of marks.entries()) {
    if (answer !== null) {
      if (!isAnswerEnd(mark, marks[index + 1], answer, text)) continue;
      // The answer is still empty, so the reply continues.
      if (text.slice(answer.body, mark.start).trim() === '') answer = null;
    }
    if (answer !== null || mark.kind === 'observation') {
      end = mark.start;
      break;
    }
    const { kind, start, body, wrap, fence } = mark;
    sections.push({ kind, start, body, end: text.length, wrap, fenced: fence >= 0 });
    if (mark.kind === 'answer') answer = mark;
  }
  const first = sections[0]?.start ?? end;
  const preface: Section = { kind: 'preface', start: 0, body: 0, end: first, wrap: '', fenced: false };
  const all = [preface, ...sections.map((section, at) => ({ ...section, end: sections[at + 1]?.start ?? end }))];
  return { sections: all, visible, doubt };
}

/** Returns the text of a section without the emphasis around its first line. */
export function getSectionBody(text: string, section: Section): string {
  const body = text.slice(section.body, section.end);
  if (section.wrap === '') return body;
  const line = body.split('\n', 1)[0] ?? '';
  return line.trimEnd().slice(0, -section.wrap.length) + body.slice(line.length);
}

/** Cuts a reply at the stop sequence, as the provider would. */
export function cutAtObservation(text: string, tags: Tags): string {
  const label = `${tags.written.observation}:`;
  if (text.startsWith(label)) return '';
  const found = text.indexOf(`\n${label}`);
  return found < 0 ? text : text.slice(0, found);
}

export function listMarks(
  text: string,
  tags: Tags,
): { readonly marks: readonly LabelMark[]; readonly fences: readonly Fence[] } {
  const marks: LabelMark[] = [];
  const fences: Fence[] = [];
  let open: OpenFence | null = null;
  /** Updates the open fence with a line or the rest of a line. */
  const pass = (from: number, to: number) => {
    const next = updateFence(open, text.slice(from, to), from);
    if (open !== null && next === null) fences.push({ ...open, end: to });
    open = next === null || open !== null ? next : { ...next, inside: to };
  };
  // After one unreadable input the reply is a problem. Retrying at each label would not be linear.
  let readsJson = true;
  let at = 0;
  while (at < text.length) {
    const end = findLineEnd(text, at);
    const line = text.slice(at, end);
    let start = at;
    const fence = getFenceStart(open);
    let label = findLabel(line, tags);
    let body = start + (label?.rest ?? 0);
    // `Thought: Action: search`: the inner label counts.
    for (let outer = label; outer !== null; ) {
      const inner = findInnerLabel(text.slice(body, end), outer, tags);
      if (inner === null) break;
      if (inner.kind !== outer.kind) {
        marks.push({ ...outer, start, body, fence });
        start = body;
      }
      body += inner.rest;
      label = inner;
      outer = inner;
    }
    let next = end + 1;
    if (label !== null) {
      marks.push({ ...label, start, body, fence });
      pass(body, end);
      const value = readsJson && (label.kind === 'input' || label.kind === 'action') ? findJson(text, body) : null;
      if (value === 'unreadable') readsJson = false;
      else if (value !== null) {
        const lead = text.slice(body, value.from);
        if (lead.includes('\n')) pass(body + lead.indexOf('\n') + 1, value.from);
        next = findLineEnd(text, value.end) + 1;
        pass(value.end, next - 1);
      }
    } else pass(at, end);
    at = next;
  }
  const last: OpenFence | null = open;
  return { marks, fences: last === null ? fences : [...fences, { ...(last as OpenFence), end: text.length }] };
}

interface OpenFence extends Omit<Fence, 'end'> {
  /** The marks that opened it. */
  readonly marks: string;
}

function getFenceStart(open: OpenFence | null): number {
  return open?.start ?? -1;
}

/** Removes "1. Action: look it up" in a list: part of a thought, if the real action has another style. */
function removePlannedActions(marks: readonly LabelMark[]): readonly LabelMark[] {
  const isPair = (at: number) => marks[at]?.kind === 'action' && marks[at + 1]?.kind === 'input';
  const styles = new Set(marks.filter((_, at) => isPair(at)).map((mark) => mark.style));
  if (styles.size === 0) return marks;
  return marks.filter((mark, at) => mark.kind !== 'action' || isPair(at) || !mark.listed || styles.has(mark.style));
}

function findJson(text: string, body: number): 'unreadable' | { readonly from: number; readonly end: number } | null {
  inputLead.lastIndex = body;
  const from = body + (inputLead.exec(text)?.[0].length ?? 0);
  if (text[from] !== '{') return null;
  const read = readLooseJson(text, from);
  return read.ok ? { from, end: read.end } : 'unreadable';
}

function findInnerLabel(rest: string, outer: Label, tags: Tags): Label | null {
  if (outer.kind === 'answer' || outer.kind === 'scratchpad' || outer.kind === 'observation') return null;
  const inner = findLabel(rest, tags);
  if (inner === null || inner.rest >= rest.length) return null;
  const leads = outer.kind !== 'input' && (inner.kind === 'answer' || inner.kind === 'action');
  return leads || inner.kind === outer.kind ? inner : null;
}

/** As in Markdown: a fence ends at a line with as many of its marks, alone. A fence within one line does not count. */
function updateFence(open: OpenFence | null, line: string, start: number): OpenFence | null {
  const marks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
  if (marks === undefined) return open;
  if (open !== null) return marks.startsWith(open.marks) && line.trim() === marks ? null : open;
  return line.split(marks).length % 2 === 0 ? { start, inside: start + line.length, marks } : null;
}

/**
 * Whether a label ends an answer, which may contain words like `Action:`. It does if a complete call follows, or if it has
 * the style of this reply's labels; never inside a code block within the answer.
 */
function isAnswerEnd(mark: LabelMark, next: LabelMark | undefined, answer: LabelMark, text: string): boolean {
  if (mark.fence > answer.body) return false;
  if (mark.kind === 'input' || mark.loose) return false;
  if (mark.kind === 'action' && next?.kind === 'input') return true;
  const alike = mark.style === answer.style || (mark.style === '' && mark.exact);
  if (mark.kind !== 'action') return alike;
  return (
    alike &&
    /^\s*(?:(?:none|n\/a)\W*(?:\n|$)|\{|[\p{L}\p{N}_.-]{1,128}(?:\(|\[|\s*\{))/iu.test(
      text.slice(mark.body, mark.body + 200),
    )
  );
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Splits a reply into labelled sections, up to the first observation, which the model made up. */

import { getFirstLine } from './decoration.js';
import { type Format, isEnding, type LabelKind } from './format.js';
import { isListed } from './labels.js';
import { type OwnTokens, selectOwnTokens } from './quotes.js';
import { listTokens, type Token } from './tokens.js';

/** The beginning of a section. */
interface SectionStart {
  readonly kind: LabelKind | 'preface';
  /** Offsets of the label, and of the labelled text. */
  readonly start: number;
  readonly body: number;
  readonly wrap: string;
  /** Whether a code fence was opened before it. */
  readonly fenced: boolean;
}

export interface Section extends SectionStart {
  readonly end: number;
}

export interface ReplySections extends Pick<OwnTokens, 'doubt'> {
  readonly sections: readonly Section[];
}

export function splitSections(whole: string, format: Format): ReplySections {
  const text = cutAtObservation(whole, format);
  const { tokens, visible, doubt } = selectOwnTokens(listTokens(text, format), text, format);
  const { starts, end } = listStarts(removePlannedActions(tokens), text);
  const lines = toSections([{ kind: 'preface', start: 0, body: 0, wrap: '', fenced: false }, ...starts], end);
  const acts = lines.some(({ kind }) => kind === 'action' || kind === 'input');
  const ends = acts || lines.some(({ kind }) => isEnding(kind));
  const split = lines.flatMap((section, at): readonly SectionStart[] => {
    const { kind, body, fenced } = section;
    const next = lines[at + 1]?.kind;
    const inline =
      kind === 'thought' || kind === 'preface'
        ? listThoughtLabels(visible.slice(body, section.end), { acts, ends, next }, format)
        : kind === 'action' && next !== 'input'
          ? listActionLabels(text.slice(body, section.end), format)
          : [];
    const starts = inline.map((label) => ({
      kind: label.kind,
      start: body + label.start,
      body: body + label.body,
      wrap: '',
      fenced,
    }));
    return [section, ...starts];
  });
  return { sections: toSections(split, end), doubt };
}

function toSections(starts: readonly SectionStart[], end: number): readonly Section[] {
  return starts.map((section, at) => ({ ...section, end: starts[at + 1]?.start ?? end }));
}

/** Returns the text of a section without the emphasis around its first line. */
export function getSectionBody(text: string, { body: from, end, wrap }: Section): string {
  const body = text.slice(from, end);
  if (wrap === '') return body;
  const line = getFirstLine(body);
  return line.trimEnd().slice(0, -wrap.length) + body.slice(line.length);
}

/** Cuts a reply at the stop sequence, as the provider would. */
export function cutAtObservation(text: string, { written }: Format): string {
  const index = `\n${text}`.indexOf(`\n${written.observation}:`);
  return index < 0 ? text : text.slice(0, Math.max(0, index - 1));
}

/** Removes "1. Action: look it up" in a list: part of a thought, if the real action has another style. */
function removePlannedActions(tokens: readonly Token[]): readonly Token[] {
  const isPair = (at: number) => tokens[at]?.kind === 'action' && tokens[at + 1]?.kind === 'input';
  const styles = new Set(tokens.filter((_, at) => isPair(at)).map(({ style }) => style));
  if (styles.size === 0) return tokens;
  return tokens.filter(
    (token, at) => token.kind !== 'action' || isPair(at) || !isListed(token) || styles.has(token.style),
  );
}

/** Lists the sections up to an observation, or to a label that ends the answer. */
function listStarts(
  tokens: readonly Token[],
  text: string,
): { readonly starts: readonly SectionStart[]; readonly end: number } {
  const starts: SectionStart[] = [];
  let answer: Token | null = null;
  for (const [at, token] of tokens.entries()) {
    if (answer !== null && !isAnswerEnd(token, tokens[at + 1], answer, text)) continue;
    // After an empty answer, the reply continues.
    const isOver = answer !== null && text.slice(answer.body, token.start).trim() !== '';
    if (isOver || token.kind === 'observation') return { starts, end: token.start };
    const { kind, start, body, wrap, fence } = token;
    starts.push({ kind, start, body, wrap, fenced: fence >= 0 });
    answer = isEnding(kind) ? token : null;
  }
  return { starts, end: text.length };
}

/**
 * Whether a label ends an answer, which may contain words like `Action:`. It does if a complete call follows, or if it has
 * the style of this reply's labels; never inside a code block within the answer.
 */
function isAnswerEnd(token: Token, next: Token | undefined, answer: Token, text: string): boolean {
  if (token.fence > answer.body || token.kind === 'input' || token.loose) return false;
  if (token.kind === 'action' && next?.kind === 'input') return true;
  const alike = token.style === answer.style || (token.style === '' && token.exact);
  if (!alike || token.kind !== 'action') return alike;
  const call = /^\s*(?:(?:none|n\/a)\W*(?:\n|$)|\{|[\p{L}\p{N}_.-]{1,128}(?:\(|\[|\s*\{))/iu;
  return call.test(text.slice(token.body, token.body + 200));
}

/** A label within the lines of a section: offsets in its text. */
type InlineLabel = Pick<SectionStart, 'kind' | 'start' | 'body'>;

/** What else the reply has: an action, an action or an answer, and the section after this one. */
interface Others {
  readonly acts: boolean;
  readonly ends: boolean;
  readonly next: Section['kind'] | undefined;
}

/**
 * Lists the labels of `Thought: … Action: search Action Input: {…}`. Prose may contain "the Action: of …", so a label counts
 * only if its context allows no other reading.
 */
function listThoughtLabels(text: string, { acts, ends, next }: Others, { patterns }: Format): readonly InlineLabel[] {
  for (const match of text.matchAll(patterns.action)) {
    const end = match.index + match[0].length;
    const name = match.index + match[0].lastIndexOf(match.groups?.name ?? '');
    const action: InlineLabel = { kind: 'action', start: match.index, body: name };
    patterns.input.lastIndex = end;
    const input = patterns.input.exec(text)?.[0].length;
    if (input !== undefined) return [action, { kind: 'input', start: end, body: end + input }];
    const isLast = text.length - end < 200 && text.slice(end).trim() === '';
    // Alone, it must start a sentence: "the required Action: none" is prose.
    const isSentence = !acts && /[.!?;)。]\s*$/.test(text.slice(Math.max(0, match.index - 10), match.index));
    const isCall = isSentence && /^(?:\(|\[|\s?\{)/.test(text.slice(end, end + 2));
    if (isCall || (isLast && (isSentence || next === 'input'))) return [action];
  }
  const answer = ends ? null : (patterns.answer.exec(text) ?? patterns.answerSentence.exec(text));
  return answer === null ? [] : [{ kind: 'answer', start: answer.index, body: answer.index + answer[0].length }];
}

/** Lists the input of `Action: search Action Input: {…}`. */
function listActionLabels(text: string, { patterns }: Format): readonly InlineLabel[] {
  const line = getFirstLine(text.trimStart());
  const match = patterns.inputAnywhere.exec(line);
  if (match === null) return [];
  const start = text.indexOf(line) + match.index;
  return [{ kind: 'input', start, body: start + match[0].length }];
}

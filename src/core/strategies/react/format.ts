/**
 * The table of alternatives: the labels of the format, and the other ways in which models write them, the names of members,
 * and the words that mean a label, a tool or no tool at all.
 */

import type { ReactOptions } from '../../model/index.js';
import { reactDefaults } from '../strategy.js';

export type LabelKind = 'thought' | 'action' | 'input' | 'observation' | 'answer' | 'failure' | 'scratchpad';

/** Whether the text of a label ends the chain: an answer, or the reason for its absence. */
export function isEnding(kind: LabelKind | 'preface'): kind is 'answer' | 'failure' {
  return kind === 'answer' || kind === 'failure';
}

export interface Format {
  readonly written: Readonly<Record<LabelKind, string>>;
  /** Kinds by the exact tag. */
  readonly spelled: ReadonlyMap<string, LabelKind>;
  /** Kinds by the normalised tag. */
  readonly kinds: ReadonlyMap<string, LabelKind>;
  /** Labels in the middle of a line. */
  readonly patterns: ReturnType<typeof createInlinePatterns>;
}

/** Creates the format: the configured tags, and the default ones, which models fall back to. */
export function createFormat(options: ReactOptions): Format {
  const written = toWrittenTags(options);
  const tags = [...Object.entries(toWrittenTags(reactDefaults)), ...Object.entries(written)].filter(
    ([kind]) => kind !== 'failure' || options.canFail === true,
  );
  const spelled = new Map(tags.map(([kind, tag]) => [tag, kind as LabelKind]));
  const kinds = new Map([...spelled].map(([tag, kind]) => [normalizeLabel(tag), kind]));
  return { written, spelled, kinds, patterns: createInlinePatterns(written, [...spelled.keys()]) };
}

function toWrittenTags({ thoughtTag, actionTag, observationTag }: ReactOptions): Format['written'] {
  return {
    thought: thoughtTag,
    action: actionTag,
    input: `${actionTag} Input`,
    observation: observationTag,
    answer: 'Final Answer',
    failure: 'Cannot Complete',
    scratchpad: 'Scratchpad',
  };
}

export function findLabelKind(word: string, { kinds }: Format): LabelKind | null {
  const plain = normalizeLabel(word);
  if (plain === '') return null;
  // `Thought 2:`, `Action 1 Input:` and `Observation (search):` are the same labels.
  const bare = normalizeLabel(word.replace(/\([^()]*\)/g, ''));
  return kinds.get(plain) ?? kinds.get(bare) ?? kinds.get(bare.replace(/\d{1,3}/g, '')) ?? null;
}

/** Finds `Thoughts` and `Observations`. */
export function findPluralKind(word: string, { kinds }: Format): LabelKind | null {
  const plain = normalizeLabel(word);
  const kind = plain.endsWith('s') && !kinds.has(plain) ? kinds.get(plain.slice(0, -1)) : undefined;
  return kind === 'thought' || kind === 'observation' ? kind : null;
}

/** Whether a text is nothing, or the beginning of the input's label: a reply that was cut off there has lost its arguments. */
export function isInputStart(text: string, { written }: Format): boolean {
  return normalizeLabel(written.input).startsWith(normalizeLabel(text));
}

function normalizeLabel(word: string): string {
  return word.replace(/[\s*_`\-[\]#:：\u200B]|\uFE0F/gu, '').toLowerCase();
}

/** Decoration before a label, and its emphasis. */
export const leadPattern =
  /^(?:[\s>\u200B\uFEFF]|\uFE0F|[-+•▪◦–]\s|\*\s|\(?\d{1,3}[.)]\s?|#{1,6}(?!#)|\p{Extended_Pictographic})*/u;
export const emphasisPattern = /^[*_`[]*/;
/** Separators in place of the colon. A hyphen within a word is not one. */
export const separatorPattern = /\s?(?:[-=]?>|=|→)|\s[-–—]|\]\s/;
/** Labels that count alone on a line, without a colon and without decoration: the others are words of a thought. */
export const bareKinds: readonly LabelKind[] = ['answer', 'input', 'observation'];

/** Creates the patterns of labels within lines. Every repetition is bounded: matching at each place of a long text stays linear. */
function createInlinePatterns(written: Format['written'], tags: readonly string[]) {
  const mark = '[*_`]{0,3}';
  const colon = `${mark}[ ]?[:：]${mark}`;
  const label = (tag: string) => `${mark}${escapePattern(tag)}[ ]?\\d{0,3}${colon}`;
  const input = label(written.input);
  const name = `\\s{0,20}[\`"'*]{0,3}(?<name>[\\p{L}\\p{N}_.\\\\-]{1,128})[\`"'*,.]{0,3}`;
  const all = tags.map(escapePattern).join('|');
  const number = '(?:\\s?\\([^()\\n]{0,64}\\)|[ ]?\\d{1,3})?';
  return {
    /** An action with the name of its tool, in a thought. */
    action: new RegExp(`(?<=[\\s.!?;,)。])${label(written.action)}${name}`, 'gu'),
    /** An input directly after it. */
    input: new RegExp(`\\s{0,20}${input}`, 'uy'),
    inputAnywhere: new RegExp(`(?<=[\\s.!?;,)\`"'*])${input}`, 'u'),
    answer: new RegExp(`(?<=(?:[.!?:。)"'*]|[Aa]nswer)\\s{1,3})${label(written.answer)}`, 'u'),
    /** "The final answer is: 12", "Final answer - 12": at the start of a sentence. */
    answerSentence: new RegExp(
      `(?<=(?:^|\\n)\\s{0,20}|[.!?。]\\s)${mark}(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?${escapePattern(written.answer)}${mark}(?: is${mark}[ ]?[:：]|[ ]?[=]|[ ][-–—](?=\\s))${mark}`,
      'iu',
    ),
    /** Any label after an action or in its input. */
    any: new RegExp(`(?<=^|[\\s。！？])(?:${mark}(?<plain>${all})${number}${colon}|<(?<tagged>${all})>)`, 'giu'),
  };
}

/** Converts a tag to a pattern that matches its words apart or joined. */
function escapePattern(tag: string): string {
  return tag.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '[ _]?');
}

/** Names of members in a reply that is one object, in addition to the tags. */
const memberNames: ReadonlyMap<string, LabelKind> = new Map(
  Object.entries({
    thought: ['thoughts', 'reasoning', 'thinking'],
    action: ['tool', 'toolname', 'actionname', 'name', 'function'],
    input: ['toolinput', 'input', 'arguments', 'args', 'parameters', 'params'],
    observation: ['observations'],
    answer: ['answer', 'finalresponse'],
  }).flatMap(([kind, names]) => names.map((name) => [name, kind as LabelKind])),
);

export function findMemberKind(key: string, { kinds }: Format): LabelKind | null {
  const plain = normalizeLabel(key);
  return kinds.get(plain) ?? memberNames.get(plain) ?? null;
}

/** Members of an action that is one object: the first that exists counts. */
export const actionMembers = {
  tool: ['name', 'tool', 'action', 'tool_name', 'function'],
  input: ['arguments', 'input', 'action_input', 'parameters', 'tool_input', 'args', 'params'],
} as const;

/** Returns the tool name that begins at a place; empty for none. */
export function readToolName(text: string, at: number): string {
  toolNamePattern.lastIndex = at;
  return toolNamePattern.exec(text)?.[0] ?? '';
}

// Not exported: the SDK freezes exports, and these have a position.
const toolNamePattern = /(?:[\p{L}\p{N}_./@-]|\\_)+/uy;

/** Names of tools in a sentence: `` `search` ``, `Use the search tool`. */
export const mentionPatterns: readonly RegExp[] = [
  /`([\p{L}\p{N}_.-]{1,128})`/u,
  /^(?:use|call|invoke|run|execute)\s+(?:the\s+)?["'*]*([\p{L}\p{N}_.-]+?)["'*]*(?:\s+(?:tool|function|api))?\W*$/iu,
];

/** What leads from the name of a tool to arguments that may take several lines: a colon, words, a label. */
export const argumentLeads: readonly RegExp[] = [
  /^[:：](?=\s{0,199}[{`])/,
  /^\s*(?:(?:with )?(?:input|arguments|args|parameters|params)\s?[:=]?\s*)?(?=(?:`{3,}[A-Za-z0-9]*\s*)?\{)/i,
  /^\s*\n\s*[*_`]{0,3}(?:Tool )?(?:Input|Arguments|Args|Parameters)[*_`]{0,3}:[*_`]{0,3}/i,
];

/** Returns the end of a request for clarification that begins at a place; -1 for none. It is a call of the question tool. */
export function findClarificationEnd(text: string, at: number): number {
  clarificationPattern.lastIndex = at;
  return clarificationPattern.test(text) ? clarificationPattern.lastIndex : -1;
}

const clarificationPattern =
  /(?:(?:request|ask|seek|get)[ _-]?(?:(?:the[ _-]?)?user[ _-]?)?(?:for[ _-]?)?(?:a[ _-]?)?clarification|clarification(?:[ _-]?request)?|clarify|ask[ _-]?(?:the[ _-]?)?(?:user|human))(?:[ _-]?(?:action|tool))?(?![\p{L}\p{N}_-])/iuy;

export const finalAnswerPattern = /^final[ _-]?answer$/i;

const noToolPattern =
  /^[^\p{L}\p{N}]*(?:none|n\/a|nil|null|nothing|no (?:further |more |other )?(?:actions?|tools?)\b.*|not? (?:needed|required|applicable|necessary).*|none (?:is |are )?(?:needed|required|necessary).*|(?:i (?:will|can|should) )?(?:now )?(?:provide|give|write|output|return|deliver|present|state|formulate)\s.*\banswer\b.*)?[^\p{L}\p{N}]*$/iu;

/** `None`, "No further action is needed." */
export function isNoTool(line: string): boolean {
  return line.length <= 200 && noToolPattern.test(line);
}

const noInputPattern =
  /^[([<"'*]*(?:none|null|nil|n\/?a|undefined|no (?:input|arguments?|parameters?)(?: (?:is |are )?(?:needed|required|necessary))?|not (?:needed|required|applicable)|none (?:needed|required)|-|–|—)?[)\]>"'*.]*$/i;

/** An empty input, `None`, "no input needed". */
export function isNoInput(text: string): boolean {
  return text.length < 80 && noInputPattern.test(text);
}

/**
 * Lines in Markdown.
 *
 * 1. Words of others are in a fence that is longer than any in them, or in code: they cannot end their place, and nothing
 *    in them is rendered, neither a link nor an image nor HTML.
 */

import { asText, type Json } from '../lib/json.js';
import { oneLine, plain, showAddresses } from '../lib/plain.js';
import type { Fact, Label, Line } from './line.js';

/** A line as a title, and the words in full below it. @param id of its item */
export function lineBlocks({ label, said, facts, notes }: Line, id: string): readonly string[] {
  const name = label.name === null ? [] : [code(label.name)];
  const noted = notes.map((note) => `- ${code(note)}`);
  return [
    [`**${titleOf(label)}** ${id}`, ...name, ...facts.map(factText)].join(' · '),
    ...(said === '' ? [] : [fence(said)]),
    ...(noted.length === 0 ? [] : [noted.join('\n')]),
  ];
}

/** A line within a paragraph: its label and its words, or a value as code. */
export function inlineText({ label, said, form, facts }: Line): string {
  const title = label.sign ?? `**${titleOf(label)}**${label.name === null ? '' : ` ${code(label.name)}`}`;
  const words = form === 'words' ? wordsText({ said }) : code(said);
  return [title, said === '' ? '' : words, facts.map(factText).join(' · ')].filter((part) => part !== '').join(' ');
}

/** The words of a line within a paragraph: a link shows where it leads, instead of leading there. */
export function wordsText({ said }: Pick<Line, 'said'>): string {
  return showAddresses(oneLine(asText(said)));
}

/** The kind of a tool is its author's word. */
function titleOf({ kind }: Label): string {
  const known = /^[\w -]+$/.test(kind) ? kind : 'tool';
  return known.slice(0, 1).toUpperCase() + known.slice(1);
}

function factText(fact: Fact): string {
  return typeof fact === 'string' ? fact : code(fact.said);
}

/** Invariant 1. */
export function fence(content: Json): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${typeof content === 'string' ? 'text' : 'json'}\n${text}\n${marks}`;
}

/** Invariant 1, in one line, letter for letter. */
export function code(content: Json): string {
  const text = plain(asText(content)).replace(/\s*\n\s*/g, ' ');
  const marks = '`'.repeat(longestRun(text) + 1);
  // A mark at the start or the end needs a space beside it; so does an empty text.
  return text === '' || marks.length > 1 ? `${marks} ${text} ${marks}` : `${marks}${text}${marks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

export function quote(text: string): string {
  return `> ${text.replace(/\n/g, '\n> ')}`;
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

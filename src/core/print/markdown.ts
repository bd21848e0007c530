/**
 * Lines in Markdown.
 *
 * 1. Words of others are in a fence that is longer than any in them, or in code: they cannot end their place, and nothing
 *    in them is rendered, neither a link nor an image nor HTML.
 */

import { type Json, toValueText } from '../lib/json.js';
import { showAddresses, toOneLine, toPlainText } from '../lib/plain-text.js';
import type { Line, LineLabel, Remark } from './line.js';

/** A line as a title, and the words in full below it. @param id of its item */
export function formatLineBlocks({ label, content, remarks, notes }: Line, id: string): readonly string[] {
  const name = label.name === null ? [] : [formatCode(label.name)];
  const noted = notes.map((note) => `- ${formatCode(note)}`);
  return [
    [`**${formatTitle(label)}** ${id}`, ...name, ...remarks.map(formatRemark)].join(' · '),
    ...(content === '' ? [] : [formatFence(content)]),
    ...(noted.length === 0 ? [] : [noted.join('\n')]),
  ];
}

/** A line within a paragraph: its label and its words, or a value as code. */
export function formatInline({ label, content, form, remarks }: Line): string {
  const title = label.sign ?? `**${formatTitle(label)}**${label.name === null ? '' : ` ${formatCode(label.name)}`}`;
  const words = form === 'words' ? formatWords({ content }) : formatCode(content);
  return [title, content === '' ? '' : words, remarks.map(formatRemark).join(' · ')]
    .filter((part) => part !== '')
    .join(' ');
}

/** The words of a line within a paragraph: a link shows where it leads, instead of leading there. */
export function formatWords({ content }: Pick<Line, 'content'>): string {
  return showAddresses(toOneLine(toValueText(content)));
}

/** The kind of a tool is its author's word. */
function formatTitle({ kind }: LineLabel): string {
  const known = /^[\w -]+$/.test(kind) ? kind : 'tool';
  return known.slice(0, 1).toUpperCase() + known.slice(1);
}

function formatRemark(fact: Remark): string {
  return typeof fact === 'string' ? fact : formatCode(fact.text);
}

/** Invariant 1. */
export function formatFence(content: Json): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  const marks = '`'.repeat(Math.max(3, computeLongestRun(text) + 1));
  return `${marks}${typeof content === 'string' ? 'text' : 'json'}\n${text}\n${marks}`;
}

/** Invariant 1, in one line, letter for letter. */
export function formatCode(content: Json): string {
  const text = toPlainText(toValueText(content)).replace(/\s*\n\s*/g, ' ');
  const marks = '`'.repeat(computeLongestRun(text) + 1);
  // A mark at the start or the end needs a space beside it; so does an empty text.
  return text === '' || marks.length > 1 ? `${marks} ${text} ${marks}` : `${marks}${text}${marks}`;
}

function computeLongestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

export function formatQuote(text: string): string {
  return `> ${text.replace(/\n/g, '\n> ')}`;
}

export function formatList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

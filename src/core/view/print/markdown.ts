/**
 * Lines in Markdown.
 *
 * 1. Text from elsewhere is in code or in a fence longer than any in it: it cannot end its place, and no link, image or
 *    HTML in it is rendered.
 */

import { formatArguments, type Json, showAddresses, toOneLine, toPlainText, toValueText } from '../../lib/index.js';
import { type ContentBlock, diffSigns } from '../content-block.js';
import type { Line, LineLabel, Remark } from './line.js';

/** Formats a line as a title with the full text below. @param id id of its item */
export function formatLineBlocks({ label, content, remarks, notes, block }: Line, id: string): readonly string[] {
  const name = label.name === null ? [] : [formatCode(label.name)];
  const noted = notes.map((note) => `- ${formatCode(note)}`);
  return [
    [`**${formatTitle(label)}** ${id}`, ...name, ...remarks.map(formatRemark)].join(' · '),
    ...(content === '' ? [] : [block === null ? formatFence(content) : formatCode(formatArguments(content))]),
    ...(block === null ? [] : formatBlock(block)),
    ...(noted.length === 0 ? [] : [noted.join('\n')]),
  ];
}

/** Formats a table or a diff. Invariant 1: each cell is in code. */
function formatBlock(block: ContentBlock): readonly string[] {
  const omitted = block.omitted.length === 0 ? [] : [`… ${block.omitted.map(formatCode).join(', ')}`];
  if (block.kind === 'diff') {
    const rows = block.rows.map(({ change, text }) => toPlainText(diffSigns[change] + text).replaceAll('\n', ' '));
    return [...(rows.length === 0 ? [] : [formatFenced(rows.join('\n'), 'diff')]), ...omitted];
  }
  const heads = block.columns.map(({ name }) => formatCell(name));
  return [
    formatTable(
      heads,
      block.rows.map((row) => row.map(formatCell)),
      block.columns.map(({ isNumeric }) => (isNumeric ? '---:' : '---')),
    ),
    ...omitted,
  ];
}

/** An empty cell has no code. */
function formatCell(text: string): string {
  return text === '' ? '' : formatCode(text);
}

/** Formats a line within a paragraph: its label and its text, or a value as code. */
export function formatInline({ label, content, form, remarks }: Line): string {
  const title = label.sign ?? `**${formatTitle(label)}**${label.name === null ? '' : ` ${formatCode(label.name)}`}`;
  const words = form === 'words' ? formatWords({ content }) : formatCode(content);
  return [title, content === '' ? '' : words, remarks.map(formatRemark).join(' · ')]
    .filter((part) => part !== '')
    .join(' ');
}

/** Formats the text of a line within a paragraph: a link becomes its address. */
export function formatWords({ content }: Pick<Line, 'content'>): string {
  return showAddresses(toOneLine(toValueText(content)));
}

/** A tool's author chooses its kind. */
function formatTitle({ kind }: LineLabel): string {
  const known = /^[\w -]+$/.test(kind) ? kind : 'tool';
  return known.slice(0, 1).toUpperCase() + known.slice(1);
}

function formatRemark(remark: Remark): string {
  return typeof remark === 'string' ? remark : formatCode(remark.text);
}

/** Invariant 1. */
export function formatFence(content: Json): string {
  return typeof content === 'string'
    ? formatFenced(content, 'text')
    : formatFenced(JSON.stringify(content, null, 2), 'json');
}

function formatFenced(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(3, computeLongestRun(text) + 1));
  return `${marks}${language}\n${text}\n${marks}`;
}

/** Invariant 1, in one line, letter for letter. */
export function formatCode(content: Json): string {
  const text = toPlainText(toValueText(content)).replace(/\s*\n\s*/g, ' ');
  const marks = '`'.repeat(computeLongestRun(text) + 1);
  // A mark at the start or the end needs a space; so does an empty text.
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

export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  aligns: readonly string[] = heads.map(() => '---'),
): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(aligns), ...rows.map(line)].join('\n');
}

/** Markdown of what others wrote: nothing of it leaves its place. */

import { shorten } from '../lib/display.js';
import { canonical, type Json } from '../lib/json.js';
import { oneLine } from '../lib/plain.js';

/** In one line, as code: longer runs of back quotes than any in it around it. */
export function code(text: string): string {
  const line = oneLine(text);
  const marks = '`'.repeat(longest(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${marks}${pad}${line}${pad}${marks}`;
}

export function fenceLines(lines: readonly string[]): string {
  const text = lines.join('\n');
  const marks = '`'.repeat(Math.max(3, longest(text) + 1));
  return `${marks}text\n${text}\n${marks}`;
}

function longest(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Members of an object as `name=value`, anything else as it is written; never more than a few lines. */
export function said(value: Json, characters = 300): string {
  if (typeof value === 'string') return shorten(oneLine(value), characters);
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isRecord) return shorten(oneLine(canonical(value)), characters);
  const members = Object.entries(value).map(([name, member]) => `${name}=${bare(member as Json)}`);
  return shorten(oneLine(members.join(' ')), characters);
}

function bare(value: Json): string {
  return typeof value === 'string' && /^[\w.@/-]+$/.test(value) ? value : canonical(value);
}

/** Formats the outline of a model call's context to read in a terminal: in the order in which the model reads it. */

import { formatCount, formatPlural, toOneLine, toPlainText } from '../../core/lib/index.js';
import type { ContextOutline, ResultOutline, SummaryOutline } from '../../core/model/index.js';
import type { Colors } from '../terminal/colors.js';

export function formatContext(outline: ContextOutline, c: Colors): string {
  const { chainId, call, step, bytes, summary, steps } = outline;
  const parts = [`system ${formatCount(bytes.system)}`, `tools ${formatCount(bytes.tools)}`];
  const rows = [
    `${c.bold(`Context of ${call}, step ${step}`)}  ${c.dim(toOneLine(chainId))}`,
    c.dim(toOneLine([outline.model, formatWindow(outline), formatInput(outline)].join(' · '))),
    c.dim(`${parts.join(' · ')} · messages ${formatCount(bytes.messages)} bytes`),
    ...(summary === null ? [] : formatSummary(summary, c)),
    ...steps.flatMap(({ number, results }) => [`Step ${number}`, ...results.map(formatResult)]),
  ];
  return `${rows.join('\n')}\n`;
}

function formatWindow({ windowTokens, compactAt }: ContextOutline): string {
  if (windowTokens === null) return 'window unknown';
  const start = formatCount(Math.floor(compactAt * windowTokens));
  return `window ${formatCount(windowTokens)} tokens, summarized from ${start}`;
}

function formatInput({ inputTokens, reservedTokens }: ContextOutline): string {
  const used = inputTokens === null ? 'no tokens reported' : `${formatCount(inputTokens)} tokens in`;
  return `${used}, at most ${formatCount(reservedTokens)} reserved`;
}

function formatSummary({ steps, notes, lines, leftOut }: SummaryOutline, c: Colors): readonly string[] {
  const noted = notes?.steps ?? 0;
  const rows: string[] = [];
  if (notes !== null) {
    const text = notes.text ?? 'not visible to this role';
    rows.push(`Steps 1 to ${noted}: notes of ${notes.call ?? 'a model'}, ${formatCount(notes.bytes)} bytes`);
    rows.push(
      ...toPlainText(text)
        .split('\n')
        .map((row) => c.dim(`  ${row}`)),
    );
  }
  if (leftOut > 0) rows.push(`Steps ${noted + 1} to ${noted + leftOut}: left out`);
  if (lines > 0) rows.push(`Steps ${noted + leftOut + 1} to ${steps}: ${formatPlural(lines, 'line')} by rule`);
  return rows;
}

function formatResult({ call, tool, form, bytes, ofBytes, summarized }: ResultOutline): string {
  const name = `  ${call} ${toOneLine(tool ?? 'a tool')}`;
  if (form === null || bytes === null) return `${name}  not visible to this role`;
  const isPart = form === 'clipped' || form === 'summarized';
  const size = isPart ? `${formatCount(bytes)} of ${formatCount(ofBytes ?? bytes)}` : formatCount(bytes);
  const by = summarized?.failure === undefined ? summarized?.model : `not summarized: ${summarized.failure}`;
  return `${name}  ${form}, ${size} bytes${by === undefined ? '' : ` (${toOneLine(by)})`}`;
}

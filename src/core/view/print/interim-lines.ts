/** The interim result of a running call as one line: progress with a bar, of a text with several lines the last, which is the newest. */

import { isObject, type Json, toValueText } from '../../lib/index.js';
import { computeShare, formatCallProgress, toCallProgress } from '../../model/index.js';
import { createLine, createSignLabel, type Line } from './line.js';

/** @param tool null below the line of its call */
export function formatInterimLine(value: Json, tool: string | null): Line {
  const progress = toCallProgress(value);
  const share = progress === null ? null : computeShare(progress);
  const content = formatInterimText(value);
  return createLine(createSignLabel('interim', '⋯', 'running', tool), {
    content,
    share,
    form: 'value',
    style: 'faint',
  });
}

/** Formats an interim result without its call, in one row. */
export function formatInterimText(value: Json): string {
  const progress = toCallProgress(value);
  if (progress !== null) return formatCallProgress(progress);
  const rows = toValueText(unwrapText(value)).split(/\r\n|\r|\n/);
  return rows.findLast((row) => row.trim() !== '') ?? '';
}

/** Returns the text of a value with one member, such as the output of a command. */
function unwrapText(value: Json): Json {
  const [only, ...others] = isObject(value) ? Object.values(value) : [];
  return typeof only === 'string' && others.length === 0 ? only : value;
}

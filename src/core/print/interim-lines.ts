/** The interim result of a running call as one line: of a text with several lines the last, which is the newest. */

import { type Json, toValueText } from '../lib/json.js';
import { createLine, createSignLabel, type Line } from './line.js';

/** @param tool null below the line of its call */
export function formatInterimLine(value: Json, tool: string | null): Line {
  const rows = toValueText(value).split(/\r\n|\r|\n/);
  const content = rows.findLast((row) => row.trim() !== '') ?? '';
  return createLine(createSignLabel('interim', '⋯', 'running', tool), { content, form: 'value', style: 'faint' });
}

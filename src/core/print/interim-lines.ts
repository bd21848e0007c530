/** The interim result of a running call as one line: of a text with several lines the last, which is the newest. */

import { isObject, type Json, toValueText } from '../lib/json.js';
import { createLine, createSignLabel, type Line } from './line.js';

/** @param tool null below the line of its call */
export function formatInterimLine(value: Json, tool: string | null): Line {
  const rows = toValueText(unwrapText(value)).split(/\r\n|\r|\n/);
  const content = rows.findLast((row) => row.trim() !== '') ?? '';
  return createLine(createSignLabel('interim', '⋯', 'running', tool), { content, form: 'value', style: 'faint' });
}

/** Returns the text of a value with one member, such as the output of a command. */
function unwrapText(value: Json): Json {
  const [only, ...others] = isObject(value) ? Object.values(value) : [];
  return typeof only === 'string' && others.length === 0 ? only : value;
}

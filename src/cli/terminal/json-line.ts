/** JSON as commands print it: valid for a program, and safe where a person reads it in a terminal. */

import { plainJson } from '../../core/lib/plain.js';

/** @param indent spaces of each level; default: all in one line */
export function jsonLine(value: unknown, indent?: number): string {
  return `${plainJson(JSON.stringify(value, null, indent))}\n`;
}

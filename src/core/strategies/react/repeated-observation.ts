/**
 * Drops observations that a reply repeats before its first thought: the conversation already has them.
 *
 * The repeated text is foreign and may imitate labels. Therefore a text between marks is dropped up to its closing mark,
 * labels in its code fences do not count, and a reply with more than one turn after it stays as it is: the first turn may be
 * part of the observation.
 */

import { type Format, isEnding } from './format.js';
import { findLabel, isQuoted } from './labels.js';
import { cutAtObservation } from './sections.js';
import { listTokens } from './tokens.js';

/** Returns the reply from its thought on, or the whole reply if no observation precedes it. */
export function dropRepeatedObservations(text: string, format: Format, multipleActions: boolean): string {
  const start = findThoughtAfterObservation(text, format);
  if (start === null) return text;
  const rest = text.slice(start);
  return hasOneTurn(cutAtObservation(rest, format), format, multipleActions) ? rest : text;
}

const fencePattern = /^\s*(?:`{3,}|~{3,})/;
/** The mark around a text of several lines (F1). */
const framePattern = /^\s*<(text-[a-z0-9]+)>/;
const maxMarkLength = 40;

function findThoughtAfterObservation(text: string, format: Format): number | null {
  let observed = false;
  let fenced = false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(at, next);
    const label = fenced ? null : findLabel(line.trimEnd(), format);
    if (label === null && !observed && line.trim() !== '') return null;
    if (label !== null && (isQuoted(label) || label.kind !== 'observation')) {
      return observed && label.kind === 'thought' && !isQuoted(label) ? at : null;
    }
    const body = at + (label?.rest ?? 0);
    observed ||= label !== null;
    const mark = label === null ? undefined : framePattern.exec(text.slice(body, body + maxMarkLength))?.[1];
    if (mark === undefined) {
      if (fencePattern.test(text.slice(body, next))) fenced = !fenced;
      at = next;
    } else {
      const close = text.indexOf(`</${mark}>`, body);
      if (close < 0) return null;
      at = close + mark.length + 3;
    }
  }
  return null;
}

function hasOneTurn(text: string, format: Format, multipleActions: boolean): boolean {
  const own = listTokens(text, format).tokens.filter((token) => token.fence < 0 && !isQuoted(token));
  const decision = own.findIndex(({ kind }) => kind === 'action' || isEnding(kind));
  if (decision < 0) return true;
  return !own
    .slice(decision + 1)
    .some(({ kind }) => kind === 'thought' || isEnding(kind) || (kind === 'action' && !multipleActions));
}

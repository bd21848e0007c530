/**
 * The marks of masked values: `[redacted:email]` for the first address, `[redacted:email#2]` for the second. Equal values
 * have equal marks, so a reader can follow a value through a chain without seeing it.
 */

import { isObject, type Json } from '../lib/index.js';

const mark = /\[redacted:([a-z0-9][a-z0-9-]{0,39})(?:#([1-9]\d{0,8}))?\]/g;

/** The beginning of each mark: most texts contain none. */
const markStart = '[redacted:';

export interface Labels {
  readonly assign: (kind: string, value: string) => string;
  /** Reserves the marks in a text: no other value may get one of them. */
  readonly reserve: (text: string) => void;
}

export function createLabels(): Labels {
  const labelByName = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    assign: (kind, value) => {
      const name = `${kind} ${normalizeValue(kind, value)}`;
      const known = labelByName.get(name);
      if (known !== undefined) return known;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      const label = count === 1 ? `[redacted:${kind}]` : `[redacted:${kind}#${count}]`;
      labelByName.set(name, label);
      return label;
    },
    reserve: (text) => {
      if (!text.includes(markStart)) return;
      for (const [, kind = '', number = '1'] of text.matchAll(mark)) {
        counts.set(kind, Math.max(counts.get(kind) ?? 0, Number(number)));
      }
    },
  };
}

/** Returns the positions of the marks in a text. */
export function findMarks(
  text: string,
): readonly { readonly start: number; readonly end: number; readonly kind: string }[] {
  if (!text.includes(markStart)) return [];
  return Array.from(text.matchAll(mark), ({ 0: whole, 1: kind = '', index }) => ({
    start: index,
    end: index + whole.length,
    kind,
  }));
}

/** Counts the marks in all texts and names of a value. */
export function countMarksWithin(value: Json): number {
  let marks = 0;
  const ahead: Json[] = [value];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') marks += findMarks(next).length;
    else if (isObject(next)) for (const [key, member] of Object.entries(next)) ahead.push(key, member);
    else if (typeof next === 'object' && next !== null) for (const item of next as readonly Json[]) ahead.push(item);
  }
  return marks;
}

/** Returns one form for all spellings of a value. */
function normalizeValue(kind: string, value: string): string {
  if (/^(?:card|iban|ssn|national-id|bank-number|mac-address)$/.test(kind))
    return value.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
  if (kind === 'phone') return value.replace(/[^\d+]/g, '');
  return kind === 'email' || kind === 'ip-address' ? value.toLowerCase() : value;
}

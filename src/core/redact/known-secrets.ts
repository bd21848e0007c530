/**
 * Keeps secrets that are known, because they were handed out, from being said. Unlike a redactor it guesses nothing: it
 * knows what it looks for, and finds nothing else.
 *
 * 1. No regular expression is made of a secret: an error of one would say it.
 * 2. What it has hidden once stays as it is when it is asked again.
 */

import type { Json } from '../lib/json.js';
import { mapJson } from './map-json.js';
import { secretForms } from './secret-forms.js';

/** As a redactor marks one: who reads marks need not know who has put them there. */
export const secretMark = '[redacted:secret]';

export interface Hider {
  readonly text: (text: string) => string;
  /** In texts, in numbers and in the names of members. */
  readonly value: (value: Json) => Json;
}

/** Hides nothing. */
export const noHider: Hider = { text: (text) => text, value: (value) => value };

/**
 * @param secrets each is looked for in all its forms; one that is too short to be told from other words, in none
 * @example
 * hiderOf([key]).text(`401 for Bearer ${key}`); // '401 for Bearer [redacted:secret]'
 */
export function hiderOf(secrets: readonly string[]): Hider {
  const forms = secrets.flatMap(secretForms).filter((form) => !secretMark.includes(form));
  if (forms.length === 0) return noHider;
  const text = (said: string) => hide(said, forms);
  const mapped = (value: Json): Json | undefined => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'number') return undefined;
    return text(String(value)) === String(value) ? value : secretMark;
  };
  return {
    text,
    value: (value) =>
      mapJson(value, {
        paths: [],
        value: mapped,
        items: (items) => items,
        key: text,
        keys: () => {},
        nameOf: (key) => key,
      }),
  };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Two that overlap are hidden as one: of neither is a part left. */
function hide(text: string, forms: readonly string[]): string {
  const places = forms.flatMap((form) => placesOf(form, text)).sort((a, b) => a.start - b.start);
  if (places.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of places) {
    if (start >= at) parts.push(text.slice(at, start), secretMark);
    at = Math.max(at, end);
  }
  return parts.concat(text.slice(at)).join('');
}

function placesOf(form: string, text: string): readonly Place[] {
  const found: Place[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    found.push({ start: at, end: at + form.length });
  }
  return found;
}

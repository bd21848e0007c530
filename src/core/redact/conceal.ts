/**
 * Keeps what is sensitive out of texts, however much of it there is.
 *
 * 1. No regular expression is made of data: an error of one would say the data.
 * 2. Linear in the text: at each place it is looked up what begins there, never gone through all that is hidden.
 */

import { asText } from '../lib/json.js';
import type { Redactor } from './redactor.js';
import { fieldMark, shortestSensitive } from './sensitive.js';

/** Of a longer one so many characters are looked for, and all that follows them is hidden with it. */
export const longestSought = 300;
/** Sensitive texts that a workflow remembers. */
export const mostSensitive = 200;

export interface Concealer {
  /** All that is hidden. */
  readonly known: () => readonly string[];
  /** What is too short to be told from other words is not taken, nor what would be found in the marks. */
  readonly add: (sensitive: string) => void;
  readonly text: (text: string) => string;
  readonly size: () => number;
}

/** All that is sensitive and begins with the same characters. */
interface Beginning {
  /** By the form that is looked for. */
  readonly forms: Map<string, string>;
  /** How long the forms are, the longest first, since one may begin with another. */
  lengths: readonly number[];
}

const { stringify } = JSON;

/** With the redactor's marks, so that a value reads as the same thing where it stood at its path. */
export function createConcealer(redactor: Pick<Redactor, 'value'>): Concealer {
  const known = new Set<string>();
  const beginnings = new Map<string, Beginning>();

  const put = (form: string, sensitive: string) => {
    const start = form.slice(0, shortestSensitive);
    let { forms, lengths } = beginnings.get(start) ?? { forms: new Map<string, string>(), lengths: [] };
    if (forms.has(form)) return;
    forms.set(form, sensitive);
    if (!lengths.includes(form.length)) lengths = [...lengths, form.length].sort((a, b) => b - a);
    beginnings.set(start, { forms, lengths });
  };
  const add = (sensitive: string) => {
    if (sensitive.length < shortestSensitive || known.has(sensitive) || fieldMark.includes(sensitive)) return;
    known.add(sensitive);
    // As it stands in a text, and as JSON within a text writes it. One character more, so that no pair is cut in half.
    put(sensitive.slice(0, longestSought), sensitive);
    put(
      stringify(sensitive.slice(0, longestSought + 1))
        .slice(1, -1)
        .slice(0, longestSought),
      sensitive,
    );
  };
  const formAt = (text: string, at: number): readonly [form: string, sensitive: string] | null => {
    const beginning = beginnings.get(text.slice(at, at + shortestSensitive));
    if (beginning === undefined) return null;
    for (const length of beginning.lengths) {
      const form = text.slice(at, at + length);
      const sensitive = beginning.forms.get(form);
      if (sensitive !== undefined) return [form, sensitive];
    }
    return null;
  };
  const text = (said: string) => {
    if (known.size === 0) return said;
    let shown = '';
    let from = 0;
    for (let at = 0; at + shortestSensitive <= said.length; at++) {
      const found = formAt(said, at);
      if (found === null) continue;
      const [form, sensitive] = found;
      shown += said.slice(from, at) + asText(redactor.value(sensitive, [[]]));
      if (form.length === longestSought) return shown;
      from = at + form.length;
      at = from - 1;
    }
    return from === 0 ? said : shown + said.slice(from);
  };
  return { add, text, size: () => known.size, known: () => [...known] };
}

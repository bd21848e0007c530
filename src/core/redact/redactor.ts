/** Masks secrets and personal data in the texts and values of one chain. */

import { type Json, mapJson, toCanonicalJson, type ValuePlace } from '../lib/index.js';
import { getMemberName, isUnderSecretName } from './field-names.js';
import { toPlainName } from './key-names.js';
import { createLabels, findMarks } from './labels.js';
import { type FieldPath, patternKinds, type RedactionPolicy, toPathParts } from './policy.js';
import { createSecretFinder } from './secret-finder.js';

export interface Redactor {
  /** Returns the text with marks. Never throws; linear in the text; a masked text remains unchanged. */
  readonly text: (text: string) => string;
  /** Returns the value with marks: for fields at the paths, for fields with secret names, and within texts and names. */
  readonly value: (value: Json, paths?: readonly FieldPath[]) => Json;
}

/**
 * Creates the redactor for one reading of a chain.
 *
 * It numbers the values of a kind in the order in which it first sees them, so two redactors with the same input in the
 * same order write the same marks. To read a chain from its middle, pass the parts before it to a new redactor first.
 *
 * @throws {LonghandError} `invalid_policy` for an invalid pattern
 * @example
 * const redactor = createRedactor({ kinds: ['email'] });
 * redactor.text('Write to ada@example.com');
 */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const kinds = new Set<string>([...(policy.kinds ?? patternKinds), ...(policy.optionalKinds ?? [])]);
  const names = new Set((policy.keys ?? []).map(toPlainName));
  const find = createSecretFinder(kinds, policy.patterns ?? []);
  const labels = createLabels();

  const text = (original: string, field = '') => {
    labels.reserve(original);
    const parts: string[] = [];
    let at = 0;
    for (const { start, end, kind } of find(original, { field, names })) {
      const label = labels.assign(kind, original.slice(start, end));
      parts.push(original.slice(at, start), isJsonNumber(original, start, end) ? `"${label}"` : label);
      at = end;
    }
    return at === 0 ? original : parts.concat(original.slice(at)).join('');
  };
  const whole = (kind: string, value: Json) => {
    const plain = typeof value === 'string' ? value : toCanonicalJson(value);
    if (!isMark(plain)) return labels.assign(kind, plain);
    labels.reserve(plain);
    return plain;
  };
  /** Masks the arguments of a command as one text, in JSON: an option's name decides about the next argument. */
  const listed = (items: readonly Json[]): readonly Json[] => {
    if (!items.some(isOption) || !items.every((item) => typeof item === 'string')) return items;
    const json = JSON.stringify(items);
    const maskedJson = text(json);
    const masked: unknown = maskedJson === json ? null : JSON.parse(maskedJson);
    return Array.isArray(masked) && masked.length === items.length ? masked : items;
  };
  const mapped = (value: Json, { name, marked }: ValuePlace): Json | undefined => {
    if (marked && value !== null) return whole('field', value);
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    if (kinds.has('secret') && isUnderSecretName(value, name, names)) return whole('secret', value);
    // A card number may be a JSON number.
    const plain = String(value);
    const maskedText = text(plain, name);
    return maskedText === plain ? value : maskedText;
  };
  return {
    text: (original) => text(original),
    value: (value, paths = []) =>
      mapJson(value, {
        paths: [...(policy.paths ?? []), ...paths].map(toPathParts),
        mapValue: mapped,
        mapItems: listed,
        mapKey: (key) => text(key),
        visitKeys: (keys) => keys.forEach(labels.reserve),
        getName: (key, parent, parentName) => getMemberName(key, parent, parentName, names),
      }),
  };
}

function isOption(item: Json): boolean {
  return typeof item === 'string' && /^(?:--?[A-Za-z]|\/[a-z]{1,10}:)/i.test(item);
}

function isMark(text: string): boolean {
  const [mark] = findMarks(text);
  return mark !== undefined && mark.end - mark.start === text.length;
}

/** Returns whether a finding is a number in JSON; its mark must then be quoted. */
function isJsonNumber(text: string, start: number, end: number): boolean {
  return (
    end - start <= 32 &&
    /^-?\d[\d.eE+-]*$/.test(text.slice(start, end)) &&
    /":\s{0,8}$/.test(text.slice(Math.max(0, start - 10), start)) &&
    /^\s{0,8}[,}]/.test(text.slice(end, end + 9))
  );
}

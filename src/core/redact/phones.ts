/**
 * Finds telephone numbers: international ones by `+` and a country code, North American ones by their shape. Others look
 * like any number and need a label.
 */

import { type Finder, type FinderContext, type Finding, getTextBefore, isWordCharacter } from './finding.js';

const international = /\+\d[\d ().\u00A0/-]{6,24}/g;
const american = /(?:1[-. ])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-.])[2-9]\d\d[-. ]\d{4}/g;
/** As it is dialled: `0044 20 …`, `(020) …`. */
const dialled = /(?<!\d[ .-])\b00[1-9]\d{0,2}(?:[ -]\(?\d{1,8}\)?){2,5}(?![ .-]?\d)/g;
const area = /\(0\d{1,4}\) ?\d{2,8}(?:[ -]\d{2,8}){0,3}(?![ .-]?\d)/g;
/** Three numbers in a row look alike: found only alone in their line. */
const spaced = /(?<=^[ \t]{0,8})(?:1 )?[2-9](?!00|11)\d\d [2-9](?!11)\d\d \d{4}(?=[ \t]{0,8}\r?$)/gm;
const version = /\b(?:version|ver|release|build|v)\.?:? ?$/i;
const any = /[(\d][\d ().\u00A0/-]{5,20}\d/g;

/** Country codes by their first digits; a number with an unassigned code is not found. */
const country =
  /^(?:1[2-9]|7[3-9]|2[07]|2[1-689]\d|3[0-469]|3[578]\d|4[013-9]|42\d|5[1-8]|5[09]\d|6[0-6]|6[7-9]\d|8[1246]|8[058]\d|9[0-58]|9[679]\d)/;
const phoneLabel =
  /(?:\b(?:tele)?phone|\btel|\bmobile|\bcell ?phone|\bcell|\bfax|\bwhatsapp|\bsms|telefon|handy|téléphone|\bhotline|\b(?:my|his|her|their|our|contact)(?= number))[ _-]?(?:number|num|no|nr|#)?\.?["']?(?:\s(?:is|at))?\s{0,2}[:=]?\s{0,2}["']?$/i;
const called = /\b(?:call|dial|phone|text|ring|reach)(?: (?:me|us|him|her|them))?(?: (?:at|on|under))? {0,2}$/i;
/** What is in each of those. */
const hinted = /number|phon|tel|mobile|cell|fax|whatsapp|sms|handy|téléphone|hotline|call|dial|text|ring|reach/i;
const fieldName = /phone|mobile|(?:^|_)(?:tel|cell|fax)(?:$|_)|whatsapp|telefon|msisdn/i;

export const findPhones: Finder = (text, scope) => [
  ...findShaped(text, international, (number) => isInternational(number)),
  ...findShaped(
    text,
    american,
    (number, start) =>
      !/\d\.\d{3}-|\d-\d{3}\./.test(number) && !(number.includes('.') && version.test(getTextBefore(text, start, 12))),
  ),
  ...findShaped(text, dialled, isDialled),
  ...findShaped(text, area, (number) => countDigits(number) >= 9 && countDigits(number) <= 12),
  ...findShaped(text, spaced, () => true),
  ...(hinted.test(text) || fieldName.test(scope.field.slice(0, 60))
    ? findShaped(text, any, (number, start) => isNamedPhone(text, number, start, scope))
    : []),
];

function findShaped(
  text: string,
  pattern: RegExp,
  accepts: (number: string, start: number) => boolean,
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const match of text.matchAll(pattern)) {
    const number = trimNumber(match[0]);
    const start = match.index;
    if (isSeparate(text, start, start + number.length) && accepts(number, start)) {
      findings.push({ start, end: start + number.length, kind: 'phone' });
    }
  }
  return findings;
}

/** Cuts the text after the last digit, and the beginning of a remark or a second number. */
function trimNumber(number: string): string {
  if (/^0\d{1,5} \/ \d{3,9}$/.test(number)) return number;
  const first = number.split(/ {2}|[-./] | [./]|\)\)|\n/, 1)[0] ?? '';
  return first.replace(/[^\d]{1,24}$/, '');
}

function isSeparate(text: string, start: number, end: number): boolean {
  const last = text[start - 1];
  if (isWordCharacter(last) || isWordCharacter(text[end])) return false;
  if (last !== undefined && /[-.+/#%$€£\\]/.test(last)) return false;
  return !(/[-./:]/.test(text[end] ?? '') && isWordCharacter(text[end + 1]));
}

function isInternational(number: string): boolean {
  const digits = number.replace(/\D/g, '');
  const groups = number.split(/\D+/).filter((group) => group !== '');
  if (digits.length < 8 || digits.length > 15 || !country.test(digits)) return false;
  // `+12345678` is how much was added; `+1.2345678` too.
  if (groups.length === 1) return digits.length >= 10;
  if (groups.length === 2 && number.includes('.')) return false;
  if (/^\+\d{4}-\d\d-\d\d/.test(number)) return false;
  // `(0)` is not dialled from abroad; an area may have one digit.
  const rest = groups.slice(/^\+\d+ ?\(0\)/.test(number) ? 2 : 1);
  return (
    rest.length <= 6 &&
    rest.some((group) => group.length > 2 || rest.length > 3) &&
    rest.slice(1).every((group) => group.length > 1 || rest.length < 4)
  );
}

/** Groups of four digits only are rows of a dump. */
function isDialled(number: string): boolean {
  const rest = number.replace(/^00/, '+');
  return (
    countDigits(rest) >= 9 &&
    isInternational(rest) &&
    number.split(/\D+/).some((group, at) => at > 0 && group.length !== 4)
  );
}

function countDigits(number: string): number {
  return number.replace(/\D/g, '').length;
}

function isNamedPhone(text: string, number: string, start: number, scope: FinderContext): boolean {
  const digits = number.replace(/\D/g, '');
  const groups = number.split(/\D+/).filter((group) => group !== '');
  if (digits.length < 7 || digits.length > 15 || groups.length > 6 || isDate(number)) return false;
  const alone = number.length === text.trim().length;
  if (alone && fieldName.test(scope.field.slice(0, 60))) return true;
  const near = getTextBefore(text, start, 40);
  return (
    phoneLabel.test(near) ||
    (called.test(near) && groups.length > 1 && (digits.length > 8 || /^\d{3}-\d{4}$/.test(number)))
  );
}

function isDate(number: string): boolean {
  return (
    /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})(?!\d)/.test(number) ||
    /^\d{1,3}(?:\.\d{1,3}){3}$/.test(number)
  );
}

/** US social security numbers. They look like many other numbers: only where it is said that they are one. */

import { after, before, type Finder, type Finding, isWord } from './finding.js';

const number = /\d{3}([- ])\d{2}\1\d{4}|\d{9}/g;
const about =
  /(?<![a-z])ssns?(?![a-z])|social[ _-]{0,2}security|(?:my|his|her|their|your) social(?: is|:)|soc\.? ?sec|socialsecurity|tax ?payer ?id|tax[_ ]id|(?<![a-z])tin(?![a-z])/i;
const just =
  /(?:ssn|social[ _-]?security|(?:my|his|her|their|your) social)[ _-]?(?:number|num|no|nr|#)?\.?["']?(?: is)?\s{0,2}[:=]?\s{0,2}["']?$/i;

export const ssns: Finder = (text, scope) => {
  const found: Finding[] = [];
  for (const match of text.matchAll(number)) {
    const [start, end] = [match.index, match.index + match[0].length];
    const dashed = match[1] === '-';
    if (!standsAlone(text, start, end) || !isValid(match[0].replace(/\D/g, ''))) continue;
    const field =
      end - start === text.trim().length ? scope.field.slice(0, 80).replace(/(?<=[a-z])(?=[A-Z])/g, '_') : '';
    const near = `${before(text, start, 80)}\n${after(text, end, 40)}`;
    const said = dashed ? about.test(near) : just.test(before(text, start, 40));
    if (said || about.test(field)) found.push({ start, end, kind: 'ssn' });
  }
  return found;
};

function standsAlone(text: string, start: number, end: number): boolean {
  const last = text[start - 1];
  if (isWord(last) || isWord(text[end]) || (last !== undefined && /[-.+/]/.test(last))) return false;
  return !(/[-./]/.test(text[end] ?? '') && isWord(text[end + 1]));
}

/** None was ever given out with these parts. */
function isValid(digits: string): boolean {
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  return area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000';
}

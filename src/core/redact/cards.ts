/** Numbers of payment cards: an issuer's first digits, a length that issuer has, and a right check digit. */

import { luhn } from './check-digits.js';
import { before, type Finder, type Finding, isWord } from './finding.js';

/** In one piece, or in the groups that are printed on a card. */
const written =
  /\d{13,19}|\d{4}([ .\u00A0-])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?(?!\d)|\d{4}([ \u00A0-])\d{6}\2\d{4,5}(?!\d)/g;

/** First digits from and to, and how many there are in all. */
const issuers: readonly (readonly [from: string, to: string, lengths: readonly number[]])[] = [
  ['4', '4', [13, 16, 19]],
  ['51', '55', [16]],
  ['2221', '2720', [16]],
  ['34', '34', [15]],
  ['37', '37', [15]],
  ['300', '305', [14, 16]],
  ['36', '36', [14]],
  ['38', '39', [14, 16]],
  ['6011', '6011', [16, 19]],
  ['644', '649', [16, 19]],
  ['65', '65', [16, 19]],
  ['3528', '3589', [16]],
  ['62', '62', [16, 17, 18, 19]],
  ['81', '81', [16]],
  ['5018', '5018', [16]],
  ['5020', '5020', [16]],
  ['5038', '5038', [16]],
  ['5893', '5893', [16]],
  ['6304', '6304', [16]],
  ['6759', '6759', [16]],
  ['6761', '6763', [16]],
  ['2200', '2204', [16]],
];

/** What a number of that length is instead, if it says so itself. */
const otherName =
  /(?:order|invoice|tracking|serial|sku|part|batch|sequence|barcode|ean|upc|build|ticket|shipment|parcel|timestamp|request|trace|message|[_-]id|\bids?)["']?[ _-]{0,2}(?:number|num|no|nr|id)?\.?["']?\s{0,2}[:=#]{0,2}\s{0,2}["']?#?$/i;

export const cards: Finder = (text) => {
  const found: Finding[] = [];
  written.lastIndex = 0;
  for (let match = written.exec(text); match !== null; match = written.exec(text)) {
    const start = match.index;
    const number = withoutCode(match[0]);
    const end = start + number.length;
    const digits = number.replace(/\D/g, '');
    const grouped = digits.length < number.length;
    if (standsAlone(text, start, end) && isCard(digits) && (grouped || !otherName.test(before(text, start, 40)))) {
      found.push({ start, end, kind: 'card' });
    } else if (grouped) {
      // The next group may begin one.
      written.lastIndex = start + 4;
    } else {
      // What is left of a run that is too long is part of it.
      while (/\d/.test(text[written.lastIndex] ?? '')) written.lastIndex += 1;
    }
  }
  return found;
};

/** What follows four groups may be the code on the card, and not the end of its number. */
function withoutCode(written: string): string {
  const four = /^\d{4}\D\d{4}\D\d{4}\D\d{4}(?=\D)/.exec(written)?.[0];
  return four === undefined || isCard(written.replace(/\D/g, '')) ? written : four;
}

/** `visa4111…exp1228` */
const gluedBefore = /(?:^|[^A-Za-z0-9])(?:credit)?(?:card|visa|mastercard|amex|pan|cc)(?:no|num|nr|number)?_?$/i;
const gluedAfter = /^(?:exp|cvv|cvc)/i;

/** Not a part of a longer number, an id, a fraction or a path. */
function standsAlone(text: string, start: number, end: number): boolean {
  const [last, next] = [text[start - 1], text[end]];
  if (isWord(last) && !gluedBefore.test(text.slice(Math.max(0, start - 16), start))) return false;
  if (isWord(next) && !gluedAfter.test(text.slice(end, end + 4))) return false;
  if (last !== undefined && /[./+%\\-]/.test(last) && (last !== '-' || isWord(text[start - 2]))) return false;
  if (next !== undefined && /[-./]/.test(next) && isWord(text[end + 1])) return false;
  // One of many groups of four. A single one before it is another number: a year, an order.
  const isInRow = /(?:^|[^\d.,])\d{4} \d{4} $/.test(text.slice(Math.max(0, start - 11), start));
  return !isInRow && !/^ \d{4} \d{4}/.test(text.slice(end, end + 10));
}

function isCard(digits: string): boolean {
  const known = issuers.some(([from, to, lengths]) => {
    const first = digits.slice(0, from.length);
    return from <= first && first <= to && lengths.includes(digits.length);
  });
  return known && luhn(digits);
}

/** Numbers with a fixed form and check digits: payment cards, IBANs, US social security numbers. */

import { isValidLuhn } from './check-digits.js';
import { type Finder, type Finding, getTextAfter, getTextBefore, isWordCharacter } from './finding.js';

/** Without separators, or in the groups printed on a card. */
const cardNumber =
  /\d{13,19}|\d{4}([ .\u00A0-])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?(?!\d)|\d{4}([ \u00A0-])\d{6}\2\d{4,5}(?!\d)/g;

/** Range of first digits, and the possible numbers of digits. */
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

/** Labels of other numbers of that length. */
const otherName =
  /(?:order|invoice|tracking|serial|sku|part|batch|sequence|barcode|ean|upc|build|ticket|shipment|parcel|timestamp|request|trace|message|[_-]id|\bids?)["']?[ _-]{0,2}(?:number|num|no|nr|id)?\.?["']?\s{0,2}[:=#]{0,2}\s{0,2}["']?#?$/i;

/** Finds payment cards: an issuer's first digits, one of its lengths, and a correct check digit. */
export const findCards: Finder = (text) => {
  const findings: Finding[] = [];
  cardNumber.lastIndex = 0;
  for (let match = cardNumber.exec(text); match !== null; match = cardNumber.exec(text)) {
    const start = match.index;
    const number = stripCardCode(match[0]);
    const end = start + number.length;
    const digits = number.replace(/\D/g, '');
    const grouped = digits.length < number.length;
    if (
      isCardAlone(text, start, end) &&
      isCardNumber(digits) &&
      (grouped || !otherName.test(getTextBefore(text, start, 40)))
    ) {
      findings.push({ start, end, kind: 'card' });
    } else if (grouped) {
      // The next group may begin a card number.
      cardNumber.lastIndex = start + 4;
    } else {
      // The rest of a run that is too long is skipped with it.
      while (/\d/.test(text[cardNumber.lastIndex] ?? '')) cardNumber.lastIndex += 1;
    }
  }
  return findings;
};

/** Removes a card's code after four groups of digits, if it is not the end of the number. */
function stripCardCode(numberText: string): string {
  const four = /^\d{4}\D\d{4}\D\d{4}\D\d{4}(?=\D)/.exec(numberText)?.[0];
  return four === undefined || isCardNumber(numberText.replace(/\D/g, '')) ? numberText : four;
}

/** `visa4111…exp1228` */
const gluedBefore = /(?:^|[^A-Za-z0-9])(?:credit)?(?:card|visa|mastercard|amex|pan|cc)(?:no|num|nr|number)?_?$/i;
const gluedAfter = /^(?:exp|cvv|cvc)/i;

/** Returns whether a number is not part of a longer number, an id, a fraction or a path. */
function isCardAlone(text: string, start: number, end: number): boolean {
  const [last, next] = [text[start - 1], text[end]];
  if (isWordCharacter(last) && !gluedBefore.test(text.slice(Math.max(0, start - 16), start))) return false;
  if (isWordCharacter(next) && !gluedAfter.test(text.slice(end, end + 4))) return false;
  if (last !== undefined && /[./+%\\-]/.test(last) && (last !== '-' || isWordCharacter(text[start - 2]))) return false;
  if (next !== undefined && /[-./]/.test(next) && isWordCharacter(text[end + 1])) return false;
  // One of many groups of four. A single group before it is another number: a year, an order.
  const isInRow = /(?:^|[^\d.,])\d{4} \d{4} $/.test(text.slice(Math.max(0, start - 11), start));
  return !isInRow && !/^ \d{4} \d{4}/.test(text.slice(end, end + 10));
}

function isCardNumber(digits: string): boolean {
  const known = issuers.some(([from, to, lengths]) => {
    const first = digits.slice(0, from.length);
    return from <= first && first <= to && lengths.includes(digits.length);
  });
  return known && isValidLuhn(digits);
}

const ibanStart = /(?<![A-Za-z0-9_/+.-])[A-Za-z]{2}\d{2}(?=[ \u00A0-]?[A-Za-z0-9]{4})/g;
const ibanRest = /(?:[ \u00A0-]?[A-Za-z0-9]){11,30}/y;

/** An IBAN in lower case looks like any id: it must have a bank code and an account, or a label before it. */
const lowerIban = /^[a-z]{2}\d\d(?:[a-z]{0,6}\d{8,}|(?:[ \u00A0-][a-z0-9]{4}){3})/i;
const ibanLabel = /(?:iban|account|konto|compte|cuenta|conto|rekening)\W{0,12}$/i;

const ibanLengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Finds IBANs: a country, its length, and correct check digits. */
export const findIbans: Finder = (text) => {
  const findings: Finding[] = [];
  for (const match of text.matchAll(ibanStart)) {
    const length = ibanLengths.get(match[0].slice(0, 2).toUpperCase());
    const end = length === undefined ? null : findIbanEnd(text, match.index, length);
    if (end !== null && isPlausibleIban(text, match.index, end))
      findings.push({ start: match.index, end, kind: 'iban' });
  }
  return findings;
};

function isPlausibleIban(text: string, from: number, end: number): boolean {
  const iban = text.slice(from, end);
  return !/[a-z]/.test(iban) || lowerIban.test(iban) || ibanLabel.test(getTextBefore(text, from, 30));
}

/** Returns the end of an IBAN without separators, or in groups of four with equal separators; else null. */
function findIbanEnd(text: string, from: number, length: number): number | null {
  const separator = /[ \u00A0-]/.exec(text[from + 4] ?? '')?.[0] ?? '';
  const end = from + length + (separator === '' ? 0 : Math.ceil(length / 4) - 1);
  const whole = text.slice(from, end);
  if (end > text.length || isWordCharacter(text[end]) || (separator === '-' && text[end] === '-')) return null;
  ibanRest.lastIndex = from + 4;
  if (!ibanRest.test(text)) return null;
  const groups = separator === '' ? [whole] : whole.split(separator);
  if (separator !== '' && groups.slice(0, -1).some((group) => group.length !== 4)) return null;
  const plain = groups.join('').toUpperCase();
  return /^[A-Z0-9]+$/.test(plain) && computeRemainder(plain) === 1 ? end : null;
}

/** Returns the number modulo 97, with its first four characters moved to the end and letters as 10 to 35. */
function computeRemainder(iban: string): number {
  let left = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    left = (left * (value > 9 ? 100 : 10) + value) % 97;
  }
  return left;
}

const ssnNumber = /\d{3}([- ])\d{2}\1\d{4}|\d{9}/g;
const aboutSsn =
  /(?<![a-z])ssns?(?![a-z])|social[ _-]{0,2}security|(?:my|his|her|their|your) social(?: is|:)|soc\.? ?sec|socialsecurity|tax ?payer ?id|tax[_ ]id|(?<![a-z])tin(?![a-z])/i;
const justSsn =
  /(?:ssn|social[ _-]?security|(?:my|his|her|their|your) social)[ _-]?(?:number|num|no|nr|#)?\.?["']?(?: is)?\s{0,2}[:=]?\s{0,2}["']?$/i;

/** Finds US social security numbers. Other numbers look alike: the text or the field must name them. */
export const findSsns: Finder = (text, scope) => {
  const findings: Finding[] = [];
  for (const match of text.matchAll(ssnNumber)) {
    const [start, end] = [match.index, match.index + match[0].length];
    const dashed = match[1] === '-';
    if (!isSsnAlone(text, start, end) || !isIssuedSsn(match[0].replace(/\D/g, ''))) continue;
    const field =
      end - start === text.trim().length ? scope.field.slice(0, 80).replace(/(?<=[a-z])(?=[A-Z])/g, '_') : '';
    const near = `${getTextBefore(text, start, 80)}\n${getTextAfter(text, end, 40)}`;
    const labelled = dashed ? aboutSsn.test(near) : justSsn.test(getTextBefore(text, start, 40));
    if (labelled || aboutSsn.test(field)) findings.push({ start, end, kind: 'ssn' });
  }
  return findings;
};

function isSsnAlone(text: string, start: number, end: number): boolean {
  const last = text[start - 1];
  if (isWordCharacter(last) || isWordCharacter(text[end]) || (last !== undefined && /[-.+/]/.test(last))) return false;
  return !(/[-./]/.test(text[end] ?? '') && isWordCharacter(text[end + 1]));
}

/** Excludes parts that were never issued. */
function isIssuedSsn(digits: string): boolean {
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  return area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000';
}

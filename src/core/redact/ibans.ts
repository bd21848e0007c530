/** International bank account numbers: a country, the length it has there, and right check digits. */

import { before, type Finder, type Finding, isWord } from './finding.js';

const start = /(?<![A-Za-z0-9_/+.-])[A-Za-z]{2}\d{2}(?=[ \u00A0-]?[A-Za-z0-9]{4})/g;
const rest = /(?:[ \u00A0-]?[A-Za-z0-9]){11,30}/y;

/** In lower case it looks like any id: it has the form of a bank's code and an account, or is said to be one. */
const lowerForm = /^[a-z]{2}\d\d(?:[a-z]{0,6}\d{8,}|(?:[ \u00A0-][a-z0-9]{4}){3})/i;
const said = /(?:iban|account|konto|compte|cuenta|conto|rekening)\W{0,12}$/i;

const lengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

export const ibans: Finder = (text) => {
  const found: Finding[] = [];
  for (const match of text.matchAll(start)) {
    const length = lengths.get(match[0].slice(0, 2).toUpperCase());
    const end = length === undefined ? null : endOf(text, match.index, length);
    if (end !== null && isPlausible(text, match.index, end)) found.push({ start: match.index, end, kind: 'iban' });
  }
  return found;
};

function isPlausible(text: string, from: number, end: number): boolean {
  const written = text.slice(from, end);
  return !/[a-z]/.test(written) || lowerForm.test(written) || said.test(before(text, from, 30));
}

/** In one piece, or in groups of four with the same mark between them. */
function endOf(text: string, from: number, length: number): number | null {
  const separator = /[ \u00A0-]/.exec(text[from + 4] ?? '')?.[0] ?? '';
  const end = from + length + (separator === '' ? 0 : Math.ceil(length / 4) - 1);
  const whole = text.slice(from, end);
  if (end > text.length || isWord(text[end]) || (separator === '-' && text[end] === '-')) return null;
  rest.lastIndex = from + 4;
  if (!rest.test(text)) return null;
  const groups = separator === '' ? [whole] : whole.split(separator);
  if (separator !== '' && groups.slice(0, -1).some((group) => group.length !== 4)) return null;
  const plain = groups.join('').toUpperCase();
  return /^[A-Z0-9]+$/.test(plain) && remainder(plain) === 1 ? end : null;
}

/** Of the number that is written with the first four at the end and letters as 10 to 35, divided by 97. */
function remainder(iban: string): number {
  let left = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    left = (left * (value > 9 ? 100 : 10) + value) % 97;
  }
  return left;
}

/**
 * Short codes that let somebody in or pay: a PIN, a code that was sent, the one on a card. A few digits look like any
 * number, so it must be said at once what they are.
 */

import { type Finder, type Finding, matches, outermost } from './finding.js';

/** What may stand between the name and the code, among the quotes of JSON. */
const is = String.raw`["']?(?:\s?[:=#]\s?|\s(?:is|was):?\s|\s)["']?`;
/** `your code is 1000 lines long` */
const stop = String.raw`(?![\w-]|[.,:/]\d| ?%| (?:lines?|char(?:acter)?s|bytes|rows|words|times|steps|pages|tokens|files|of)\b)`;
const form = (name: string, code: string, between = is) =>
  new RegExp(`(?<![A-Za-z0-9])(?:${name})${between}(?<it>${code})${stop}`, 'dgi');
const firmly = String.raw`["']?(?:\s?[:=]\s?|\s(?:is|was):?\s)["']?`;

const forms: readonly (readonly [hint: RegExp, form: RegExp])[] = [
  [/cv[vc]/i, form('cv[vc]2?(?: (?:code|number))?', String.raw`\d{3,4}`)],
  [/code/i, form('(?:card )?(?:security|verification)[ _]code', String.raw`\d{3,8}`, firmly)],
  [
    /otp|code|password/i,
    form(
      'otp|(?:otp|one[- ]time|verification|authentication|2fa|mfa|login|sign-?in|security) (?:code|password|passcode)',
      String.raw`\d{4,8}|\d{3}[ -]\d{3}`,
    ),
  ],
  [
    /code/i,
    form(
      '(?:your|my)(?: (?:access|secret|temporary|sms|google|whatsapp|bank|door|alarm|unlock))? code',
      String.raw`\d{4,8}|\d{3}[ -]\d{3}`,
      firmly,
    ),
  ],
  [
    /code/i,
    /(?<![\w.,#-])(?:G-)?(?<it>\d{4,8}|\d{3}[ -]\d{3}) is your (?!(?:[a-z]+ )?(?:zip|postal|area|country|error|order|status))(?:[\w-]{2,20} ){0,3}code(?=\s{0,4}(?:[.,!;:]|$)| (?:for|to)\b)/dgi,
  ],
  [/pin/i, form('pin|pin[ _-]?(?:number|no|nr)', String.raw`\d{4,6}`, firmly)],
  [/pin/i, form('pin[ _-]code', String.raw`\d{4}`, firmly)],
  [/pin/i, form('(?:my|your|card|his|her) pin', String.raw`\d{4,6}`)],
];

export const saidCodes: Finder = (text) => {
  const found: Finding[] = [];
  for (const [hint, pattern] of forms) if (hint.test(text)) found.push(...matches(text, pattern, 'secret'));
  return outermost(found);
};

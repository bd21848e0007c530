/** Finds secrets by their names without an assignment: `my password is …`, `--token …`, `<password>…</password>`, `your code is …`. */

import { parseArguments } from './arguments.js';
import { blank, type Finder, type Finding, findMatches, selectOutermost } from './finding.js';
import { findSecretKind, likelySecretName, type NameKind } from './key-names.js';
import {
  isCommonWord,
  isMixed,
  isPlaceholder,
  isSecretValue,
  isSpokenPhrase,
  isStrong,
  numberedName,
} from './secret-values.js';

const label =
  '(?:[a-z]{2,20}[ _-])?(?:pass(?:word|wd|phrase|code|wort)|kennwort|contraseña|senha|mot de passe|pwd?|secret|token|key)';
const spokenValue = new RegExp(
  String.raw`(?<![\w-])(${label})(?:["']? (?:is|was|ist|lautet|est|es|é|to|=>|->)(?: now| set to| changed to| still)?:?| (?:has been|have been|is now|was) (?:set|changed|reset) to:?| (?:for|to|of) [^:=\n]{1,40}[:=])(?= ?["'\`“‘]| )`,
  'dgi',
);
/** `the password for the database is …`, `the API key you need is …` */
const spokenValueOf =
  /(?<![\w-])((?:[a-z]{2,20}[ _-])?(?:password|passwd|passphrase|passcode|pwd|secret|token|key)) (?:for|to|of|on|in|you|we|i|they|that|which)\b[\w '@/-]{1,40}? (?:is|was|to):?(?= )/dgi;
/** `password hunter2`, `token "…"`: the value follows immediately. */
const next =
  /(?<![\w$.-])(password|passwd|passphrase|passcode|passwort|kennwort|pwd) (?<it>[A-Za-z0-9!@#$%^&*?+~][\w!@#$%^&*?+~-]{4,62}[\w!@#$%^&*?+~-])(?=$|[\s"'!?;)]|[.,](?:\s|$))/dgi;
const nextKey =
  /(?<![\w$.-])(?:(?:with|use|using|via|the) )?((?:[a-z]{2,20} )?(?:secret|token|key)) (?!0x)(?<it>[A-Za-z0-9]{16,256})(?=$|[\s"'!?;)]|[.,](?:\s|$))/dgi;
const nextQuoted =
  /(?<![\w$.-])(?:(?:with|use|using|via|the) )?((?:[a-z]{2,20} )?(?:password|passwd|passphrase|passcode|pwd|secret|token|key)) (?<quote>["'`“])(?<it>[^\s"'`”]{6,256})["'`”]/dgi;
const flag = /(?<![^\s"'])--?([a-z][\w-]{2,40})(?=[ \t])/gi;
const element =
  /<([A-Za-z][\w:.-]{2,60})(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?(?<it>[^<>\s][^<>\n]{0,1000}?)(?:\]\]>)?<\//dg;

export const findSpokenSecrets: Finder = (text, { names }) => {
  if (names.size === 0 && !likelySecretName.test(text)) return [];
  const findings: Finding[] = [];
  const add = (label: string, start: number, value: string, accepts: (value: string, name: NameKind) => boolean) => {
    const name = findSecretKind(label, names);
    if (name === null || name.field || value === '' || value.includes(blank)) return;
    if (accepts(value, name)) findings.push({ start, end: start + value.length, kind: name.kind });
  };
  for (const match of text.matchAll(spokenValue)) {
    const value = findWordsAfter(text, match.index + match[0].length);
    add(match[1] ?? '', value.start, value.text, (_, name) => isSpokenSecret(value, name, match[0].endsWith(':')));
  }
  for (const match of text.matchAll(spokenValueOf)) {
    const { start, text: value, quoted } = findWordsAfter(text, match.index + match[0].length);
    const isPhrase = quoted && /\s/.test(value);
    add(match[1] ?? '', start, value, (_, name) =>
      isPhrase ? isSecretValue(value, 'quoted', name) : isRandomSecret(value, name),
    );
  }
  for (const [pattern, accepts] of patterns) {
    for (const match of text.matchAll(pattern)) {
      const [start, stop] = match.indices?.groups?.it ?? [0, 0];
      add(match[1] ?? '', start, stripPunctuation(text.slice(start, stop)), accepts);
    }
  }
  for (const match of text.matchAll(flag)) {
    const [argument] = parseArguments(text, match.index + match[0].length, 1);
    if (argument === undefined) continue;
    const value = argument.quoted ? argument.value : stripPunctuation(argument.value);
    add(match[1] ?? '', argument.start, value, (_, name) => isFlagSecret(value, argument.quoted, name));
  }
  return findings.sort((a, b) => a.start - b.start);
};

const patterns: readonly (readonly [form: RegExp, accepts: (value: string, name: NameKind) => boolean])[] = [
  [next, isRandomSecret],
  [nextKey, isRandomSecret],
  [nextQuoted, isRandomSecret],
  [element, (value, name) => isSecretValue(value, 'quoted', name)],
];

interface SpokenWords {
  readonly start: number;
  readonly text: string;
  readonly quoted: boolean;
  /** What a sentence ends with, if these do. */
  readonly phrase: string | null;
}

/** A quoted value or a word, and the words up to the end of the sentence. */
function findWordsAfter(text: string, from: number): SpokenWords {
  const near = text.slice(from, from + 300);
  const quoted =
    /^ ?\\{0,4}(?:"([^"\n]{3,256})"|'([^'\n]{3,256})'|`([^`\n]{3,256})`|“([^”\n]{3,256})”|‘([^’\n]{3,256})’)/.exec(
      near,
    );
  if (quoted !== null) {
    const inside = (quoted.slice(1).find((group) => group !== undefined) ?? '').replace(/\\{1,4}$/, '');
    return { start: from + quoted[0].indexOf(inside, 1), text: inside, quoted: true, phrase: null };
  }
  const quoteLength = /^ ?["'`“‘]?/.exec(near)?.[0].length ?? 0;
  const word = /^[^\s"'`”]{6,256}/.exec(near.slice(quoteLength))?.[0] ?? '';
  const phrase = /^ ?([a-z]{2,16}(?: [a-z]{2,16}){3,11})(?=[.!]?(?:\s*$|\n|"|\\n)|[.!] )/.exec(near)?.[1] ?? null;
  return {
    start: from + quoteLength,
    text:
      phrase !== null && isSpokenPhrase(phrase)
        ? phrase
        : stripPunctuation(word, near.slice(quoteLength + word.length)),
    quoted: false,
    phrase,
  };
}

/** Removes the end of a sentence. An exclamation mark within a sentence is part of the password. */
function stripPunctuation(value: string, behind = ''): string {
  return value.replace(/^\s[a-z]/.test(behind) ? /[.,;:?)]{1,9}$/ : /[.,;:!?)]{1,9}$/, '');
}

/** Most words after "is" belong to the sentence. */
function isSpokenSecret({ text, quoted, phrase }: SpokenWords, name: NameKind, firmly: boolean): boolean {
  if (isPlaceholder(text)) return false;
  if (name.kind !== 'password') return !/\s/.test(text) && isStrong(text) && isMixed(text);
  if (quoted) return isSecretValue(text, 'quoted', name);
  if (isMixed(text) || text === phrase) return true;
  // Some words with dashes, or one that is announced: `the password is: swordfish`.
  if (/^[a-z]+(?:-[a-z]+){3,}$/i.test(text)) return isSpokenPhrase(text.replaceAll('-', ' '));
  return (
    firmly &&
    phrase === null &&
    /^[a-z]{6,}$/i.test(text) &&
    !isCommonWord(text) &&
    isSpokenPhrase(text) &&
    !/(?:ed|ing|al|ent|ant|ory|ive|ful|ect)$/i.test(text)
  );
}

/** `the --password option is …` */
function isFlagSecret(value: string, quoted: boolean, name: NameKind): boolean {
  if (value.startsWith('-') || isCommonWord(value)) return false;
  return value.length > 2 && isSecretValue(value, quoted && /\s/.test(value) ? 'quoted' : 'tight', name);
}

function isRandomSecret(value: string, name: NameKind): boolean {
  return isRandom(value, name) && !isPlaceholder(value);
}

/** Without "is", the value must be more distinctive: a password is not a name of a format or a document, a key no name at all. */
function isRandom(value: string, name: NameKind): boolean {
  if (
    /^[A-Z]{2,8}[-_]?\d+$|^v?\d+(?:[._-]\w+)*$|^\d+[a-z]{1,3}$|\.[a-z]{2,4}$|^[a-z]+(?:[-_][a-z]+)+\d{0,2}$/.test(value)
  )
    return false;
  if (name.kind === 'password') return isMixed(value) && !numberedName.test(value);
  // `secret "db-credentials-7f9c"` is the name of one.
  if (name.kind === 'secret' && value.includes('-')) return false;
  return value.length >= 12 && isStrong(value) && isMixed(value);
}

/** Characters between the name and the code, with the quotes of JSON. */
const codeSeparator = String.raw`["']?(?:\s?[:=#]\s?|\s(?:is|was):?\s|\s)["']?`;
/** `your code is 1000 lines long` */
const stop = String.raw`(?![\w-]|[.,:/]\d| ?%| (?:lines?|char(?:acter)?s|bytes|rows|words|times|steps|pages|tokens|files|of)\b)`;
const createForm = (name: string, code: string, between = codeSeparator) =>
  new RegExp(`(?<![A-Za-z0-9])(?:${name})${between}(?<it>${code})${stop}`, 'dgi');
const firmSeparator = String.raw`["']?(?:\s?[:=]\s?|\s(?:is|was):?\s)["']?`;

const forms: readonly (readonly [hint: RegExp, form: RegExp])[] = [
  [/cv[vc]/i, createForm('cv[vc]2?(?: (?:code|number))?', String.raw`\d{3,4}`)],
  [/code/i, createForm('(?:card )?(?:security|verification)[ _]code', String.raw`\d{3,8}`, firmSeparator)],
  [
    /otp|code|password/i,
    createForm(
      'otp|(?:otp|one[- ]time|verification|authentication|2fa|mfa|login|sign-?in|security) (?:code|password|passcode)',
      String.raw`\d{4,8}|\d{3}[ -]\d{3}`,
    ),
  ],
  [
    /code/i,
    createForm(
      '(?:your|my)(?: (?:access|secret|temporary|sms|google|whatsapp|bank|door|alarm|unlock))? code',
      String.raw`\d{4,8}|\d{3}[ -]\d{3}`,
      firmSeparator,
    ),
  ],
  [
    /code/i,
    /(?<![\w.,#-])(?:G-)?(?<it>\d{4,8}|\d{3}[ -]\d{3}) is your (?!(?:[a-z]+ )?(?:zip|postal|area|country|error|order|status))(?:[\w-]{2,20} ){0,3}code(?=\s{0,4}(?:[.,!;:]|$)| (?:for|to)\b)/dgi,
  ],
  [/pin/i, createForm('pin|pin[ _-]?(?:number|no|nr)', String.raw`\d{4,6}`, firmSeparator)],
  [/pin/i, createForm('pin[ _-]code', String.raw`\d{4}`, firmSeparator)],
  [/pin/i, createForm('(?:my|your|card|his|her) pin', String.raw`\d{4,6}`)],
];

/**
 * Finds short codes that grant access or pay: a PIN, a code that was sent, a card's code. A few digits look like any
 * number, so the name must be next to them.
 */
export const findSpokenCodes: Finder = (text) => {
  const findings: Finding[] = [];
  for (const [hint, pattern] of forms) if (hint.test(text)) findings.push(...findMatches(text, pattern, 'secret'));
  return selectOutermost(findings);
};

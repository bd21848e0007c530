/** Finds stored forms of secrets: wallet keys, seed phrases, password hashes, `.pgpass`, WiFi codes. */

import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { blank, type Finder, type Finding, findMatches } from './finding.js';

/** Bitcoin's private keys for import, and extended private keys of all wallets. */
const walletKey =
  /(?<![A-Za-z0-9])(?:[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}|6P[1-9A-HJ-NP-Za-km-z]{56}|[xyzYZtuvUV]prv[1-9A-HJ-NP-Za-km-z]{105,110})(?![A-Za-z0-9])/g;
const base58 = createBase58check(sha256);

export const findWalletKeys: Finder = (text) =>
  findMatches(text, walletKey, 'wallet-key').filter(({ start, end }) => {
    try {
      base58.decode(text.slice(start, end));
      return true;
    } catch {
      return false;
    }
  });

const hashes = [
  /\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}(?![./A-Za-z0-9])/g,
  /\$(?:1|apr1)\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22}(?![./A-Za-z0-9])/g,
  /\$[56]\$(?:rounds=\d{1,9}\$)?[^$\s:"']{1,16}\$[./+A-Za-z0-9]{43,86}(?![./A-Za-z0-9])/g,
  /\$(?:y|gy|7)\$[./A-Za-z0-9]{1,20}\$[./A-Za-z0-9]{1,90}\$[./A-Za-z0-9]{43}(?![./A-Za-z0-9])/g,
  /\$[PH]\$[./A-Za-z0-9]{31}(?![./A-Za-z0-9])/g,
  /\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?)\$[\w=,$./+-]{20,400}=?/g,
  /(?<![\w$])(?:pbkdf2|argon2|scrypt|bcrypt)(?:_sha\d{1,3})?\$[\w=,$./+-]{30,400}={0,2}/g,
  /\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\}[A-Za-z0-9+/.$]{16,200}={0,2}/g,
  /(?<![\w*])\*[0-9A-F]{40}(?![0-9A-Za-z])/g,
  /(?<![0-9A-Za-z])[0-9a-f]{32}:[0-9a-f]{32}(?=:|$|\s)/gi,
];

export const findPasswordHashes: Finder = (text) => hashes.flatMap((form) => findMatches(text, form, 'password-hash'));

/** Host, port, database, user, password: a line of `.pgpass`. A colon in the password is escaped. */
const pgpass =
  /(?<=^|\n|\\n)(?=[^:\n]{0,99}[A-Za-z*.])[\w.*-]{1,100}:(?:\d{1,5}|\*):(?=\*|[^:\n]{0,60}[A-Za-z])[^\s:"']{1,64}:(?=\*|[^:\n]{0,60}[A-Za-z])[^\s:"']{1,64}:(?<it>(?:\\{1,2}[:\\]|[^:\\\n\r"]){3,200})(?=$|[\r\n"]|\\[nr])/dg;

export const findPasswordFiles: Finder = (text) => findMatches(text, pgpass, 'password-file');

/** The text of the QR code with which a phone joins a network. */
const wifi =
  /(?<![A-Za-z0-9])WIFI:(?:[A-Z]\d?:(?:\\{1,2}[^\n]|[^;\\\n]){0,100};){0,6}?P:(?<it>(?:\\{1,2}[^\n]|[^;\\\n]){1,100});/dg;

export const findWifiCodes: Finder = (text) => findMatches(text, wifi, 'wifi-code');

const label =
  /(?<![a-z])(?:mnemonic|(?:seed|recovery|backup|wallet)[ _-]?(?:phrase|words?|seed|mnemonic)|seed)(?:[ _](?:phrase|words?))?(?:\\{0,8}["'])?(?:\s{0,4}[:=]{1,2}|\s(?:is|are|was):?|(?=\s))(?:\s|\\[nrt]|\\{0,8}["'`“]){0,12}/gi;
const word = /(?:\d{1,2}[.):]?[ \t]{1,3})?([a-z]{3,8})(?![\w'’-])/iy;
const gap = /(?:[ \t,]|\r?\n|\\[nrt]){1,6}/y;
const sentence =
  /^(?:the|and|are|was|for|with|from|your|our|their|not|never|must|should|which|has|have|its|that|these|those|please)$/i;

const max = 24;
const least = 12;
/** The fewest words of a phrase that the end of the text cuts off. */
const leastCut = 4;
const unfinished = /^[\s,\d.):]{0,12}[a-z]{0,8}$/i;

/**
 * Finds the 12 to 24 words that restore a wallet, after a label. A common word of sentences ends them, since any words may
 * follow a label.
 */
export const findSeedPhrases: Finder = (text) => {
  if (!/seed|mnemonic|phrase|recovery|wallet/i.test(text)) return [];
  const findings: Finding[] = [];
  for (const match of text.matchAll(label)) {
    const start = match.index + match[0].length;
    const ends = findWordEnds(text, start);
    const last = ends.at(-1) ?? start;
    const count = ends.length;
    const isCut = count >= leastCut && unfinished.test(text.slice(last, last + 30));
    if (count < least && !isCut) continue;
    // The number of words is a multiple of three.
    const end = isCut ? last : (ends[count - (count % 3) - 1] ?? last);
    if (!text.slice(start, end).includes(blank)) findings.push({ start, end, kind: 'secret' });
  }
  return findings;
};

/** Returns the ends of successive words. */
function findWordEnds(text: string, start: number): readonly number[] {
  const ends: number[] = [];
  for (let at = start; ends.length < max; ) {
    word.lastIndex = at;
    const match = word.exec(text);
    if (match === null || sentence.test(match[1] ?? '')) break;
    ends.push(word.lastIndex);
    gap.lastIndex = word.lastIndex;
    if (!gap.test(text)) break;
    at = gap.lastIndex;
  }
  return ends;
}

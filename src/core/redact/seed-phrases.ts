/**
 * The words that a wallet is restored from: twelve to twenty-four, where it is said that they are that. Any words would
 * do, so no word that is a part of sentences may be among them.
 */

import { blank, type Finder, type Finding } from './finding.js';

const label =
  /(?<![a-z])(?:mnemonic|(?:seed|recovery|backup|wallet)[ _-]?(?:phrase|words?|seed|mnemonic)|seed)(?:[ _](?:phrase|words?))?(?:\\{0,8}["'])?(?:\s{0,4}[:=]{1,2}|\s(?:is|are|was):?|(?=\s))(?:\s|\\[nrt]|\\{0,8}["'`“]){0,12}/gi;
const word = /(?:\d{1,2}[.):]?[ \t]{1,3})?([a-z]{3,8})(?![\w'’-])/iy;
const gap = /(?:[ \t,]|\r?\n|\\[nrt]){1,6}/y;
const sentence =
  /^(?:the|and|are|was|for|with|from|your|our|their|not|never|must|should|which|has|have|its|that|these|those|please)$/i;

const most = 24;
const least = 12;
/** What was cut off, or is still being said: fewer words, with which the text ends. */
const leastCut = 4;
const unfinished = /^[\s,\d.):]{0,12}[a-z]{0,8}$/i;

export const seedPhrases: Finder = (text) => {
  if (!/seed|mnemonic|phrase|recovery|wallet/i.test(text)) return [];
  const found: Finding[] = [];
  for (const match of text.matchAll(label)) {
    const start = match.index + match[0].length;
    const ends = wordEnds(text, start);
    const last = ends.at(-1) ?? start;
    const count = ends.length;
    const isCut = count >= leastCut && unfinished.test(text.slice(last, last + 30));
    if (count < least && !isCut) continue;
    // Wallets have a multiple of three.
    const end = isCut ? last : (ends[count - (count % 3) - 1] ?? last);
    if (!text.slice(start, end).includes(blank)) found.push({ start, end, kind: 'secret' });
  }
  return found;
};

/** Where the words in a row end. */
function wordEnds(text: string, start: number): readonly number[] {
  const ends: number[] = [];
  for (let at = start; ends.length < most; ) {
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

/** Secrets by their names where nothing is assigned: `my password is …`, `--token …`, `<password>…</password>`. */

import { blank, type Finder, type Finding } from './finding.js';
import { likely, type NameKind, secretKind } from './key-names.js';
import { isMixed, isPlaceholder, isSecretValue, isStrong } from './secret-values.js';

const said =
  /(?<![\w-])((?:[a-z]{2,20}[ _-])?(?:password|passwd|passphrase|passcode|pwd|secret|token|key))(?:["']? (?:is|was|to|=>|->):?| (?:for|to|of) [^:\n]{1,40}:) ?(?<quote>["'`“])?(?<it>[^\s"'`”]{6,256})/dgi;
const flag = /(?<!\S)--?([a-z][\w-]{2,40})[ \t]{1,4}(["']?)(?<it>[^\s"'`;|&<>-][^\s"'`;|&<>]{2,1024})/dgi;
const element = /<([A-Za-z][\w:.-]{2,60})(?:\s[^<>]{0,200})?>(?<it>[^<>\s][^<>\n]{0,1000})<\//dg;

/** `the --password option is …` */
const flagWords =
  /^(?:options?|flags?|arguments?|parameters?|and|or|is|are|to|in|as|for|with|from|via|can|cannot|must|may|if|when|instead|values?|was|has|were|will|should)$/i;

export const spokenSecrets: Finder = (text, { names }) => {
  const found: Finding[] = [];
  if (names.size === 0 && !likely.test(text)) return found;
  for (const [pattern, written] of [
    [said, 'said'],
    [flag, 'flag'],
    [element, 'quoted'],
  ] as const) {
    for (const match of text.matchAll(pattern)) {
      const [start, stop] = match.indices?.groups?.it ?? [0, 0];
      const value = text.slice(start, stop).replace(/[.,;:!?)]{1,9}$/, '');
      const name = secretKind(match[1] ?? '', names);
      if (name === null || name.field || value.includes(blank)) continue;
      const isSecret =
        written === 'said'
          ? isSaid(value, name, match.groups?.quote !== undefined) && !isPlaceholder(value)
          : written === 'flag'
            ? !flagWords.test(value) && isSecretValue(value, 'tight', name)
            : isSecretValue(value, 'quoted', name);
      if (isSecret) found.push({ start, end: start + value.length, kind: name.kind });
    }
  }
  return found;
};

/** What follows "is" is mostly a word of the sentence. */
function isSaid(value: string, name: NameKind, quoted: boolean): boolean {
  if (quoted && name.kind === 'password') return isSecretValue(value, 'quoted', name);
  return name.kind === 'password' ? isMixed(value) : isStrong(value) && isMixed(value);
}

/** Secrets by their names where nothing is assigned: `my password is …`, `--token …`, `<password>…</password>`. */

import { blank, type Finder, type Finding } from './finding.js';
import { likely, type NameKind, secretKind } from './key-names.js';
import { isMixed, isPlaceholder, isSecretValue, isStrong, numbered } from './secret-values.js';

const said =
  /(?<![\w-])((?:[a-z]{2,20}[ _-])?(?:password|passwd|passphrase|passcode|passwort|kennwort|pwd|secret|token|key))(?:["']? (?:is|was|ist|to|=>|->):?| (?:for|to|of) [^:\n]{1,40}:) ?(?<quote>["'`“])?(?<it>[^\s"'`”]{6,256})/dgi;
/** `the password for the database is …`, `the API key you need is …` */
const saidOf =
  /(?<![\w-])((?:[a-z]{2,20}[ _-])?(?:password|passwd|passphrase|passcode|pwd|secret|token|key)) (?:for|to|of|on|in|you|we|i|they|that|which)\b[\w '@/-]{1,40}? (?:is|was):? ?(?<quote>["'`“])?(?<it>[^\s"'`”]{6,256})/dgi;
/** `password hunter2`, `token "…"`: what follows at once. */
const next =
  /(?<![\w$.-])(password|passwd|passphrase|passcode|passwort|kennwort|pwd) (?<it>[A-Za-z0-9!@#$%^&*?+~][\w!@#$%^&*?+~-]{4,62}[\w!@#$%^&*?+~-])(?=$|[\s"'!?;)]|[.,](?:\s|$))/dgi;
const nextKey =
  /(?<![\w$.-])(?:(?:with|use|using|via|the) )?((?:[a-z]{2,20} )?(?:secret|token|key)) (?!0x)(?<it>[A-Za-z0-9]{16,256})(?=$|[\s"'!?;)]|[.,](?:\s|$))/dgi;
const nextQuoted =
  /(?<![\w$.-])(?:(?:with|use|using|via|the) )?((?:[a-z]{2,20} )?(?:password|passwd|passphrase|passcode|pwd|secret|token|key)) (?<quote>["'`“])(?<it>[^\s"'`”]{6,256})["'`”]/dgi;
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
    [saidOf, 'said of'],
    [next, 'next'],
    [nextKey, 'next'],
    [nextQuoted, 'next'],
    [flag, 'flag'],
    [element, 'quoted'],
  ] as const) {
    for (const match of text.matchAll(pattern)) {
      const [start, stop] = match.indices?.groups?.it ?? [0, 0];
      const value = text.slice(start, stop).replace(/[.,;:!?)]{1,9}$/, '');
      const name = secretKind(match[1] ?? '', names);
      if (name === null || name.field || value.includes(blank)) continue;
      const quoted = match.groups?.quote !== undefined;
      const isSecret =
        written === 'said'
          ? isSaid(value, name, quoted) && !isPlaceholder(value)
          : written === 'said of' || written === 'next'
            ? isRandom(value, name) && !isPlaceholder(value)
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

/** Where less is said, the value must say more: a password is no name of a format or a document, a key no name at all. */
function isRandom(value: string, name: NameKind): boolean {
  if (
    /^[A-Z]{2,8}[-_]?\d+$|^v?\d+(?:[._-]\w+)*$|^\d+[a-z]{1,3}$|\.[a-z]{2,4}$|^[a-z]+(?:[-_][a-z]+)+\d{0,2}$/.test(value)
  )
    return false;
  if (name.kind === 'password') return isMixed(value) && !numbered.test(value);
  // `secret "db-credentials-7f9c"` is the name of one.
  if (name.kind === 'secret' && value.includes('-')) return false;
  return value.length >= 12 && isStrong(value) && isMixed(value);
}

/** Compares file names as the most lenient file system would, so that one rule holds on every system. */

/** Characters that HFS+ leaves out when it compares names. */
const unseen = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Returns the form in which two names of one file are equal.
 *
 * A name that is left out must stay so under every spelling: `.GIT` on macOS; `.git.`, `.git::$INDEX_ALLOCATION` and the
 * short name `GIT~1` on Windows.
 */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFC')
    .replace(unseen, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  if (/^git~\d+$/.test(folded)) return '.git';
  return folded === '' ? name : folded;
}

/** Keys that are told by how they look, wherever they stand. */

import { hexKey, keyForms, otherForms } from './api-key-forms.js';
import { after, type Finder, type Finding, matches, outermost, wordStart } from './finding.js';

const runs = /[A-Za-z0-9_-]{15,}/g;
/** Longer ones are no key, whatever they begin with. */
const longest = 512;

export const apiKeys: Finder = (text) => {
  const found: Finding[] = otherForms.flatMap(([holds, form]) =>
    text.includes(holds) ? matches(text, form, 'api-key') : [],
  );
  for (const match of text.matchAll(runs)) {
    const start = wordStart(text, match.index);
    const end = match.index + match[0].length;
    if (end - start > longest || !isKey(text.slice(start, end))) continue;
    found.push({ start, end, kind: 'api-key' });
    found.push(...secretOf(text, start, end));
  }
  return outermost(found);
};

function isKey(run: string): boolean {
  const forms = keyForms.get(run.slice(0, 2)) ?? [];
  if (hexKey.test(run)) return true;
  return forms.some(({ prefix, body }) => run.startsWith(prefix) && body.test(run.slice(prefix.length)));
}

const awsSecret =
  /(?<![A-Za-z0-9/+=])(?=[^a-z]{0,39}[a-z])(?=[^A-Z]{0,39}[A-Z])(?=\D{0,39}\d)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/;

/** AWS gives its ids and their secrets in pairs, and the secret alone looks like nothing in particular. */
function secretOf(text: string, start: number, end: number): readonly Finding[] {
  if (!/^A[KS]IA/.test(text.slice(start, start + 4))) return [];
  const secret = awsSecret.exec(after(text, end, 160));
  if (secret === null) return [];
  return [{ start: end + secret.index, end: end + secret.index + 40, kind: 'api-key' }];
}

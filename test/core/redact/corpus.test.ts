/** Every secret of the corpus is masked to the character, and every other text remains unchanged. */

import { describe, expect, it } from 'vitest';
import { budget } from '../../support/budget.js';
import { keys } from './corpus-keys.js';
import { lookalikes } from './corpus-lookalikes.js';
import { cards, emails, ibans, phones, ssns } from './corpus-persons.js';
import { plain } from './corpus-plain.js';
import { jwts, otherSecrets, passwords, privateKeys, tokens } from './corpus-secrets.js';
import { caseOf, mask } from './expand.js';

const seeds = Array.from({ length: budget(4, 12) }, (_, at) => at + 1);
const groups: Readonly<Record<string, readonly string[]>> = {
  'api-key': keys,
  'private-key': privateKeys,
  jwt: jwts,
  token: tokens,
  password: passwords,
  secret: otherSecrets,
  card: cards,
  iban: ibans,
  email: emails,
  phone: phones,
  ssn: ssns,
};

describe.each(Object.entries(groups))('%s', (kind, texts) => {
  it.each(texts)('%s', (written) => {
    for (const seed of seeds) {
      const { text, masked } = caseOf(kind, written, seed);
      expect(mask(text)).toBe(masked);
    }
  });

  it('is masked completely in the middle of other texts', () => {
    const cases = seeds.flatMap((seed) => texts.map((written, at) => caseOf(kind, written, 1000 * seed + at)));
    const masked = mask(cases.map(({ text }) => text).join('\n\nMeanwhile, 42 rows later:\n\n'));
    for (const { secrets } of cases) {
      // A shorter secret may also be part of another text.
      for (const secret of secrets.filter(({ length }) => length > 8)) expect(masked).not.toContain(secret);
    }
  });
});

describe('a text without secrets remains unchanged', () => {
  it.each([...plain, ...lookalikes])('%s', (written) => {
    for (const seed of seeds) {
      const { text } = caseOf('', written, seed);
      expect(mask(text)).toBe(text);
    }
  });
});

/** Arbitrary texts, many with control characters of terminals. */

import fc from 'fast-check';

export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '天',
      '👩‍👩‍👧‍👦',
      '\u001b',
      '[2J',
      ']0;x',
      '\u0007',
      'é',
      '\u202e',
      '\u009b',
      '\r',
    ),
  }),
);

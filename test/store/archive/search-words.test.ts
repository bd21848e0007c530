/** What words a text is found by. */

import { describe, expect, it } from 'vitest';
import { splitWords, toSearchTerms } from '../../../src/store/archive/search-words.js';

const words = (text: string) => [...splitWords(text)];

describe('words', () => {
  it('are letters and digits, without case and accents, each once', () => {
    expect(words('The café, the CAFÉ & order-42/get_weather({"city":"Zürich"})')).toEqual([
      'the',
      'cafe',
      'order',
      '42',
      'get',
      'weather',
      'city',
      'zurich',
    ]);
  });

  it('of scripts without spaces are pairs of letters, found by any part', () => {
    const found = splitWords('東京の天気');
    for (const part of ['東京', '天気', '京の']) for (const word of toSearchTerms(part)) expect(found).toContain(word);
  });

  it('are cut where nobody would write them out', () => {
    expect(words('a'.repeat(100))).toEqual(['a'.repeat(40)]);
  });

  it('of a text without any are none', () => {
    expect(words(' … "\' % * \u0000 ')).toEqual([]);
  });
});

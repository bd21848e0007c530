/** The words that a text is found by. */

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

  it('of scripts without spaces are pairs of letters, so that any part matches', () => {
    const found = splitWords('東京の天気');
    for (const part of ['東京', '天気', '京の']) for (const word of toSearchTerms(part)) expect(found).toContain(word);
  });

  it('are cut at the maximum length', () => {
    expect(words('a'.repeat(100))).toEqual(['a'.repeat(40)]);
  });

  it('do not exist in a text without letters and digits', () => {
    expect(words(' … "\' % * \u0000 ')).toEqual([]);
  });
});

/** What a chain is started with is looked at before Temporal does, which says less. */

import { describe, expect, it } from 'vitest';
import { checkId, checkStart } from '../../src/client/check-start.js';

describe('checkStart', () => {
  it('takes what the types allow', () => {
    expect(() => checkStart({})).not.toThrow();
    expect(() => checkStart({ chainId: 'order-7', ifExists: 'join' })).not.toThrow();
    expect(() => checkStart({ chainId: 'x'.repeat(1_000), ifExists: undefined })).not.toThrow();
  });

  it.each([
    ['', RangeError, "The chain's id is empty"],
    ['x'.repeat(2_000), RangeError, 'has 2000 bytes; Temporal takes 1000 at most'],
    ['ä'.repeat(501), RangeError, 'has 1002 bytes'],
    [7, TypeError, "A chain's id is a text, not 7."],
  ])('refuses an id that Temporal would', (chainId, type, says) => {
    expect(() => checkId(chainId)).toThrow(type);
    expect(() => checkStart({ chainId: chainId as string })).toThrow(says);
  });

  it('names the values of ifExists', () => {
    const wrong = { ifExists: 'nope' as 'join' };
    expect(() => checkStart(wrong)).toThrow(`\`ifExists\` is "nope". Write 'error', 'join' or 'again'`);
  });
});

/** Arguments edited as they are seen: what is behind a mark is neither lost nor sent as a mark. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { restoreInput } from '../../../src/cli/approvals/request-view.js';
import type { Json } from '../../../src/core/lib/json.js';

const whole = { branch: 'main', token: 'hunter2hunter2', rows: [{ to: 'a@b.example', n: 1 }] };
const seen = { branch: 'main', token: '[redacted:field]', rows: [{ to: '[redacted:email]', n: 1 }] };

it('puts back what was hidden and not touched', () => {
  expect(restoreInput(seen, seen, whole)).toEqual(whole);
  expect(restoreInput({ ...seen, branch: 'next' }, seen, whole)).toEqual({ ...whole, branch: 'next' });
  expect(restoreInput({ ...seen, rows: [{ to: '[redacted:email]', n: 2 }] }, seen, whole)).toEqual({
    ...whole,
    rows: [{ to: 'a@b.example', n: 2 }],
  });
});

it('takes what was written anew, and what was left out', () => {
  expect(restoreInput({ ...seen, token: 'other' }, seen, whole)).toEqual({ ...whole, token: 'other' });
  expect(restoreInput({ branch: 'main' }, seen, whole)).toEqual({ branch: 'main' });
});

it.each<[string, Json]>([
  ['changed', { ...seen, token: '[redacted:field]x' }],
  ['moved to where it hides something else', { ...seen, branch: '[redacted:field]' }],
  ['put into a new member', { ...seen, also: '[redacted:email]' }],
  ['at the top', '[redacted:field]'],
])('does not know what a mark means that was %s', (_how, edited) => {
  expect(restoreInput(edited, seen, whole)).toBeNull();
});

it('keeps marks that the arguments really hold', () => {
  const real = { note: 'write [redacted:email] there' };
  expect(restoreInput({ ...real, more: 1 }, real, real)).toEqual({ ...real, more: 1 });
});

it('changes nothing where nothing is hidden', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (edited, value) => {
      expect(restoreInput(edited as Json, value as Json, value as Json)).toEqual(edited);
    }),
  );
});

it('takes no member that a value only inherits for one that was there', () => {
  expect(restoreInput({ valueOf: {} }, {}, {})).toEqual({ valueOf: {} });
});

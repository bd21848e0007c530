/** Masked arguments that a person edits: a masked value is neither lost nor replaced by its mark. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { restoreInput } from '../../../src/core/view/request-view.js';
import type { Json } from '../../../src/index.js';

const whole = { branch: 'main', token: 'hunter2hunter2', rows: [{ to: 'a@b.example', n: 1 }] };
const seen = { branch: 'main', token: '[redacted:field]', rows: [{ to: '[redacted:email]', n: 1 }] };

it('restores masked values that were not edited', () => {
  expect(restoreInput(seen, seen, whole)).toEqual(whole);
  expect(restoreInput({ ...seen, branch: 'next' }, seen, whole)).toEqual({ ...whole, branch: 'next' });
  expect(restoreInput({ ...seen, rows: [{ to: '[redacted:email]', n: 2 }] }, seen, whole)).toEqual({
    ...whole,
    rows: [{ to: 'a@b.example', n: 2 }],
  });
});

it('accepts new values and removed members', () => {
  expect(restoreInput({ ...seen, token: 'other' }, seen, whole)).toEqual({ ...whole, token: 'other' });
  expect(restoreInput({ branch: 'main' }, seen, whole)).toEqual({ branch: 'main' });
});

it.each<[string, Json]>([
  ['changed', { ...seen, token: '[redacted:field]x' }],
  ['moved to where it hides something else', { ...seen, branch: '[redacted:field]' }],
  ['put into a new member', { ...seen, also: '[redacted:email]' }],
  ['at the top', '[redacted:field]'],
])('rejects a mark that was %s', (_how, edited) => {
  expect(restoreInput(edited, seen, whole)).toBeNull();
});

it('keeps marks that are part of the real arguments', () => {
  const real = { note: 'write [redacted:email] there' };
  expect(restoreInput({ ...real, more: 1 }, real, real)).toEqual({ ...real, more: 1 });
});

it('changes nothing if no value is masked', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (edited, value) => {
      expect(restoreInput(edited as Json, value as Json, value as Json)).toEqual(edited);
    }),
  );
});

it('ignores inherited members', () => {
  expect(restoreInput({ valueOf: {} }, {}, {})).toEqual({ valueOf: {} });
});

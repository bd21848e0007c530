/** Edited arguments: real values take the place of masks, and pin the version of the request that they are from. */

import { expect, it } from 'vitest';
import type { RequestView } from '../../../src/core/view/request-view.js';
import { unmaskInput } from '../../../src/gateway/request/unmask-input.js';

const mask = '[redacted:secret]';
const request = { call: '1.1', digest: 'd-1', input: { key: 'sk-1', cents: 10 } };
const seen = { request, level: 'full', input: { key: mask, cents: 10 } } as unknown as RequestView;

it('a masked value gets its real value back, with the digest of the request that has it', () => {
  expect(unmaskInput({ key: mask, cents: 20 }, seen)).toEqual({ input: { key: 'sk-1', cents: 20 }, digest: 'd-1' });
});

it('a mask in a place where it hides nothing is rejected', () => {
  expect(() => unmaskInput({ key: 'sk-2', cents: mask }, seen)).toThrow(
    expect.objectContaining({ code: 'request_invalid' }),
  );
});

it('arguments that the viewer did not see have no masks to restore', () => {
  const hidden: RequestView = { ...seen, level: 'hidden', input: null };
  expect(unmaskInput({ cents: 20 }, hidden)).toEqual({ input: { cents: 20 } });
  expect(unmaskInput(null, hidden)).toEqual({ input: null });
});

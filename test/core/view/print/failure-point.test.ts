/** The item at which a chain failed. */

import { expect, it } from 'vitest';
import { findFailurePoint } from '../../../../src/core/view/print/failure-point.js';
import type { NoticeStep } from '../../../../src/core/view/reasoning.js';
import { call, noticed, reasoningWith, result, thought } from '../../../support/some-reasoning.js';

it.each([
  ['Call 1.1 (pay) failed for good: no money.', '1.1r'],
  ['Call 1.10 (pay) and call 1.1 (pay) failed.', '1.1r'],
  ['Call 1.10 (pay) failed for good: no money.', '1.2r'],
])('a chain that fails with the reason "%s" is marked at the result %s', (reason, id) => {
  const failed = (id: string) => result(id, 'pay', 'No money.', { status: 'error' });
  const steps = [thought(1, 'First.'), call('1.1', 'pay', {}), call('1.2', 'pay', {}), failed('1.1'), failed('1.2')];
  const reasoning = reasoningWith(steps, { state: 'failed', outcome: 'failure', reason });
  expect(findFailurePoint(reasoning)).toEqual({ kind: 'item', id, words: 'failed here' });
});

it.each<[NoticeStep['notice'], string]>([
  ['limit_reached', '2n1'],
  ['stalled', '2n1'],
  ['cancel_requested', '2n1'],
  ['breakpoint_set', '2'],
])('a chain that fails after the notice %s is marked at %s', (notice, id) => {
  const steps = [thought(1, 'First.'), thought(2, 'Second.'), noticed(2, notice, 'It ends.')];
  const reasoning = reasoningWith(steps, { state: 'failed', outcome: 'max_iterations' });
  expect(findFailurePoint(reasoning)).toEqual({ kind: 'item', id, words: 'stopped here' });
});

/** The item at which a chain failed. */

import { expect, it } from 'vitest';
import { findFailurePoint } from '../../../src/core/print/failure-point.js';
import type { NoticeStep } from '../../../src/core/view/reasoning.js';
import { noticed, reasoningWith, thought } from '../../support/some-reasoning.js';

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

/** A fork that cannot be is told apart from what goes wrong otherwise. */

import { expect, it } from 'vitest';
import { ForkError } from '../../src/client/errors.js';
import { type ForkOptions, forkStart } from '../../src/client/fork.js';
import { storedChain } from '../support/stored-chain.js';

it.each<[string, ForkOptions, string]>([
  ['at a step that there is not', { atStep: 9 }, 'cannot be forked at step 9: it has'],
  ['at no step', { atStep: 0 }, 'cannot be forked at step 0'],
  ['at its answer, with nothing to go on with', {}, 'is its answer. Say what to go on with'],
])('%s', async (_where, options, why) => {
  const recorded = await storedChain('reuse');
  const forked = () => forkStart(recorded, options);
  expect(forked).toThrow(ForkError);
  expect(forked).toThrow(why);
});

/** Which of the chains that begin alike is meant. */

import { expect, it } from 'vitest';
import { outermost } from '../../../src/cli/chain/find.js';

it('a chain is meant before those that it began, and of others no one alone', () => {
  const tree = ['tea-1/1.1/1.1', 'tea-1/1.2', 'tea-1', 'tea-1/1.1'];
  expect(outermost(tree)).toEqual(['tea-1']);
  expect(outermost([...tree, 'tea-11', 'tea-11/1.1'])).toEqual(['tea-1', 'tea-11']);
  expect(outermost(['shop/7', 'shop/8'])).toEqual(['shop/7', 'shop/8']);
  expect(outermost(['tea-1/1.1/1.1', 'tea-1/1.1'])).toEqual(['tea-1/1.1']);
});

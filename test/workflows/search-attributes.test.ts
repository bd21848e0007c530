/** The search attributes that a chain sets itself, where its start set none. */

import { expect, it } from 'vitest';
import type { ChainInput } from '../../src/core/model/fact.js';
import { listStartAttributes } from '../../src/workflows/search-attributes.js';
import { someInput } from '../support/core-builders.js';
import { lineage } from '../support/core-delegation.js';

const readThread = (input: Partial<ChainInput>) => {
  const attributes = listStartAttributes('chain-1', { ...someInput, ...input });
  return attributes.find(({ key }) => key.name === 'LonghandThread')?.value;
};

it('a chain that was started by plain JSON, runAgent or a schedule is the first of its thread', () => {
  expect(readThread({})).toBe('chain-1');
  expect(readThread({ thread: { id: 'chain-0', number: 2, follows: 'chain-0' } })).toBe('chain-0');
});

it('a sub-chain belongs to no thread', () => {
  expect(readThread({ lineage: lineage() })).toBeUndefined();
});

/** Each method of a handle throws the same error for an unknown chain; an invalid id is rejected. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChainNotFoundError, connect, type Longhand } from '../../../src/entries/client.js';
import { matchError } from '../../support/match-error.js';
import { getTemporalAddress } from '../../support/temporal.js';

let longhand: Longhand;
beforeAll(async () => {
  longhand = await connect({ address: getTemporalAddress() });
});
afterAll(() => longhand.close());

it.each(['result', 'describe', 'cancel'] as const)(
  '%s of an unknown chain throws ChainNotFoundError',
  async (method) => {
    await expect(longhand.getHandle('never-was')[method]()).rejects.toThrow(ChainNotFoundError);
  },
);

it('an invalid chain id is rejected before any request', async () => {
  expect(() => longhand.getHandle('')).toThrow(matchError('invalid_options'));
  await expect(longhand.start('a', 'Do it', { chainId: 'x'.repeat(2_000) })).rejects.toMatchObject(
    matchError('invalid_options', '2000 bytes'),
  );
});

it('a cancel of an ended chain returns the status ended', async () => {
  const chain = await longhand.start('a', 'Do it');
  await longhand.client.workflow.getHandle(chain.chainId).terminate();
  expect(await chain.cancel()).toEqual({ id: null, status: 'ended' });
});

/** Which chains belong to a thread, and where it continues. */

import { describe, expect, it } from 'vitest';
import type { RecordedHistory } from '../../../src/client/read/recorded-chain.js';
import { readThread, readThreadEnd } from '../../../src/client/read/thread.js';
import type { ThreadSource } from '../../../src/client/read/thread-source.js';
import { matchError } from '../../support/match-error.js';
import { chainAt, placeIn, sourceOf } from '../../support/thread-chains.js';

const first = chainAt('chat', 100);
const second = chainAt('chat~2', 200, placeIn('chat', 2, 'chat'));
const third = chainAt('chat~3', 300, placeIn('chat', 3, 'chat~2'));

async function endOf(source: ThreadSource, chainId = 'chat', tenant?: string): Promise<readonly unknown[]> {
  const { last, nextId } = await readThreadEnd(source, chainId, { tenant });
  return [last.chainId, nextId];
}

const idsOf = async (source: ThreadSource, chainId = 'chat', tenant?: string) =>
  (await readThread(source, chainId, { tenant })).map((each) => each.chainId);

describe('a thread continues after its last chain', () => {
  it('whichever of its chains is named, and also where the list does not have it yet', async () => {
    const source = sourceOf([first, second, third], { unlisted: ['chat~2', 'chat~3'] });
    for (const id of ['chat', 'chat~2', 'chat~3']) expect(await endOf(source, id)).toEqual(['chat~3', 'chat~4']);
    expect(await idsOf(source)).toEqual(['chat', 'chat~2', 'chat~3']);
  });

  it('and a chain with an id of its own is found by the list', async () => {
    const own = chainAt('message-9', 250, placeIn('chat', 3, 'chat~2'));
    expect(await endOf(sourceOf([first, second, own]))).toEqual(['message-9', 'chat~4']);
  });
});

describe('a chain is not in a thread that it only names', () => {
  it.each<[string, RecordedHistory]>([
    ['of an earlier conversation with the same id', chainAt('chat~2', 50, placeIn('chat', 2, 'chat'))],
    ['of another tenant', chainAt('chat~2', 200, { ...placeIn('chat', 2, 'chat'), tenant: 'globex' })],
    ['of another thread', chainAt('chat~2', 200)],
  ])('%s, and its id is not used again', async (_of, foreign) => {
    for (const unlisted of [[], ['chat~2']]) {
      const source = sourceOf([first, foreign], { unlisted });
      expect(await endOf(source)).toEqual(['chat', 'chat~3']);
      expect(await idsOf(source)).toEqual(['chat']);
    }
  });

  it('although it states the highest number: the newest chain of the tenant is the last', async () => {
    const forged = chainAt('forged', 400, { ...placeIn('chat', 99, 'chat'), tenant: 'globex' });
    const source = sourceOf([first, second, forged]);
    expect(await endOf(source)).toEqual(['chat~2', 'chat~3']);
    expect(await idsOf(source)).toEqual(['chat', 'chat~2']);
  });

  it('although it states to follow a chain of another tenant: that chain is not read', async () => {
    const forged = chainAt('forged', 400, { ...placeIn('chat', 2, 'chat'), tenant: 'globex' });
    expect(await idsOf(sourceOf([first, forged]), 'forged')).toEqual(['forged']);
  });
});

describe('a thread whose chains are partly gone', () => {
  it('still has its id, when its first chain was deleted or erased', async () => {
    expect(await endOf(sourceOf([second, third]))).toEqual(['chat~3', 'chat~4']);
    const erased = sourceOf([first, second, third], { erased: ['chat'] });
    expect(await endOf(erased)).toEqual(['chat~3', 'chat~4']);
    expect(await idsOf(erased)).toEqual(['chat~2', 'chat~3']);
    await expect(endOf(sourceOf([second], {}), 'other')).rejects.toThrow(matchError('chain_not_found'));
    await expect(endOf(sourceOf([first], { erased: ['chat'] }))).rejects.toThrow(matchError('chain_erased'));
  });

  it('of another tenant is not found by its id', async () => {
    const owned = chainAt('chat~2', 200, { ...placeIn('chat', 2, 'chat'), tenant: 'acme' });
    expect(await endOf(sourceOf([owned]), 'chat', 'acme')).toEqual(['chat~2', 'chat~3']);
    await expect(endOf(sourceOf([owned]), 'chat', 'globex')).rejects.toThrow(matchError('chain_not_found'));
  });

  it('continues after the chain before an erased one, whose id is in use', async () => {
    const source = sourceOf([first, second], { erased: ['chat~2'] });
    expect(await endOf(source)).toEqual(['chat', 'chat~3']);
  });

  it('is read without the erased ones, and with those before them', async () => {
    expect(await idsOf(sourceOf([first, second, third], { erased: ['chat~2'] }))).toEqual(['chat', 'chat~3']);
  });
});

it('two chains that follow the same one are both read, whichever is named', async () => {
  const a = chainAt('message-1', 200, placeIn('chat', 2, 'chat'));
  const b = chainAt('message-2', 250, placeIn('chat', 2, 'chat'));
  const last = chainAt('chat~3', 300, placeIn('chat', 3, 'message-2'));
  const source = sourceOf([first, a, b, last]);
  for (const id of ['chat', 'message-1', 'message-2', 'chat~3'])
    expect(await idsOf(source, id)).toEqual(['chat', 'message-1', 'message-2', 'chat~3']);
});

it('the thread of another tenant is rejected without the name of its tenant', async () => {
  const owned = chainAt('chat', 100, { tenant: 'acme' }, { closed: null });
  const read = endOf(sourceOf([owned]), 'chat', 'globex');
  await expect(read).rejects.toThrow(matchError('invalid_options', 'Chain chat is no chain of tenant globex.'));
  await expect(read).rejects.not.toThrow(/acme/);
  expect(await endOf(sourceOf([owned]), 'chat', 'acme')).toEqual(['chat', 'chat~2']);
});

describe('for a caller that reaches only the chains of its user', () => {
  const users = { ana: { user: 'ana' }, ben: { user: 'ben' } };
  const [one, two, three] = [
    chainAt('chat', 100, users.ben),
    chainAt('chat~2', 200, { ...placeIn('chat', 2, 'chat'), ...users.ben }),
    chainAt('chat~3', 300, { ...placeIn('chat', 3, 'chat~2'), ...users.ana }),
  ];
  const ofBen = { reaches: ({ user }: { readonly user: string | null }) => user === 'ben' };

  it('a thread continues after its last chain of them, under a free id', async () => {
    for (const unlisted of [[], ['chat~2', 'chat~3']]) {
      const { last, nextId } = await readThreadEnd(sourceOf([one, two, three], { unlisted }), 'chat', ofBen);
      expect([last.chainId, nextId]).toEqual(['chat~2', 'chat~4']);
    }
    const branch = chainAt('chat~4', 400, { ...placeIn('chat', 3, 'chat~2'), ...users.ben });
    const { last, nextId } = await readThreadEnd(sourceOf([one, two, three, branch]), 'chat', ofBen);
    expect([last.chainId, nextId]).toEqual(['chat~4', 'chat~5']);
  });

  it('another chain of it is one that does not exist, also where its first one is gone', async () => {
    const source = sourceOf([three]);
    for (const id of ['chat', 'chat~3'])
      await expect(readThreadEnd(source, id, ofBen)).rejects.toThrow(matchError('chain_not_found'));
  });
});

/** The newest chain of a chat, found by asking which ids exist. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainNotFoundError } from '../../../src/client/errors/errors.js';
import { findNewestChain } from '../../../src/gateway/chat/chat-chains.js';
import { findChainNumber } from '../../../src/gateway/chat/chat-ids.js';
import type { ReachedChain, RequestContext } from '../../../src/gateway/request/context.js';

const firstId = `chat-${'a'.repeat(40)}`;

/** A server with the chains 1 to `count`, which counts how often it is asked. */
function createServer(count: number) {
  let asked = 0;
  const reach: RequestContext['reach'] = async (chainId) => {
    asked += 1;
    const number = findChainNumber(firstId, chainId);
    if (number === null || number > count) throw new ChainNotFoundError(chainId);
    return { chainId } as ReachedChain;
  };
  return { reach, getAsked: () => asked };
}

describe('findNewestChain', () => {
  it('finds it in any chat, also from a known one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300), fc.nat(300), async (count, known) => {
        const newest = await findNewestChain(createServer(count), firstId, Math.min(known, count));
        expect(newest?.number ?? 0).toBe(count);
      }),
    );
  });

  it('asks few times: twice after the newest, and logarithmically often without a known one', async () => {
    const after = createServer(1_000);
    await findNewestChain(after, firstId, 1_000);
    expect(after.getAsked()).toBe(2);
    const far = createServer(1_000);
    await findNewestChain(far, firstId);
    expect(far.getAsked()).toBeLessThan(25);
  });
});

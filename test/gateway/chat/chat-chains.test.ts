/** The newest chain of a chat, found by asking which ids exist. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainNotFoundError } from '../../../src/client/errors/errors.js';
import { type ChatSource, findNewestChain } from '../../../src/gateway/chat/chat-chains.js';
import { findChainNumber, toChainId } from '../../../src/gateway/chat/chat-ids.js';
import type { ReachedChain, RequestContext } from '../../../src/gateway/request/context.js';

const firstId = `chat-${'a'.repeat(40)}`;

/** A server with the chains after `deleted` up to `count`, which counts how often it is asked. @param listed by the archive */
function createServer(count: number, { deleted = 0, listed = [] as readonly string[] } = {}) {
  let asked = 0;
  const reach: RequestContext['reach'] = async (chainId) => {
    asked += 1;
    const number = findChainNumber(firstId, chainId);
    if (number === null || number > count || number <= deleted) throw new ChainNotFoundError(chainId);
    return { chainId } as ReachedChain;
  };
  const workflowService = { listWorkflowExecutions: async () => ({ executions: [] }) };
  const longhand = {
    client: { connection: { workflowService }, options: { namespace: 'default' } },
    archive: { list: async () => ({ chains: listed.map((chainId) => ({ chainId })), cursor: null }) },
  } as unknown as ChatSource['longhand'];
  return { reach, longhand, getAsked: () => asked };
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

  it('finds it where the first chains are gone, by the lists, also where they lag or name chains that are gone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 60 }), fc.nat(), fc.nat(), async (count, some, lag) => {
        const deleted = 1 + (some % (count - 1));
        const newestListed = Math.max(deleted + 1, count - (lag % 5));
        const numbers = Array.from({ length: newestListed }, (_, at) => at + 1);
        const listed = [...numbers.map((number) => toChainId(firstId, number)), `${firstId}/1.1`, `${firstId}9`];
        for (const known of [0, 1, deleted]) {
          const newest = await findNewestChain(createServer(count, { deleted, listed }), firstId, known);
          expect(newest?.number).toBe(count);
        }
      }),
    );
  });

  it('returns no chain of the lists that is out of reach', async () => {
    const server = createServer(3, { deleted: 3, listed: [2, 3].map((number) => toChainId(firstId, number)) });
    expect(await findNewestChain(server, firstId)).toBeNull();
  });
});

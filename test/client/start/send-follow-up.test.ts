/** A message is sent once: also when it arrives twice, or at the same time as another one. */

import { describe, expect, it } from 'vitest';
import { ChainExistsError } from '../../../src/client/errors/errors.js';
import type { RecordedHistory } from '../../../src/client/read/recorded-chain.js';
import type { FollowUpStart } from '../../../src/client/start/follow-up.js';
import { sendFollowUp } from '../../../src/client/start/send-follow-up.js';
import type { FollowUpOptions } from '../../../src/entries/client.js';
import { matchError } from '../../support/match-error.js';
import { chainAt, placeIn, sourceOf } from '../../support/thread-chains.js';

const first = chainAt('chat', 100);
const running = chainAt('message-9', 200, placeIn('chat', 2, 'chat'), { closed: null });

interface Sending {
  readonly chains?: readonly RecordedHistory[];
  readonly options?: FollowUpOptions;
  readonly fails?: boolean;
}

/** Sends a message; with `fails`, the server has a chain with this id. */
async function send({ chains = [first], options = {}, fails = false }: Sending) {
  const started: (readonly [FollowUpStart, string | null])[] = [];
  const chainId = await sendFollowUp(
    sourceOf(chains),
    async (start, taskQueue) => {
      if (fails) throw new ChainExistsError(start.chainId);
      started.push([start, taskQueue]);
    },
    'chat',
    'And now?',
    options,
  );
  return { chainId, started };
}

describe('a message', () => {
  it('with an id of its own that arrives twice has one chain, also while that chain runs', async () => {
    const options = { chainId: 'message-9' };
    expect(await send({ options })).toMatchObject({ chainId: 'message-9', started: [{}] });
    expect(await send({ chains: [first, running], options })).toEqual({ chainId: 'message-9', started: [] });
    await expect(send({ chains: [first, running], options: { chainId: 'message-10' } })).rejects.toThrow(
      matchError('chain_running', 'Chain message-9 still runs.'),
    );
  });

  it('with an id of its own is rejected where its caller compares it with the one that came first', async () => {
    const options = { chainId: 'message-9', ifExists: 'error' } as const;
    expect(await send({ options })).toMatchObject({ chainId: 'message-9', started: [{}] });
    for (const fails of [false, true])
      await expect(send({ chains: [first, running], options, fails })).rejects.toThrow(matchError('chain_exists'));
  });

  it('whose id belongs to a chain outside the thread is rejected', async () => {
    const other = chainAt('message-9', 200);
    for (const chains of [[first], [first, other]])
      await expect(send({ chains, options: { chainId: 'message-9' }, fails: true })).rejects.toThrow(
        matchError('chain_exists', 'Chain message-9 exists and is no follow-up of this thread. Choose another id.'),
      );
    await expect(send({ options: { chainId: 'chat' }, fails: true })).rejects.toThrow(matchError('chain_exists'));
  });

  it('that another one preceded is rejected with the fix, and never joins its chain or follows itself', async () => {
    const sent = () => send({ fails: true });
    await expect(sent()).rejects.toThrow(
      matchError('chain_exists', /^Another message was sent first\. Wait for its end, then send again\.$/),
    );
    await expect(sent()).rejects.toThrow(ChainExistsError);
  });

  it('for another tenant is rejected before the state of the chain is', async () => {
    const owned = chainAt('chat', 100, { tenant: 'acme' }, { closed: null });
    const sent = send({ chains: [owned], options: { tenant: 'globex' } });
    await expect(sent).rejects.toThrow(matchError('invalid_options', 'is no chain of tenant globex'));
    await expect(send({ chains: [owned], options: { tenant: 'acme' } })).rejects.toThrow(matchError('chain_running'));
  });
});

it('a follow-up runs on the task queue of the chain that it follows', async () => {
  const event = { workflowExecutionStartedEventAttributes: { taskQueue: { name: 'museum' } } };
  const [[, taskQueue] = []] = (await send({ chains: [{ ...first, events: [event] }] })).started;
  expect(taskQueue).toBe('museum');
  expect((await send({})).started[0]?.[1]).toBeNull();
});

/** L1: followers receive the events of the history live, each with a position to continue from. */

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type ChainHandle, connect, type FollowEvent } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { createCountedChannel } from '../../support/counted-channel.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { echo, replyWithEcho } from '../../support/tools.js';

const agent = defineAgent({ name: 'echoer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [echo] });
const script: readonly ScriptedReply[] = [
  replyWithEcho('one'),
  replyWithEcho('two', 'three'),
  replyWithEcho('four'),
  { text: 'All done.' },
];

async function readAll(chain: ChainHandle, options: Parameters<ChainHandle['follow']>[0] = {}): Promise<FollowEvent[]> {
  const events: FollowEvent[] = [];
  for await (const event of chain.follow(options)) events.push(event);
  return events;
}

describe('follow', () => {
  it('emits the same live events to many followers and ends with the chain', async () => {
    await withWorker({ agents: [agent], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'play');
      const live = await Promise.all(Array.from({ length: 5 }, () => readAll(chain)));
      const afterwards = await readAll(chain);
      for (const each of live) expect(each).toEqual(afterwards);
      expect(afterwards.at(-1)).toMatchObject({
        type: 'chain-ended',
        provisional: false,
        result: { outcome: 'success' },
      });
      expect(afterwards.filter(({ type }) => type === 'call-completed')).toHaveLength(4);
    });
  });

  it('continues from any position without gaps or repeats', async () => {
    await withWorker({ agents: [agent], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'play');
      await chain.result();
      const all = await readAll(chain);
      for (const [at, { runId, eventId, item }] of all.entries()) {
        expect(await readAll(chain, { from: { runId, eventId, item } })).toEqual(all.slice(at + 1));
      }
      const [, second] = all;
      const from = { runId: second?.runId ?? '', eventId: second?.eventId ?? 0 };
      expect(await readAll(chain, { from })).toEqual(all.filter(({ eventId }) => eventId > from.eventId));
    });
  });

  it('rejects a position whose run is not of the chain', async () => {
    await withWorker({ agents: [agent], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Echo');
      await chain.result();
      const from = { runId: '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', eventId: 5 };
      const rejected = { code: 'invalid_cursor' };
      await expect(readAll(chain, { from })).rejects.toMatchObject(rejected);
      await expect(chain.watch(createViewer('developer'), { from }).next()).rejects.toMatchObject(rejected);
    });
  });

  it('marks provisional events and emits them again when they are final', async () => {
    // The history has an observation some moments before a workflow task takes it.
    await withWorker({ agents: [agent], replies: script }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'play');
      const all = await readAll(chain, { provisional: true });
      const final = all.filter(({ provisional }) => !provisional);
      expect(final).toEqual(await readAll(chain));
      const strip = ({ runId: _r, eventId: _e, item: _i, provisional: _p, ...rest }: FollowEvent) => rest;
      for (const [at, event] of all.entries()) {
        if (!event.provisional || event.type !== 'call-completed') continue;
        const later = all
          .slice(at)
          .filter(({ provisional }) => !provisional)
          .map(strip);
        expect(later).toContainEqual({ ...strip(event), at: expect.any(Number) });
      }
      expect(all.some(({ provisional }) => provisional)).toBe(true);
    });
  });

  it('merges tokens of the model into the events until the step is emitted', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const [first, ...rest] = script;
    const replies = [{ ...first, waitsFor: whenSubscribed(1) } as ScriptedReply, ...rest];
    await withWorker({ agents: [agent], replies, worker: { tokens } }, async ({ longhand, taskQueue }) => {
      const listening = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      const chain = await longhand.start(agent, 'play');
      const all = await readAll(listening.getHandle(chain.chainId), { tokens: true });
      const texts = all.flatMap((event) => (event.type === 'token' && event.step === 1 ? [event.text] : []));
      expect(texts.join('')).toBe('I call one.');
      expect(all.filter(({ type }) => type !== 'token')).toEqual(await readAll(chain));
      for (const [at, event] of all.entries()) {
        if (event.type !== 'token') continue;
        const before = all.slice(0, at).flatMap((each) => (each.type === 'step-added' ? [each.step.number] : []));
        expect(before).not.toContain(event.step);
      }
      await listening.close();
    });
  });

  it('emits the tokens of each attempt separately', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const replies: readonly ScriptedReply[] = [
      { errorAfter: 6, text: 'I begin and never reach the end of it.', error, waitsFor: whenSubscribed(1) },
      { text: 'All done.' },
    ];
    await withWorker({ agents: [agent], replies, worker: { tokens } }, async ({ longhand, taskQueue }) => {
      const listening = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      const chain = await longhand.start(agent, 'play');
      const all = await readAll(listening.getHandle(chain.chainId), { tokens: true });
      const received = all.flatMap((event) => (event.type === 'token' ? [event] : []));
      const joinTokens = (call: string) =>
        received.flatMap((event) => (event.call === call ? [event.text] : [])).join('');
      expect(joinTokens('model-1')).toMatch(/^I be/);
      expect(joinTokens('model-2')).toBe('All done.');
      expect(received.every(({ step }) => step === 1)).toBe(true);
      await listening.close();
    });
  });

  it('ends when its caller stops reading while the chain runs', async () => {
    const { channel: tokens, whenSubscribed } = createCountedChannel();
    const text = 'I begin and never end.';
    const replies: readonly ScriptedReply[] = [{ hang: true, afterEvents: 6, text, waitsFor: whenSubscribed(1) }];
    await withWorker({ agents: [agent], replies, worker: { tokens } }, async ({ longhand, taskQueue }) => {
      const listening = await connect({ address: getTemporalAddress(), taskQueue, tokens });
      const chain = await longhand.start(agent, 'play');
      const control = new AbortController();
      for await (const event of listening.getHandle(chain.chainId).follow({ tokens: true, signal: control.signal })) {
        if (event.type === 'token') break;
      }
      expect(getEventListeners(control.signal, 'abort')).toHaveLength(0);
      await listening.close();
      await chain.cancel();
    });
  });

  it('throws when its connection is closed', async () => {
    await withWorker({ agents: [agent], replies: [{ hang: true }] }, async ({ longhand, taskQueue }) => {
      const listening = await connect({ address: getTemporalAddress(), taskQueue });
      const chain = await longhand.start(agent, 'play');
      const following = listening.getHandle(chain.chainId).follow();
      await following.next();
      await listening.close();
      const rest = async () => {
        for await (const _ of following);
      };
      await expect(rest()).rejects.toThrow();
      await chain.cancel();
    });
  });

  it('ends when its signal is aborted while it waits', async () => {
    await withWorker({ agents: [agent], replies: [{ hang: true, afterEvents: 2 }] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'play');
      const control = new AbortController();
      const following = readAll(chain, { signal: control.signal });
      setTimeout(() => control.abort(new Error('enough')), 300);
      await expect(following).rejects.toThrow('enough');
      await chain.cancel();
    });
  });
});

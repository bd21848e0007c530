/** Interim results on a reader's side: the newest counts, repeats are removed, and a viewer gets the visible ones. */

import { describe, expect, it } from 'vitest';
import { createInterimFilter } from '../../../src/client/follow/interim-filter.js';
import { mergeTokens } from '../../../src/client/follow/merge-token-stream.js';
import { createInterimQueue } from '../../../src/client/follow/newest-interim.js';
import { createTokenChannel, type InterimPiece } from '../../../src/contract/tokens.js';
import type { LiveInterim } from '../../../src/core/view/live-view.js';

const piece = (sequence: number, more: Partial<InterimPiece> = {}): InterimPiece => ({
  ...{ chainId: 'c', runId: 'r', step: 1, call: '1.1', tool: 'count', attempt: 1, sequence },
  interim: { value: sequence },
  ...more,
});

describe('the interim results of a reader', () => {
  it('are those that no newer one has overtaken, each once, also of another attempt or run', () => {
    const { add, take, isEmpty } = createInterimQueue();
    expect([piece(1), piece(3), piece(3), piece(2)].map(add)).toEqual([true, true, false, false]);
    expect(take()).toEqual([piece(3)]);
    expect(isEmpty()).toBe(true);
    const next = [piece(1, { attempt: 2 }), piece(4), piece(1, { call: '1.2' }), piece(1, { runId: 'reset' })];
    expect(next.map(add)).toEqual([true, false, true, true]);
    expect(take()).toEqual([next[0], next[2], next[3]]);
  });

  it('take bounded memory, however many calls and interim results there are', () => {
    const { add, take } = createInterimQueue();
    for (let call = 0; call < 10_000; call += 1) add(piece(1, { call: `1.${call}` }));
    expect(take()).toHaveLength(256);
    for (let sequence = 1; sequence < 10_000; sequence += 1) add(piece(sequence));
    expect(take()).toEqual([piece(9_999)]);
  });

  it('are merged with the events, the newest for a slow reader, and only on request', async () => {
    const read = async (interim: boolean) => {
      const channel = createTokenChannel();
      const openEvents = async function* () {
        yield 'first';
        for (let sequence = 1; sequence <= 1_000; sequence += 1) channel.publish(piece(sequence));
        await new Promise((resolve) => setImmediate(resolve));
        yield 'last';
      };
      const seen: unknown[] = [];
      const live = { tokens: false, interim };
      for await (const next of mergeTokens(openEvents, { channel, chainId: 'c', signal: undefined, live })) {
        seen.push(next.kind === 'interim' ? next.piece.sequence : next.kind === 'event' && next.event);
      }
      return seen;
    };
    expect(await read(true)).toEqual(['first', 1_000, 'last']);
    expect(await read(false)).toEqual(['first', 'last']);
  });
});

describe('the events of a viewer', () => {
  const shown = (value: string): LiveInterim => ({ kind: 'visible', interim: { value } });

  it('wait until the history has the call, and are the newest then', () => {
    const { add, look } = createInterimFilter();
    expect(add(piece(1))).toEqual([]);
    expect(look(() => ({ kind: 'unknown' }))).toEqual([]);
    expect(add(piece(2))).toEqual([]);
    const view = (_: string, interim: InterimPiece['interim']): LiveInterim => ({ kind: 'visible', interim });
    expect(look(view)).toMatchObject([{ type: 'interim-result', call: '1.1', attempt: 1, interim: { value: 2 } }]);
    expect(look(view)).toEqual([]);
  });

  it('are what the view shows, and the end of an attempt only after a visible interim result', () => {
    const { add, look } = createInterimFilter();
    look(() => ({ kind: 'hidden' }));
    expect(add(piece(1))).toEqual([]);
    look((_, interim) => (interim === null ? { kind: 'visible', interim } : shown('[masked]')));
    expect(add(piece(2, { interim: null }))).toEqual([]);
    expect(add(piece(3))).toMatchObject([{ interim: { value: '[masked]' } }]);
    expect(add(piece(4, { interim: null }))).toMatchObject([{ interim: null }]);
    expect(add(piece(5, { interim: null }))).toEqual([]);
  });
});

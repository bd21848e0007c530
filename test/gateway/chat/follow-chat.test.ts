/** A chat that is followed: it ends where its caller may decide, and reads few times which requests are open. */

import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../../src/client/follow/event.js';
import type { OpenRequest } from '../../../src/core/engine/state/open-requests.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { followChat, type OpenRequests } from '../../../src/gateway/chat/follow-chat.js';

const digest = 'abcdef12';

/** The turn in which a call begins to wait, or in which it is approved. */
function toTurn(step: number, status: 'waiting' | 'approved', runId = 'run-1'): readonly WatchEvent[] {
  const call = `${step}.1`;
  const approval = {
    level: 'full',
    kind: 'approval',
    id: `${call}p1`,
    number: step,
    at: 0,
    correlationId: call,
    tool: 'book',
    request: 'approval',
    reason: 'Why',
    status,
    digest,
    input: {},
    onExpiry: 'deny',
    decisions: [],
  };
  const position = { chainId: 'chain', runId, eventId: toEventId(step, status), item: 0 };
  const state = 'thinking';
  return [
    { ...position, type: 'step-changed', step: approval, state, progress: [] } as unknown as WatchEvent,
    {
      ...position,
      type: 'turn-completed',
      state,
      awaitsPeople: status === 'waiting',
      tokens: 0,
      costUsd: null,
    },
  ];
}

const toEventId = (step: number, status: 'waiting' | 'approved') => step * 10 + (status === 'waiting' ? 0 : 5);

function toOpen(call: string, roles: readonly string[] = []): OpenRequest {
  return {
    call,
    kind: 'approval',
    tool: 'book',
    input: {},
    digest,
    risk: 'high',
    reason: 'Why',
    roles,
    byRequester: true,
    approvers: 1,
    votes: [],
    askedAt: 0,
    expiresAt: null,
    onExpiry: 'deny',
    escalates: null,
  };
}

/** Follows these events, and returns the calls of the requests at the end, and how often the open ones were read. */
async function follow(events: readonly WatchEvent[], read: (reads: number) => OpenRequests) {
  let reads = 0;
  const calls: string[] = [];
  const parts = followChat({
    chain: {
      watch: async function* () {
        yield* events;
      },
    },
    readRequests: async () => read(++reads),
    user: 'ana',
    viewer: createViewer('developer'),
    visibility: {},
    decidedKeys: new Set(),
    decider: { by: 'ana', roles: [], canDecide: true },
    signal: new AbortController().signal,
  });
  for await (const batch of parts)
    for (const part of batch) if (part.type === 'suspended') calls.push(...part.requests.map(({ call }) => call));
  return { calls, reads };
}

describe('followChat', () => {
  it('reads the open requests once for all past turns, however many of them waited', async () => {
    const past = Array.from({ length: 50 }, (_, at) => [...toTurn(at + 1, 'waiting'), ...toTurn(at + 1, 'approved')]);
    const events = [...past.flat(), ...toTurn(51, 'waiting')];
    const eventId = toEventId(51, 'waiting') + 2;
    const followed = await follow(events, () => ({ requests: [toOpen('51.1')], runId: 'run-1', eventId }));
    expect(followed).toEqual({ calls: ['51.1'], reads: 1 });
  });

  it('reads them again for a turn after the last read: it may be the caller who decides now', async () => {
    const events = [...toTurn(1, 'waiting'), ...toTurn(1, 'waiting').map((event) => ({ ...event, eventId: 14 }))];
    const followed = await follow(events, (reads) => ({
      requests: [toOpen('1.1', reads === 1 ? ['ops'] : [])],
      runId: 'run-1',
      eventId: reads === 1 ? 12 : 16,
    }));
    expect(followed).toEqual({ calls: ['1.1'], reads: 2 });
  });

  it('reads them at most once for each past run of a chain that continued as new', async () => {
    const runs = ['run-1', 'run-2', 'run-3'];
    const past = runs.flatMap((runId) => [1, 2, 3].flatMap((step) => toTurn(step, 'waiting', runId)));
    const last = { requests: [], runId: 'run-3', eventId: toEventId(3, 'waiting') };
    expect(await follow(past, () => last)).toEqual({ calls: [], reads: 2 });
    const next = [...past, ...toTurn(4, 'waiting', 'run-4')];
    const open = { requests: [toOpen('4.1')], runId: 'run-4', eventId: 50 };
    expect(await follow(next, (reads) => (reads < 3 ? last : open))).toEqual({ calls: ['4.1'], reads: 3 });
  });
});

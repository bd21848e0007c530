/** A hub: its followers get the events of a watch of their own, at any pace, from any place, and nothing stays behind. */

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { WatchEvent } from '../../../src/client/follow/event.js';
import type { ChainSource } from '../../../src/client/read/chain-source.js';
import { eventFormat } from '../../../src/gateway/streams/event-frames.js';
import { Follower } from '../../../src/gateway/streams/follower.js';
import { isRecorded } from '../../../src/gateway/streams/frame.js';
import { Hub } from '../../../src/gateway/streams/hub.js';
import { Hubs } from '../../../src/gateway/streams/hubs.js';
import { formatPositionId, parsePositionId, type RunPosition } from '../../../src/gateway/streams/position-id.js';
import { budget } from '../../support/budget.js';

const runs = ['0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c'] as const;

/** A chain whose events are emitted one by one. */
function createChain(events: readonly WatchEvent[]) {
  let emitted = 0;
  const wakes: (() => void)[] = [];
  const watches = { open: 0, replays: 0 };
  const wake = () => {
    for (const each of wakes.splice(0)) each();
  };
  async function* read(signal: AbortSignal, includes: (event: WatchEvent) => boolean) {
    watches.open += 1;
    signal.addEventListener('abort', wake);
    try {
      for (let at = 0; at < events.length; at += 1) {
        while (at >= emitted) {
          signal.throwIfAborted();
          await new Promise<void>((resolve) => wakes.push(resolve));
        }
        signal.throwIfAborted();
        const event = events[at];
        if (event !== undefined && includes(event)) yield event;
      }
    } finally {
      watches.open -= 1;
    }
  }
  return {
    watches,
    emit: (count = 1) => {
      emitted = Math.min(events.length, emitted + count);
      wake();
    },
    chain: {
      runId: runs[0],
      watch: (signal: AbortSignal) => read(signal, () => true),
      replay: (from: RunPosition | null, signal: AbortSignal) => {
        watches.replays += 1;
        const recorded = events.filter(isRecorded);
        const at = from === null ? -1 : recorded.findIndex((event) => isAt(event, from));
        const later = new Set(recorded.slice(at + 1));
        return read(signal, (event) => later.has(event));
      },
    },
  };
}

function isAt(event: WatchEvent, { runId, eventId, item }: RunPosition): boolean {
  return event.runId === runId && event.eventId === eventId && event.item === item;
}

function openHub(chain: ReturnType<typeof createChain>['chain'], options: { limit?: number; lingerMs?: number } = {}) {
  const onStopped = vi.fn();
  const { limit = 1_000_000, lingerMs = 10_000 } = options;
  const hub = new Hub(chain, { format: eventFormat, getLogLimit: () => limit, lingerMs, onStopped });
  const follow = (from: RunPosition | null = null) => {
    hub.enter();
    return new Follower(hub, { from, opening: encode('retry: 7\n\n'), closing: encode('event: closing\ndata: 1\n\n') });
  };
  return { hub, follow, onStopped };
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** @param pace turns of the event loop between two reads */
async function readAll(follower: Follower, pace = 0): Promise<readonly EventSourceMessage[]> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for await (const bytes of follower) {
    parser.feed(decode(bytes));
    for (let turn = 0; turn < pace; turn += 1) await new Promise(setImmediate);
  }
  return events;
}

async function readBytes(follower: Follower): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const bytes of follower) chunks.push(bytes);
  return chunks;
}

const place = { chainId: 'c' };

function step(position: RunPosition, number: number): WatchEvent {
  const view = { level: 'hidden', id: `${number}`, number, kind: 'thinking' } as const;
  return { ...place, ...position, type: 'step-changed', step: view, state: 'thinking', progress: [] };
}

function token(position: RunPosition, at: number, text: string): WatchEvent {
  return { ...place, ...position, type: 'token', step: at, call: `model-${at}`, text, missing: 0 };
}

/** Steps with tokens before them, over two runs. */
function listEvents(steps: readonly { readonly tokens: number; readonly items: number }[]): readonly WatchEvent[] {
  const second = Math.floor(steps.length / 2);
  let before: RunPosition = { runId: runs[0], eventId: 0, item: 0 };
  return steps.flatMap(({ tokens, items }, at) => {
    const runId = at < second ? runs[0] : runs[1];
    const spoken = Array.from({ length: tokens }, (_, nth) => token(before, at + 1, `${nth},`));
    const changed = Array.from({ length: items }, (_, item) => {
      before = { runId, eventId: (at < second ? at : at - second) * 4 + 4, item };
      return step(before, at + 1);
    });
    return [...spoken, ...changed];
  });
}

const idsOf = (events: readonly WatchEvent[]) => events.filter(isRecorded).map(formatPositionId);
const idsIn = (events: readonly EventSourceMessage[]) => events.flatMap(({ id }) => id ?? []);

describe('a hub', () => {
  it('gives each follower exactly the recorded events after its place, in their order, also where its log has dropped them', async () => {
    const steps = fc.array(fc.record({ tokens: fc.nat({ max: 3 }), items: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    const joins = fc.array(fc.record({ from: fc.option(fc.nat()), at: fc.nat(), pace: fc.nat({ max: 4 }) }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(steps, joins, fc.constantFrom(1, 600, 2_000, 1_000_000), async (listed, joined, limit) => {
        const events = listEvents(listed);
        const recorded = events.filter(isRecorded);
        const { chain, emit, watches } = createChain(events);
        const { hub, follow } = openHub(chain, { limit });
        const reading: Promise<void>[] = [];
        for (let emitted = 0; emitted <= events.length; emitted += 1) {
          const known = events.slice(0, emitted).filter(isRecorded).length;
          for (const { from, at, pace } of joined) {
            if (at % (events.length + 1) !== emitted) continue;
            const start = from === null || known === 0 ? -1 : from % known;
            const position = recorded[start];
            const follower = follow(position === undefined ? null : parsePositionId(formatPositionId(position)));
            reading.push(
              readAll(follower, pace).then((got) => {
                expect(idsIn(got)).toEqual(idsOf(recorded.slice(start + 1)));
                expectWholeTokens(got);
              }),
            );
          }
          emit();
          await new Promise(setImmediate);
        }
        await Promise.all(reading);
        hub.stop();
        expect(watches.open).toBe(0);
      }),
      { numRuns: budget(30, 600) },
    );
  });

  it('has one watch for a thousand followers, and encodes each event once', async () => {
    const events = listEvents(Array.from({ length: 20 }, () => ({ tokens: 0, items: 1 })));
    const { chain, emit, watches } = createChain(events);
    const { follow } = openHub(chain);
    const followers = Array.from({ length: 1_000 }, () => follow());
    const chunks = Promise.all(followers.map(readBytes));
    expect(watches).toEqual({ open: 1, replays: 0 });
    for (let nth = 0; nth < events.length; nth += 1) {
      emit();
      await new Promise(setImmediate);
    }
    const [first, ...others] = await chunks;
    expect(first).toHaveLength(21);
    for (const other of others) expect(other.slice(1).every((bytes, at) => bytes === first?.[at + 1])).toBe(true);
    expect(watches).toEqual({ open: 0, replays: 0 });
  });

  it('ends its watch after its last follower has gone, also one that waits, and not before', async () => {
    const { chain, watches } = createChain(listEvents([{ tokens: 0, items: 1 }]));
    const { follow, onStopped } = openHub(chain, { lingerMs: 1 });
    const [one, other] = [follow(), follow()];
    for (const follower of [one, other]) await follower.next();
    const waiting = one.next();
    await one.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect([watches.open, onStopped.mock.calls.length]).toEqual([1, 0]);
    await other.return();
    await vi.waitFor(() => expect(watches.open).toBe(0));
    expect(onStopped).toHaveBeenCalled();
  });

  it('hands a follower over with its last bytes, also one that waits and one that replays', async () => {
    const events = listEvents(Array.from({ length: 8 }, () => ({ tokens: 0, items: 1 })));
    const { chain, emit, watches } = createChain(events);
    const { hub, follow } = openHub(chain, { limit: 1 });
    emit(4);
    await vi.waitFor(() => expect(hub.log.locate(null).kind).toBe('evicted'));
    const waits = follow();
    const all = readAll(waits);
    await vi.waitFor(() => expect(watches.replays).toBe(1));
    waits.handOver();
    expect((await all).at(-1)).toMatchObject({ event: 'closing' });
    const late = follow();
    await late.next();
    late.handOver();
    expect((await readAll(late)).map(({ event }) => event)).toEqual(['closing']);
    hub.stop();
  });

  it('fails its followers when its watch fails', async () => {
    const failing = {
      runId: runs[0],
      // biome-ignore lint/correctness/useYield: it fails before its first event.
      watch: async function* (): AsyncGenerator<WatchEvent> {
        throw new Error('gone');
      },
      replay: () => {
        throw new Error('unused');
      },
    };
    const { follow, onStopped } = openHub(failing);
    await expect(readAll(follow())).rejects.toThrow('gone');
    expect(onStopped).toHaveBeenCalled();
  });
});

describe('the hubs of a gateway', () => {
  it('share the bytes of all logs, also when the chains of the other hubs wait', async () => {
    const text = 'x'.repeat(50_000);
    const position = (eventId: number) => ({ runId: runs[0], eventId, item: 0 });
    const events = [1, 2, 3].map(
      (eventId) => ({ ...step(position(eventId), eventId), progress: [text] }) as WatchEvent,
    );
    const hubs = new Hubs({ maxBytes: 200_000, maxLogBytes: 200_000, lingerMs: 1 });
    const source = { runId: runs[0] } as ChainSource;
    const open = (key: string) => {
      const { chain, emit } = createChain(events);
      emit(3);
      return hubs.enter({ key, source, chain, format: eventFormat });
    };
    const first = await open('a');
    await vi.waitFor(() => expect(first.log.locate(position(3)).kind).toBe('kept'));
    expect(first.log.locate(null).kind).toBe('kept');
    const second = await open('b');
    expect(first.log.locate(null).kind).toBe('evicted');
    for (const hub of [first, second]) hub.leave();
    hubs.stop();
  });

  it('keep no hub for a follower whose chain could not be compared', async () => {
    const { chain, watches } = createChain(listEvents([{ tokens: 0, items: 1 }]));
    const hubs = new Hubs({ maxBytes: 1_000_000, maxLogBytes: 1_000_000, lingerMs: 1 });
    const enter = (source: Partial<ChainSource>) =>
      hubs.enter({ key: 'a', source: source as ChainSource, chain, format: eventFormat });
    const hub = await enter({ runId: runs[0] });
    const unreadable = {
      runId: runs[1],
      get archivedChain(): never {
        throw new Error('no archive');
      },
    };
    for (let n = 0; n < 3; n += 1) await expect(enter(unreadable)).rejects.toThrow('no archive');
    expect(await enter({ runId: runs[0] })).toBe(hub);
    hub.leave();
    expect(watches.open).toBe(1);
    hub.leave();
    await vi.waitFor(() => expect(watches.open).toBe(0));
  });
});

/** Each text is at its offset in the reply, and none is repeated. */
function expectWholeTokens(events: readonly EventSourceMessage[]): void {
  const ends = new Map<string, number>();
  for (const { event, data } of events) {
    if (event !== 'token') continue;
    const { call, text, offset } = JSON.parse(data);
    expect(offset).toBeGreaterThanOrEqual(ends.get(call) ?? 0);
    expect('0,1,2,3,'.slice(offset)).toSatisfy((rest: string) => rest.startsWith(text));
    ends.set(call, offset + text.length);
  }
}

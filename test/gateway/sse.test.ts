/** Server-sent events: hostile text stays data, and a client that does not read costs bounded memory. */

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createReconnectResponse } from '../../src/gateway/streams/reconnect-response.js';
import { formatJsonFrame, formatTextFrame } from '../../src/gateway/streams/sse.js';
import { createSseResponse } from '../../src/gateway/streams/sse-response.js';

function parse(text: string): readonly EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feed(text);
  return events;
}

const hostileText = fc
  .array(
    fc.oneof(fc.constantFrom('\n', '\r', '\r\n', '\u2028', '\u0085', '\0', 'id: 9', 'event: x', ':', ' '), fc.string()),
  )
  .map((parts) => parts.join(''));

describe('frames', () => {
  it('carry any JSON in one line, unchanged', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const frame = formatJsonFrame({ text }, { event: 'token', id: 'a.1.0' });
        expect(frame.split(/\r\n|[\r\n\u0085\u2028\u2029]/)).toHaveLength(5);
        const events = parse(frame);
        expect(events).toHaveLength(1);
        expect(events[0]).toMatchObject({ event: 'token', id: 'a.1.0' });
        expect(JSON.parse(events[0]?.data ?? '')).toEqual({ text });
      }),
    );
  });

  it('carry any text, whose lines end with \\n then', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const events = parse(formatTextFrame(text, { event: 'text' }));
        expect(events).toEqual([{ event: 'text', id: undefined, data: text.replace(/\r\n|\r/g, '\n') }]);
      }),
    );
  });

  it.each([
    { event: 'a\ndata: x' },
    { event: '' },
    { id: '1\r2' },
    { id: 'a\0' },
    { id: '' },
    { id: '1\n' },
    { event: 'a\n' },
    { retry: -1 },
    { retry: 0.5 },
  ])('reject malformed fields: %j', (fields) => {
    expect(() => formatJsonFrame({}, fields)).toThrow(expect.objectContaining({ code: 'invalid_options' }));
  });

  it('reject data without a JSON form', () => {
    expect(() => formatJsonFrame(undefined)).toThrow(expect.objectContaining({ code: 'invalid_options' }));
  });
});

describe('a response', () => {
  const { signal } = new AbortController();

  it('has the frames as body, and headers that no caller replaces', async () => {
    const frames = (async function* () {
      yield formatJsonFrame(1);
      yield new TextEncoder().encode(formatJsonFrame(2));
    })();
    const response = createSseResponse(frames, { signal, headers: { 'content-type': 'text/html', 'x-a': 'b' } });
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-a': 'b',
    });
    expect(parse(await response.text()).map(({ data }) => data)).toEqual(['1', '2']);
  });

  it('drops a client that does not read, after bounded frames, and ends its source', async () => {
    let made = 0;
    const ended = vi.fn();
    const onDropped = vi.fn();
    const frames = (async function* () {
      try {
        for (;;) {
          made += 1;
          yield formatTextFrame('x'.repeat(1_000));
        }
      } finally {
        ended();
      }
    })();
    // The client reads on as soon as it is dropped: it would be broken off after as long again.
    const read = new Promise<string>((resolve) => {
      onDropped.mockImplementation(() => void setImmediate(() => resolve(response.text())));
    });
    const response = createSseResponse(frames, { signal, stalledMs: 300, maxBufferedBytes: 10_000, onDropped });
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    expect(made).toBe(10);
    expect(onDropped.mock.calls).toEqual([['stalled', undefined]]);
    expect(parse(await read)).toEqual([{ event: 'dropped', id: undefined, data: '{"code":"stalled"}' }]);
  });

  it('ends without a reason where the protocol of its client has no event for it', async () => {
    const frames = (async function* () {
      for (;;) yield formatTextFrame('x'.repeat(1_000));
    })();
    const onDropped = vi.fn();
    const options = { stalledMs: 30, maxBufferedBytes: 10_000, dropFrame: 'none', onDropped } as const;
    const response = createSseResponse(frames, { signal, ...options });
    await vi.waitFor(() => expect(onDropped).toHaveBeenCalledWith('stalled', undefined));
    expect(await response.text()).toBe('');
  });

  it('breaks off the connection of a client that does not even read why it was dropped', async () => {
    const frames = (async function* () {
      for (;;) yield formatTextFrame('x'.repeat(1_000));
    })();
    const onClosed = vi.fn();
    const response = createSseResponse(frames, { signal, stalledMs: 5, maxBufferedBytes: 10_000, onClosed });
    await vi.waitFor(() => expect(onClosed).toHaveBeenCalledOnce());
    await expect(response.text()).rejects.toThrow('did not read');
  });

  it('breaks off a client whose credential was revoked and that does not read, and frees its place at once', async () => {
    const revoked = new AbortController();
    const frames = (async function* () {
      for (;;) yield formatTextFrame('x'.repeat(1_000));
    })();
    const onClosed = vi.fn();
    const options = { signal: revoked.signal, stalledMs: 100, maxBufferedBytes: 10_000, onClosed };
    const reader = createSseResponse(frames, options).body?.getReader();
    revoked.abort();
    expect(onClosed).toHaveBeenCalledOnce();
    await expect(reader?.closed).rejects.toThrow('did not read');
    expect(onClosed).toHaveBeenCalledOnce();
  });

  it('breaks off no client that has read the end, or has gone', async () => {
    vi.useFakeTimers();
    try {
      const end = async (how: (reader: ReadableStreamDefaultReader, leave: () => void) => Promise<unknown>) => {
        const client = new AbortController();
        const frames = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
        const onClosed = vi.fn();
        const reader = createSseResponse(frames, { signal: client.signal, onClosed }).body?.getReader();
        if (reader === undefined) throw new Error('no body');
        await how(reader, () => client.abort());
        expect([onClosed.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
        await reader.closed;
      };
      await end(async (reader, leave) => {
        leave();
        return reader.read();
      });
      await end((reader) => reader.cancel());
      await end((reader, leave) => {
        leave();
        return reader.cancel();
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('never drops a client that reads, and loses no frame', async () => {
    const frames = (async function* () {
      for (let n = 0; n < 500; n += 1) yield formatJsonFrame(n);
    })();
    const onDropped = vi.fn();
    const response = createSseResponse(frames, { signal, maxBufferedBytes: 1, onDropped });
    expect(parse(await response.text()).map(({ data }) => Number(data))).toEqual([...Array(500).keys()]);
    expect(onDropped).not.toHaveBeenCalled();
  });

  it('delivers what a failed source made, without the text of the error', async () => {
    const failure = new Error('secret');
    const frames = (async function* () {
      yield formatJsonFrame(1);
      throw failure;
    })();
    const onDropped = vi.fn();
    const text = await createSseResponse(frames, { signal, onDropped }).text();
    expect(parse(text).map(({ event, data }) => [event, data])).toEqual([
      [undefined, '1'],
      ['dropped', '{"code":"failed"}'],
    ]);
    expect(onDropped).toHaveBeenCalledWith('failed', failure);
  });

  it('emits heartbeats while nothing happens, and ends when the client has gone', async () => {
    const client = new AbortController();
    const frames = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const reader = createSseResponse(frames, { signal: client.signal, heartbeatMs: 5 }).body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe(': \n\n');
    client.abort();
    expect((await reader?.read())?.done).toBe(true);
  });
});

describe('a response that makes the client reconnect', () => {
  it.each([
    ['closing', 'closing', 1_000],
    ['failed', 'dropped', 2_000],
  ] as const)(
    'for %s has one event without an id, a time to connect again, and the status of a stream',
    async (reason, event, mostMs) => {
      const onClosed = vi.fn();
      const response = createReconnectResponse(reason, { signal: new AbortController().signal, onClosed });
      const retries: number[] = [];
      const events: EventSourceMessage[] = [];
      createParser({ onEvent: (each) => events.push(each), onRetry: (ms) => retries.push(ms) }).feed(
        await response.text(),
      );
      expect([response.status, events]).toEqual([
        200,
        [{ event, id: undefined, data: JSON.stringify({ code: reason }) }],
      ]);
      expect(retries).toHaveLength(1);
      expect(retries[0]).toBeLessThanOrEqual(mostMs);
      expect(onClosed).toHaveBeenCalledOnce();
    },
  );
});

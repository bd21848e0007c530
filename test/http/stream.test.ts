/** Streams of the client over HTTP: they outlive their connections, without a gap or a repeat. */

import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { createHttpClient, type HttpClientOptions } from '../../src/entries/http.js';
import { respond, type SiteAnswer, useSite } from '../support/http-site.js';
import { matchError } from '../support/match-error.js';

/** Writes frames and leaves the connection open. */
function open(response: ServerResponse, ...frames: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const frame of frames) response.write(frame);
}

const retryNow = 'retry: 1\n';

const frame = (number: number) => `${retryNow}id: run.${number}.0\nevent: step-changed\ndata: {"number":${number}}\n\n`;

const last = `${retryNow}id: run.9.0\nevent: view-completed\ndata: {"number":9}\n\n`;

const send =
  (...frames: readonly string[]): SiteAnswer =>
  (response) => {
    open(response, ...frames);
    response.end();
  };

async function useStream(answers: readonly SiteAnswer[], options: Partial<HttpClientOptions> = {}) {
  let next = 0;
  const site = await useSite((response, request) => answers[Math.min(next++, answers.length - 1)]?.(response, request));
  const client = createHttpClient({ url: `http://127.0.0.1:${site.port}`, key: 'secret-1', ...options });
  return {
    site,
    client,
    lastIds: () => site.requests.map(({ headers }) => headers['last-event-id'] ?? null),
    read: async () => {
      const numbers: unknown[] = [];
      for await (const { data } of client.followChain({ chainId: 'a', lastEventId: 'run.0.0' }))
        numbers.push((data as unknown as { readonly number: number }).number);
      return numbers;
    },
  };
}

describe('a stream', () => {
  it('has the id, the name and the data of each event, and ends with the last one', async () => {
    const { site, client } = await useStream([(response) => open(response, ': \n\n', frame(1), last)]);
    const events: unknown[] = [];
    for await (const event of client.followChain({ chainId: 'a/b', tokens: true })) events.push(event);
    expect(events).toEqual([
      { id: 'run.1.0', event: 'step-changed', data: { number: 1 } },
      { id: 'run.9.0', event: 'view-completed', data: { number: 9 } },
    ]);
    expect(site.requests).toMatchObject([
      {
        path: '/v1/chains/a%2Fb/events?tokens=true',
        headers: { accept: 'text/event-stream', authorization: 'Bearer secret-1' },
      },
    ]);
  });

  it.each<readonly [string, SiteAnswer]>([
    ['the gateway stops', send(frame(1), 'event: closing\ndata: {}\n\n')],
    ['the client was dropped', send(frame(1), 'event: dropped\ndata: {"code":"stalled"}\n\n')],
    ['the response ends', send(frame(1))],
    [
      'the connection is lost within an event',
      (response) => {
        open(response, frame(1), frame(2).slice(0, -1));
        response.write('', () => response.socket?.destroy());
      },
    ],
    ['the connection is silent', (response) => open(response, frame(1))],
  ])('continues after the last event when %s', async (_, answer) => {
    const { read, lastIds } = await useStream([answer, send(frame(2), frame(3)), send(last)], { idleMs: 200 });
    expect(await read()).toEqual([1, 2, 3, 9]);
    expect(lastIds()).toEqual([null, 'run.1.0', 'run.3.0']);
  });

  it('keeps the last id over events without one', async () => {
    const live = 'event: interim-result\ndata: {"number":0}\n\n';
    const { read, lastIds } = await useStream([send(frame(1), live), send(last)]);
    expect(await read()).toEqual([1, 0, 9]);
    expect(lastIds()).toEqual([null, 'run.1.0']);
  });

  it('has each character of a reply once, also where the next connection repeats the reply', async () => {
    const token = (text: string, offset: number, call = 'model.2.1') =>
      `event: token\ndata: ${JSON.stringify({ type: 'token', step: 2, call, text, offset, missing: 0 })}\n\n`;
    const { client } = await useStream([
      send(frame(1), token('abc', 0), token('def', 3)),
      send(retryNow, token('abcd', 0), token('efgh', 4), token('x', 0, 'model.2.2'), last),
    ]);
    const pieces: unknown[] = [];
    for await (const { data } of client.followChain({ chainId: 'a', tokens: true }))
      if (data.type === 'token') pieces.push([data.offset, data.text]);
    expect(pieces).toEqual([
      [0, 'abc'],
      [3, 'def'],
      [6, 'gh'],
      [0, 'x'],
    ]);
  });

  it('ends where the gateway has nothing after the last event', async () => {
    const { read, site } = await useStream([send(frame(1)), respond(204, 'text/plain', '')]);
    expect(await read()).toEqual([1]);
    expect(site.requests).toHaveLength(2);
  });

  it('connects again where a connection stays without a response', async () => {
    const silent: SiteAnswer = () => {};
    const { read, site, lastIds } = await useStream([send(frame(1)), silent, send(last)], { idleMs: 200 });
    expect(await read()).toEqual([1, 9]);
    expect(lastIds()).toEqual([null, 'run.1.0', 'run.1.0']);
    expect(site.requests).toHaveLength(3);
  });

  it('waits for a gateway that fails for a time', async () => {
    const { read, lastIds } = await useStream([
      send(frame(1)),
      respond(503, 'application/problem+json', '{"type":"a","title":"b","status":503,"code":"closing"}'),
      (response) => void response.socket?.destroy(),
      respond(429, 'text/plain', '', { 'retry-after': '1' }),
      send(last),
    ]);
    expect(await read()).toEqual([1, 9]);
    expect(lastIds()).toEqual([null, 'run.1.0', 'run.1.0', 'run.1.0', 'run.1.0']);
  });

  it('survives the restart of the gateway', async () => {
    const first = await useStream([(response) => open(response, frame(1))]);
    let url = `http://127.0.0.1:${first.site.port}`;
    const moved: typeof fetch = (input, init) => fetch(String(input).replace('http://gateway', url), init);
    const client = createHttpClient({ url: 'http://gateway', fetch: moved });
    const events = client.followChain({ chainId: 'a' });
    expect((await events.next()).value).toMatchObject({ id: 'run.1.0' });
    const second = await useStream([send(last)]);
    await first.site.close();
    url = `http://127.0.0.1:${second.site.port}`;
    expect((await events.next()).value).toMatchObject({ id: 'run.9.0' });
    expect(second.lastIds()).toEqual(['run.1.0']);
  });

  it('gives up where connections bring no event any more', async () => {
    const { read, site } = await useStream([send(frame(1)), send(`${retryNow}\n`)], { reconnects: 3 });
    await expect(read()).rejects.toThrow(matchError('gateway_unreachable'));
    expect(site.requests).toHaveLength(4);
  });

  it.each([
    ['the chain is missing', 404, 'chain_not_found'],
    ['the credential has expired', 401, 'unauthenticated'],
  ])('throws when %s', async (_, status, code) => {
    const problem = JSON.stringify({ type: 'a', title: 'b', status, code });
    const { read, site } = await useStream([send(frame(1)), respond(status, 'application/problem+json', problem)]);
    await expect(read()).rejects.toThrow(expect.objectContaining({ code, status }));
    expect(site.requests).toHaveLength(2);
  });

  it.each([
    ['a page', respond(200, 'text/html', '<html>')],
    ['an event that is not JSON', send('id: run.1.0\ndata: {\n\n')],
  ])('throws when the address answers with %s', async (_, answer) => {
    const { read, site } = await useStream([answer]);
    await expect(read()).rejects.toThrow(matchError('gateway_unreachable'));
    expect(site.requests).toHaveLength(1);
  });

  it('ends with the reason of its signal, also while it waits', async () => {
    const { client } = await useStream([(response) => open(response, frame(1)), () => {}]);
    const controller = new AbortController();
    const reason = new Error('the page was left');
    const events = client.followChain({ chainId: 'a' }, { signal: controller.signal });
    await events.next();
    const next = events.next();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  it('closes its connection when its reader stops', async () => {
    const closed = vi.fn();
    const { client } = await useStream([
      (response) => {
        response.on('close', closed);
        open(response, frame(1));
      },
    ]);
    for await (const { id } of client.followChain({ chainId: 'a' })) {
      expect(id).toBe('run.1.0');
      break;
    }
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });
});

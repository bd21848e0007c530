/** What the official client may request, who gets the configured headers, and how much of an answer is read. */

import { describe, expect, it } from 'vitest';
import { createBoundedFetch } from '../../../src/tools/mcp/bounded-fetch.js';
import { respond, useSite } from '../../support/http-site.js';

async function createFetch(status: number, type: string, body: string, issuer = 'http://127.0.0.1:1') {
  const site = await useSite((response, request) => respond(status, type, body)(response, request));
  const url = `http://127.0.0.1:${site.port}/mcp`;
  const broken: string[] = [];
  const create = (origin: string) =>
    createBoundedFetch({
      ...{ origin, otherOrigins: [issuer], ownHeaders: ['X-Key'], maxBytes: 1_000 },
      onBroken: (why) => broken.push(why),
      onMissed: () => {},
    });
  return { site, url, broken, create };
}

describe('the fetch of the official client', () => {
  it('requests only the origin of the server and of its issuer', async () => {
    const { site, url, create } = await createFetch(200, 'text/plain', 'ok');
    const request = create('http://127.0.0.1:2');
    await expect(request(url)).rejects.toThrow(/which is neither its origin nor that of `auth.issuer`/);
    expect(site.requests).toEqual([]);
  });

  it('sends the configured headers only to the server', async () => {
    const { site, url, create } = await createFetch(200, 'text/plain', 'ok');
    const { origin } = new URL(url);
    const init = { headers: { 'x-key': 'canary', accept: 'text/plain' } };
    await create(origin)(url, init);
    await createBoundedFetch({
      ...{ origin: 'http://127.0.0.1:2', otherOrigins: [origin], ownHeaders: ['X-Key'], maxBytes: 1_000 },
      onBroken: () => {},
      onMissed: () => {},
    })(url, init);
    expect(site.requests.map(({ headers }) => headers['x-key'])).toEqual(['canary', undefined]);
  });

  it.each([
    [200, 'application/json'],
    [201, 'application/json'],
    [500, 'text/event-stream'],
    [200, 'application/json; a=text/event-stream'],
  ])('reads at most so many bytes of an answer of status %i and type %s', async (status, type) => {
    const { url, create } = await createFetch(status, type, 'data: x\n\n'.repeat(500));
    const response = await create(new URL(url).origin)(url, { method: 'POST' });
    await expect(response.text()).rejects.toThrow(/more than 1000 bytes/);
  });

  it('reports a stream that breaks, as no answer will follow', async () => {
    const { url, create, broken } = await createFetch(200, 'Text/Event-Stream; charset=utf-8', 'x'.repeat(2_000));
    const response = await create(new URL(url).origin)(url, { method: 'POST' });
    await expect(response.text()).rejects.toThrow(/more than 1000 bytes/);
    expect(broken).toEqual([expect.stringContaining('more than 1000 bytes')]);
  });
});

/** The client over HTTP, with a server of the test: what it sends, what it returns, and what it sends again. */

import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import {
  type CallInput,
  type CallValue,
  createHttpClient,
  type HttpClientOptions,
  HttpProblemError,
} from '../../src/entries/http.js';
import type { Operation } from '../../src/http/operation.js';
import { operations } from '../../src/http/operations.js';
import type { StreamedChainEvent } from '../../src/http/schemas/event.js';
import { respond, type SiteAnswer, useSite } from '../support/http-site.js';
import { matchError } from '../support/match-error.js';

const answerJson = (value: unknown, status = 200): SiteAnswer =>
  respond(status, 'application/json', JSON.stringify(value));

const answerProblem = (status: number, code: string, headers: Record<string, string> = {}): SiteAnswer =>
  respond(
    status,
    'application/problem+json',
    JSON.stringify({ type: `urn:longhand:${code}`, title: 'It failed.', status, code, detail: 'A detail.' }),
    headers,
  );

async function useClient(answers: readonly SiteAnswer[], options: Partial<HttpClientOptions> = {}) {
  let next = 0;
  const site = await useSite((response, request) => answers[Math.min(next++, answers.length - 1)]?.(response, request));
  const url = `http://127.0.0.1:${site.port}`;
  return { site, url, client: createHttpClient({ url, key: 'secret-1', ...options }) };
}

const started = answerJson({ chainId: 'clerk-1', existed: false }, 201);

describe('a call', () => {
  it('sends placeholders in the path, and the rest in the query', async () => {
    const { site, client } = await useClient([answerJson({ items: [], cursor: null })]);
    await client.getChain({ chainId: 'clerk-1/delegate 2', as: 'auditor', expand: ['3', '3.1'], depth: 2 });
    await client.queryAudit({ contents: true, limit: 5, agent: undefined });
    expect(site.requests.map(({ path }) => path)).toEqual([
      '/v1/chains/clerk-1%2Fdelegate%202?as=auditor&expand=3%2C3.1&depth=2',
      '/v1/audit?contents=true&limit=5',
    ]);
    expect(site.requests[0]).toMatchObject({ method: 'GET', body: '', headers: { authorization: 'Bearer secret-1' } });
  });

  it('sends the rest in the body, where the operation has one', async () => {
    const { site, client } = await useClient([answerJson({ id: null, status: 'accepted' })]);
    await client.decideRequest({ chainId: 'a/b', call: '3.1', decision: 'approve', always: true, as: 'developer' });
    const [request] = site.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chains/a%2Fb/requests/3.1?as=developer' });
    expect(JSON.parse(request?.body ?? '')).toEqual({ decision: 'approve', always: true });
    expect(request?.headers['content-type']).toBe('application/json');
  });

  it('goes below the path of the address', async () => {
    const { site, url } = await useClient([answerJson({ status: 'ok' }), answerJson({ name: 'Longhand gateway' })]);
    const client = createHttpClient({ url: `${url}/longhand/` });
    await client.getHealth();
    await client.getGateway();
    expect(site.requests.map(({ path }) => path)).toEqual(['/longhand/health', '/longhand']);
    expect(site.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each(['.', '..', ''])('rejects the id %j, which would be another path', async (chainId) => {
    const { client } = await useClient([answerJson({})]);
    await expect(client.getChain({ chainId })).rejects.toThrow(matchError('invalid_options'));
    await expect(client.followChain({ chainId }).next()).rejects.toThrow(matchError('invalid_options'));
  });

  it('returns JSON, text, or the response of a file', async () => {
    const { client } = await useClient([
      answerJson({ status: 'ok' }),
      respond(200, 'text/plain; version=0.0.4', 'requests_total 1\n'),
      respond(206, 'image/png', Buffer.from([2, 3])),
    ]);
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(await client.getMetrics()).toBe('requests_total 1\n');
    const file = await client.getFile({ chainId: 'a', name: 'b/c.png' }, { headers: { range: 'bytes=2-3' } });
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array([2, 3]));
  });

  it('gets the key again for each request', async () => {
    const { site, client } = await useClient([answerJson({ status: 'ok' })], {
      key: vi.fn().mockResolvedValueOnce('one').mockReturnValueOnce('two'),
    });
    await client.getHealth();
    await client.getHealth();
    expect(site.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
  });

  it('ends with the reason of its signal', async () => {
    const { client } = await useClient([() => {}]);
    const controller = new AbortController();
    const reason = new Error('no longer needed');
    const called = client.getHealth({}, { signal: controller.signal });
    controller.abort(reason);
    await expect(called).rejects.toBe(reason);
  });
});

describe('the types', () => {
  const client = createHttpClient({ url: 'http://127.0.0.1:1' });

  it('are those of the schemas', () => {
    expectTypeOf<{ agent: string; task: string }>().toExtend<CallInput<'startChain'>>();
    expectTypeOf<CallInput<'startChain'>['task']>().exclude<string>().toHaveProperty('messages');
    expectTypeOf(client.startChain).returns.resolves.toEqualTypeOf<{ chainId: string; existed: boolean }>();
    expectTypeOf(client.listChains)
      .parameter(0)
      .extract<object>()
      .toHaveProperty('limit')
      .toEqualTypeOf<number | undefined>();
    expectTypeOf(client.getMetrics).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf(client.getFile).returns.resolves.toEqualTypeOf<Response>();
    expectTypeOf<CallValue<'followChain'>>().toExtend<{
      readonly id: string | null;
      readonly data: StreamedChainEvent;
    }>();
    expectTypeOf<CallValue<'followReasoning'>['event']>().toEqualTypeOf<'reasoning' | 'view-completed'>();
    expectTypeOf<CallInput<'getChain'>['expand']>().toEqualTypeOf<string[] | 'all' | undefined>();
  });

  it('require what the operation requires', () => {
    // Only compiled.
    const compiled = () => {
      client.listChains();
      client.followChain({ chainId: 'a', tokens: true });
      client.startChain({ agent: 'a', task: 'b' }, { idempotencyKey: 'c' });
      // @ts-expect-error The task is missing.
      client.startChain({ agent: 'a' });
      // @ts-expect-error A decision is missing.
      client.decideRequest({ chainId: 'a', call: '1.1' });
      // @ts-expect-error An answer is no member of a denial.
      client.decideRequest({ chainId: 'a', call: '1.1', decision: 'deny', answer: 1 });
      // @ts-expect-error The id is missing.
      client.getChain();
      // @ts-expect-error This operation takes no idempotency key.
      client.pauseChain({ chainId: 'a' }, { idempotencyKey: 'c' });
    };
    expect(compiled).toBeTypeOf('function');
  });

  it.each(Object.entries<Operation>(operations))('%s has no name twice', (_, { params, query, body }) => {
    const bodies = body === undefined ? [] : listMembers(body);
    const names = [...listMembers(params), ...listMembers(query), ...bodies];
    expect(names).toEqual([...new Set(names)]);
  });
});

/** Names of the members of an object, or of all alternatives of a union. */
function listMembers(schema: unknown): readonly string[] {
  const { shape, options } = (schema ?? {}) as { readonly shape?: object; readonly options?: readonly unknown[] };
  if (shape !== undefined) return Object.keys(shape);
  return [...new Set((options ?? []).flatMap((option) => listMembers(option)))];
}

describe('an error', () => {
  it('of the gateway has its code, its status and the problem', async () => {
    const { client } = await useClient([answerProblem(404, 'chain_not_found')]);
    const error = await client.getChain({ chainId: 'a' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HttpProblemError);
    expect(error).toMatchObject({ code: 'chain_not_found', status: 404, message: 'A detail.' });
    expect(error).toMatchObject({ problem: { title: 'It failed.', type: 'urn:longhand:chain_not_found' } });
  });

  it.each([
    ['another server', respond(200, 'text/html', '<html>')],
    ['a proxy', respond(403, 'text/html', '<html>')],
    ['a page of errors as JSON', respond(404, 'application/json', '{"message":"no route"}')],
    ['a redirect', respond(302, 'text/plain', '', { location: 'http://127.0.0.1:1/' })],
  ])('names %s, which is no gateway', async (_, answer) => {
    const { client } = await useClient([answer], { retries: 0 });
    await expect(client.getHealth()).rejects.toThrow(matchError('gateway_unreachable'));
  });

  it('names the address where nothing answers', async () => {
    const client = createHttpClient({ url: 'http://127.0.0.1:1/below', retries: 0 });
    await expect(client.getHealth()).rejects.toThrow(matchError('gateway_unreachable', 'http://127.0.0.1:1.'));
  });

  it.each(['ftp://a', 'a.example', 'https://user:secret@a.example', 'https://a.example?key=secret'])(
    'rejects the address %s without repeating it',
    (url) => {
      expect(() => createHttpClient({ url })).toThrow(matchError('invalid_options', /^(?!.*secret)/));
    },
  );

  it.each(['secret\r\nx: y', 'schlüssel-secret', '', ' '])('rejects the key %j without repeating it', async (key) => {
    const { client } = await useClient([answerJson({ status: 'ok' })], { key });
    await expect(client.getHealth()).rejects.toThrow(matchError('invalid_options', /^(?!.*secret)/));
  });
});

describe('a request is sent again', () => {
  it('when reading failed for a time, after the time that the gateway names', async () => {
    const { site, client } = await useClient([
      answerProblem(503, 'not_ready', { 'retry-after': '1' }),
      respond(502, 'text/html', 'bad gateway'),
      (response) => void response.socket?.destroy(),
      answerJson({ status: 'ok' }),
    ]);
    const before = Date.now();
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000);
    expect(site.requests).toHaveLength(4);
  });

  it('with the same idempotency key, so that one chain starts', async () => {
    const { site, client } = await useClient([(response) => void response.socket?.destroy(), started]);
    expect(await client.startChain({ agent: 'clerk', task: 'Pay.' })).toEqual({ chainId: 'clerk-1', existed: false });
    const keys = site.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    await client.startChain({ agent: 'clerk', task: 'Pay.' }, { idempotencyKey: 'invoice-17' });
    await client.startChain({ agent: 'clerk', task: 'Pay.' });
    expect(site.requests[2]?.headers['idempotency-key']).toBe('invoice-17');
    expect(keys).not.toContain(site.requests[3]?.headers['idempotency-key']);
  });

  it('when the gateway did nothing, also without a key', async () => {
    const { site, client } = await useClient([
      answerProblem(429, 'too_many_requests'),
      answerProblem(503, 'closing'),
      answerJson({ id: '1', status: 'accepted' }),
    ]);
    await client.pauseChain({ chainId: 'a' });
    expect(site.requests).toHaveLength(3);
  });

  it.each([
    ['failed', answerProblem(500, 'internal'), 'internal'],
    ['took too long', answerProblem(504, 'timed_out'), 'timed_out'],
    ['was lost', (response) => void response.socket?.destroy(), 'gateway_unreachable'],
  ] as const satisfies readonly (readonly [string, SiteAnswer, string])[])(
    'never, when a command %s: it may have happened',
    async (_, answer, code) => {
      const { site, client } = await useClient([answer]);
      await expect(client.cancelChain({ chainId: 'a' })).rejects.toThrow(expect.objectContaining({ code }));
      expect(site.requests).toHaveLength(1);
    },
  );

  it('when the connection is lost within a response, where a second request has no further effect', async () => {
    const cut: SiteAnswer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"status":', () => response.socket?.destroy());
    };
    const { site, client } = await useClient([cut, answerJson({ status: 'ok' }), cut]);
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    await expect(client.pauseChain({ chainId: 'a' })).rejects.toThrow(matchError('gateway_unreachable'));
    expect(site.requests).toHaveLength(3);
  });

  it('never, when what it deletes may already be deleted', async () => {
    const lost: SiteAnswer = (response) => void response.socket?.destroy();
    const { site, client } = await useClient([lost, answerProblem(404, 'webhook_not_found')]);
    await expect(client.deleteWebhook({ webhookId: 'a' })).rejects.toThrow(matchError('gateway_unreachable'));
    expect(site.requests).toHaveLength(1);
  });

  it('of a revocation, whose answer is the same twice', async () => {
    const lost: SiteAnswer = (response) => void response.socket?.destroy();
    const { site, client } = await useClient([lost, answerJson({ id: 'a' })]);
    expect(await client.revokeKey({ keyId: 'a' })).toEqual({ id: 'a' });
    expect(site.requests).toHaveLength(2);
  });

  it('never, when the gateway rejected it', async () => {
    const { site, client } = await useClient([answerProblem(401, 'unauthenticated')]);
    await expect(client.listInbox()).rejects.toThrow(expect.objectContaining({ code: 'unauthenticated' }));
    expect(site.requests).toHaveLength(1);
  });

  it('as often as the client allows', async () => {
    const { site, client } = await useClient([answerProblem(503, 'not_ready')], { retries: 2 });
    await expect(client.getHealth()).rejects.toThrow(expect.objectContaining({ code: 'not_ready' }));
    expect(site.requests).toHaveLength(3);
  });
});

/** Tools of OpenAPI documents, with a real server: names, arguments, effects, what is sent, and what is returned. */

import { describe, expect, it, vi } from 'vitest';
import { type OpenApiOptions, openApiTools } from '../../../src/entries/tools.js';
import { callOf } from '../../support/call-tool.js';
import { respond, type SiteAnswer, useSite } from '../../support/http-site.js';
import { matchError } from '../../support/match-error.js';
import { petShop, tracker } from '../../support/open-api-documents.js';

const ok: SiteAnswer = respond(200, 'application/json', '{"ok":true}');
const secrets = { api_key: 'SHOP_KEY', login: 'SHOP_LOGIN', token: 'SHOP_TOKEN' };

async function usePetShop(answer: SiteAnswer = ok, options: OpenApiOptions = {}) {
  const site = await useSite(answer);
  const tools = openApiTools(petShop('https://shop.example'), {
    ...{ baseUrl: `http://127.0.0.1:${site.port}/v1`, secrets },
    ...options,
  });
  return { site, ...callOf(() => tools), tools };
}

describe('the tools of a document', () => {
  const tools = openApiTools(petShop('https://shop.example'), { secrets });
  const find = (name: string) => tools.find((tool) => tool.name === name)!;

  it('have clean names, and the effects of their methods', () => {
    expect(tools.map(({ name, snapshot }) => [name, snapshot.effects])).toEqual([
      ['pets_list', 'read'],
      ['createPet', 'unsafe'],
      ['get_pets_by_id', 'read'],
      ['replace-pet', 'unsafe'],
      ['deletePet', 'unsafe'],
      ['uploadPhoto', 'unsafe'],
      ['login', 'unsafe'],
    ]);
  });

  it('take their parameters and the members of the body side by side', () => {
    expect(find('pets_list').snapshot.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        limit: { type: 'integer', exclusiveMinimum: 0, maximum: 100 },
        filter: { $ref: '#/$defs/Filter' },
        'X-Trace': { type: 'string' },
      },
      additionalProperties: false,
    });
    expect(JSON.stringify(find('pets_list').snapshot.inputSchema)).not.toMatch(/session|api_key/);
    expect(find('createPet').snapshot.inputSchema).toEqual({
      type: 'object',
      properties: {
        'X-Trace': { type: 'string' },
        name: { type: 'string' },
        nickname: { type: ['string', 'null'] },
        owner: { $ref: '#/$defs/Person' },
        kind: {
          oneOf: [
            { $ref: '#/$defs/Cat', properties: { type: { enum: ['Cat'] } }, required: ['type'] },
            { $ref: '#/$defs/Dog', properties: { type: { enum: ['dog'] } }, required: ['type'] },
          ],
        },
      },
      required: ['name'],
      additionalProperties: false,
      $defs: {
        Person: {
          type: 'object',
          properties: { name: { type: 'string' }, friends: { type: 'array', items: { $ref: '#/$defs/Person' } } },
        },
        Cat: { type: 'object', properties: { type: { type: 'string' }, lives: { type: 'integer' } } },
        Dog: { type: 'object', properties: { type: { type: 'string' }, lives: { type: 'integer' } } },
      },
    });
  });

  it('take a body that is no plain object as one argument', () => {
    expect(find('replace-pet').snapshot.inputSchema).toMatchObject({
      properties: { id: { description: 'Number of the pet' }, body: { $ref: '#/$defs/Pet' } },
      required: ['id', 'body'],
    });
  });

  it('validate their arguments: recursion, null, and the discriminator', () => {
    const wrong = (input: object) => find('createPet').validateInput(input);
    expect(wrong({ name: 'Rex', nickname: null, owner: { friends: [{ friends: [] }] } })).toBeNull();
    expect(wrong({ name: 'Rex', kind: { type: 'dog', lives: 1 } })).toBeNull();
    expect(wrong({ name: 'Rex', owner: { friends: [{ friends: [{ name: 1 }] }] } })).toMatch(
      /friends.0.friends.0.name/,
    );
    expect(wrong({ name: 'Rex', kind: { type: 'bird' } })).not.toBeNull();
    expect(wrong({ name: 'Rex', id: 1 })).toMatch(/id: is not expected/);
    expect(find('pets_list').validateInput({ limit: 0 })).toMatch(/greater than 0/);
  });

  it('mask passwords for readers, and need secrets that the model never sees', () => {
    expect(find('login').snapshot.view.sensitive).toEqual(['password']);
    expect(find('login').secrets).toBeUndefined();
    expect(find('createPet').secrets).toEqual(['SHOP_KEY']);
    expect(find('deletePet').secrets).toEqual(['SHOP_LOGIN']);
    expect(JSON.stringify(tools.map(({ snapshot }) => snapshot))).not.toContain('SHOP_');
  });

  it('of version 3.1 keep what references have beside them, and separate equal names', () => {
    const [update] = openApiTools(tracker('https://tracker.example'), { only: ['updateIssue'] });
    expect(update?.snapshot.inputSchema).toMatchObject({
      properties: { id: {}, query_id: {}, 'If-Match': {}, body: { $ref: '#/$defs/Issue' } },
      required: ['id'],
      $defs: { Issue: { properties: { parent: { $ref: '#/$defs/Issue', description: expect.any(String) } } } },
    });
    expect(JSON.stringify(update?.snapshot.inputSchema)).not.toContain('Idempotency');
  });

  it('may be some, with other names, effects and limits', () => {
    const [created, ...others] = openApiTools(petShop('https://shop.example'), {
      ...{ secrets, only: ['createPet'], prefix: 'shop_' },
      tools: { createPet: { effects: 'idempotent', approval: true, timeout: '5s' } },
    });
    expect(others).toEqual([]);
    expect(created).toMatchObject({ name: 'shop_createPet', approval: true });
    expect(created?.snapshot).toMatchObject({ effects: 'idempotent', timeoutMs: 5_000 });
  });

  it('have names of 64 characters at most, with the prefix, that remain different', () => {
    const path = (end: string) => `/${'long/'.repeat(20)}${end}`;
    const document = { openapi: '3.0.0', servers: [{ url: 'https://a.example' }], paths: {} };
    const paths = { [path('a')]: { get: {} }, [path('b')]: { get: {} }, '/7': { get: { operationId: '7 up!' } } };
    const names = openApiTools({ ...document, paths }, { prefix: 'crm_' }).map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    expect(names.every((name) => name.length <= 64)).toBe(true);
    expect(names.at(-1)).toBe('crm__7_up');
  });
});

describe('a call', () => {
  it('sends the query in the styles of the document, with the key', async () => {
    const { site, call } = await usePetShop();
    await call('pets_list', {
      ...{ limit: 5, tags: ['a b', 'c&d'], ids: [1, 2], 'X-Trace': 't1', where: { a: [1] } },
      filter: { color: 'red', age: { gt: 3 } },
    });
    const [request] = site.requests;
    const { pathname, searchParams } = new URL(request!.path, 'http://site');
    expect(pathname).toBe('/v1/pets');
    expect([...searchParams]).toEqual([
      ...[
        ['limit', '5'],
        ['tags', 'a b'],
        ['tags', 'c&d'],
        ['ids', '1,2'],
      ],
      ...[
        ['filter[color]', 'red'],
        ['filter[age][gt]', '3'],
        ['where', '{"a":[1]}'],
      ],
      ['api_key', 'the secret SHOP_KEY'],
    ]);
    expect(request?.headers).toMatchObject({ 'x-trace': 't1' });
    expect(request?.headers).not.toHaveProperty('idempotency-key');
  });

  it('sends JSON, the idempotency key and basic credentials; a result has no key', async () => {
    const { site, call } = await usePetShop(respond(201, 'application/json', '{"id":7}', { etag: '"1"' }));
    const result = await call('createPet', { name: 'Rex', nickname: null }, { idempotencyKey: 'key-1' });
    expect(result).toMatchObject({
      ...{ request: `POST 127.0.0.1:${site.port}/v1/pets`, status: 201, headers: { etag: '"1"' }, body: { id: 7 } },
    });
    expect(JSON.stringify(result)).not.toContain('SHOP_KEY');
    expect(site.requests[0]).toMatchObject({ method: 'POST', body: '{"name":"Rex","nickname":null}' });
    expect(site.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'key-1' });
    await call('deletePet', { id: 'a/b c' }, { secret: () => 'ann:pa55' });
    expect(site.requests[1]).toMatchObject({ method: 'DELETE', path: '/v1/pets/a%2Fb%20c', body: '' });
    expect(site.requests[1]?.headers.authorization).toBe(`Basic ${Buffer.from('ann:pa55').toString('base64')}`);
  });

  it('sends forms and files', async () => {
    const { site, call } = await usePetShop();
    await call('login', { user: 'ann&b', password: 'x=y', scopes: ['r', 'w'], device: { name: 'phone' } });
    expect(site.requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(site.requests[0]?.body)]).toEqual([
      ...[
        ['user', 'ann&b'],
        ['password', 'x=y'],
        ['scopes', 'r'],
        ['scopes', 'w'],
        ['device[name]', 'phone'],
      ],
    ]);
    await call('uploadPhoto', { id: '1', photo: 'line 1\nline 2', caption: '"Rex"', meta: { a: 1 } });
    const [, { headers, body }] = site.requests as never as [never, { headers: Record<string, string>; body: string }];
    expect(headers.authorization).toBe('Bearer the secret SHOP_TOKEN');
    const form = await new Response(body, { headers: { 'content-type': headers['content-type']! } }).formData();
    expect(await (form.get('photo') as File).text()).toBe('line 1\nline 2');
    expect(form.get('caption')).toBe('"Rex"');
    expect(form.get('meta')).toBe('{"a":1}');
  });

  it('sends text, headers, merge patches, and equal names to their places', async () => {
    const site = await useSite(ok);
    const { call } = callOf(() =>
      openApiTools(tracker('https://tracker.example'), { baseUrl: `http://127.0.0.1:${site.port}` }),
    );
    await call('writeNote', { path: 'a', body: 'Grüße' });
    expect(site.requests[0]).toMatchObject({ method: 'PUT', body: 'Grüße' });
    await call('updateIssue', { id: '1', query_id: '2', 'If-Match': '"e"', body: { title: null } });
    expect(site.requests[1]).toMatchObject({ path: '/issues/1?id=2', body: '{"title":null}' });
    expect(site.requests[1]?.headers).toMatchObject({
      ...{ 'if-match': '"e"', 'content-type': 'application/merge-patch+json' },
    });
  });

  it('returns the arguments of the next page', async () => {
    const link = (target: string) => respond(200, 'application/json', '[]', { link: `<${target}>; rel="next"` });
    const own = await usePetShop(link('?page=2&limit=5'));
    expect(await own.call('pets_list', { limit: 5 })).toMatchObject({ nextPage: { page: 2 } });
    const other = await usePetShop(link('/other?cursor=x'));
    expect(await other.call('pets_list', {})).toMatchObject({ nextPage: expect.stringMatching(/other\?cursor=x$/) });
    const none = await usePetShop(respond(200, 'application/json', '[]', { link: '</a>; rel="prev"' }));
    expect(await none.call('pets_list', {})).not.toHaveProperty('nextPage');
  });

  it('fails with the message of the server, as the effects permit', async () => {
    const problem = respond(
      422,
      'application/problem+json',
      '{"title":"Invalid","detail":"name is taken","errors":[1]}',
    );
    const shop = await usePetShop(problem, { tools: { createPet: { effects: 'idempotent' } } });
    expect(await shop.failure('createPet', { name: 'a' })).toMatch(
      /^ToolError: POST .*status 422: name is taken \[1\]$/,
    );
    expect(await shop.failure('pets_list', {})).toMatch(/^ToolError: .*422/);
    // An unsafe call that a server rejected did certainly not happen.
    expect(await shop.failure('replace-pet', { id: '1', body: { name: 'a' } })).toMatch(/^NotDone: .*422/);
  });

  const statuses: readonly (readonly [tool: string, status: number, error: string])[] = [
    ['pets_list', 503, 'Error'],
    ['pets_list', 429, 'Error'],
    ['createPet', 500, 'Error'],
    ['createPet', 429, 'NotDone'],
    ['createPet', 408, 'Error'],
    ['createPet', 499, 'Error'],
    ['pets_list', 408, 'Error'],
    ['createPet', 404, 'NotDone'],
    ['pets_list', 404, 'ToolError'],
  ];
  it.each(statuses)('of %s with status %i throws %s', async (name, status, error) => {
    const { call } = await usePetShop(respond(status, 'application/json', '{"error":{"message":"not now"}}'));
    const failed = call(name, { name: 'a' }.name === '' || name === 'pets_list' ? {} : { name: 'a' });
    await expect(failed).rejects.toMatchObject({ name: error, message: expect.stringContaining('not now') });
  });

  it('with a response that is too large names the parameters for less', async () => {
    const { failure } = await usePetShop(respond(200, 'text/plain', 'x'.repeat(5_000)), { maxBytes: 1_000 });
    expect(await failure('pets_list', {})).toMatch(/larger than 1.* Request less: set limit, page\./);
  });

  it('that is cancelled ends its connection', async () => {
    const stop = new AbortController();
    const closed = vi.fn();
    const shop = await usePetShop((response) => {
      response.on('close', closed);
      response.writeHead(200, { 'content-type': 'application/json' }).write('[');
      stop.abort(new Error('cancelled by a person'));
    });
    await expect(shop.call('pets_list', {}, { signal: stop.signal })).rejects.toThrow(/cancelled/);
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  });
});

describe('a document or an option that cannot work', () => {
  const operation = (given: object, rest: object = {}) => ({
    ...{ openapi: '3.0.0', servers: [{ url: 'https://a.example' }], ...rest },
    paths: { '/a': { post: { operationId: 'a', ...given } } },
  });
  const scheme = (given: object) =>
    operation({ security: [{ s: [] }] }, { components: { securitySchemes: { s: given } } });
  const content = (types: object) => operation({ requestBody: { required: true, content: types } });
  const parameter = (given: object) => operation({ parameters: [{ name: 'p', ...given }] });
  const circular: Record<string, unknown> = operation({});
  circular.self = circular;

  const invalid: readonly (readonly [reason: RegExp, document: string | object, options?: OpenApiOptions])[] = [
    [/neither JSON nor YAML/, 'a: [b'],
    [/must be an object/, 'text'],
    [/version "2.0"; 3.0 and 3.1/, { swagger: '2.0' }],
    [/no version/, {}],
    [/contains itself/, circular],
    [/no operation/, { openapi: '3.1.0', paths: {} }],
    [/names no server. Set baseUrl/, operation({}, { servers: [] })],
    [/has no host. Set baseUrl/, operation({}, { servers: [{ url: '/v1' }] })],
    [/has no value. Set serverVariables/, operation({}, { servers: [{ url: 'https://{a}.example' }] })],
    [/needs credentials. Set secrets: \{ "s"/, scheme({ type: 'http', scheme: 'bearer' })],
    [/http digest, which is not supported/, scheme({ type: 'http', scheme: 'digest' }), { secrets: { s: 'S' } }],
    [/apiKey in cookie/, scheme({ type: 'apiKey', in: 'cookie', name: 'c' }), { secrets: { s: 'S' } }],
    [/no security scheme "t"/, scheme({ type: 'oauth2' }), { secrets: { t: 'S' } }],
    [/name of a secret/, scheme({ type: 'oauth2' }), { secrets: { s: 'not a name' } }],
    [/is a cookie, which is not supported/, parameter({ in: 'cookie', required: true })],
    [/style "matrix"/, parameter({ in: 'query', style: 'matrix' })],
    [/only JSON is supported/, parameter({ in: 'query', content: { 'text/xml': {} } })],
    [/the client sets itself|model must not set/, operation({ parameters: [{ name: 'Host', in: 'header' }] })],
    [/types application\/xml; JSON, forms/, content({ 'application/xml': {} })],
    [/refers to "other.yaml#\/Pet". Bundle/, content({ 'application/json': { schema: { $ref: 'other.yaml#/Pet' } } })],
    [/does not exist/, content({ 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } })],
    [/not describe its path parameter b/, { ...operation({}), paths: { '/a/{b}': { get: {} } } }],
    [
      /both have the name a_b/,
      { ...operation({}), paths: { '/a': { get: { operationId: 'a b' }, put: { operationId: 'a.b' } } } },
    ],
    [/tool "b" not found/, operation({}), { only: ['b'] }],
    [/you may mean baseUrl/, operation({}), { baseURL: 'https://b.example' } as OpenApiOptions],
    [/more than 100 KB/, parameter({ in: 'query', schema: { enum: ['x'.repeat(100_000)] } })],
  ];
  it.each(invalid.map(([reason, document, options]) => ({ reason, document, options })))(
    'is rejected with the fix: $reason',
    ({ reason, document, options }) => {
      expect(() => openApiTools(document, options)).toThrow(matchError('invalid_options', reason));
    },
  );

  it('does not matter where the operation is left out', () => {
    const document = operation({ parameters: [{ name: 'p', in: 'cookie', required: true }] });
    const paths = { ...document.paths, '/b': { get: { operationId: 'b' } } };
    expect(openApiTools({ ...document, paths }, { only: ['b'] })).toHaveLength(1);
  });

  it('may be a chain of thousands of schemas', () => {
    const next = (count: number) => ({ properties: { n: { $ref: `#/components/schemas/S${count}` } } });
    const schemas = Object.fromEntries(
      Array.from({ length: 1_500 }, (_, at) => [`S${at}`, at === 1_499 ? {} : next(at + 1)]),
    );
    const document = { ...content({ 'application/json': { schema: next(0) } }), components: { schemas } };
    expect(openApiTools(document)).toHaveLength(1);
  });
});

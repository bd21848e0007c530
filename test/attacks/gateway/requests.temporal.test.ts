/**
 * Requests that keep to no standard, or to its letter only: paths, headers, methods, bodies, queries, ranges. Each is answered with
 * an error of the request, changes nothing, and reveals nothing.
 */

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { budget, isLong } from '../../support/budget.js';
import { canary, useGatewayScene } from '../../support/gateway-scene.js';
import { exchange, formatRawRequest, type RawAnswer, type RawRequest, sendRaw } from '../../support/raw-http.js';

const scene = useGatewayScene({ limits: { bodyBytes: 1_000_000 } });

type Headers = readonly (readonly [name: string, value: string])[];

const answers: RawAnswer[] = [];

/** Sends a request with a valid key of another tenant, unless it has a credential of its own. */
async function attack(request: RawRequest, key = scene.ownerKey): Promise<RawAnswer> {
  const answer = await sendRaw(scene.url, {
    ...request,
    headers: [['authorization', `Bearer ${key}`], ...(request.headers ?? [])],
  });
  answers.push(answer);
  return answer;
}

const json: Headers = [['content-type', 'application/json']];

const post = (body: string | Buffer, headers: Headers = json, path = '/v1/chains') =>
  attack({ method: 'POST', path, headers, body });

const countChains = async () => (await scene.owner.searchChains({ limit: 200 })).items.length;

describe('a path', () => {
  it.each([
    '//v1/chains',
    '/v1//chains',
    '/v1/chains/',
    '/V1/chains',
    '/v1/chains%2f',
    '/v1%2fchains',
    '/%76%31/chains/..%2f..',
    '/v1/chains;x=1',
    '/v1/chains/.%2e/x',
    '/v1/chains/%2e%2e%2fopenapi.json',
    '/v1/chains/..%2f..%2fmetrics',
    '/v1/chains/%252e%252e%252fmetrics',
    '/v1/chains/%00',
    '/v1/chains/%00/result',
    '/v1/chains/a%00b',
    '/v1/chains/%0d%0aset-cookie:%20x=1',
    '/v1/chains/%ff',
    '/v1/chains/%c0%ae%c0%ae',
    '/v1/chains/%ed%a0%80',
    '/v1/chains/%',
    '/v1/chains/%zz',
    '/v1/chains/%f0%9f%92%a9',
    '/v1/chains/__proto__',
    '/v1/chains/constructor/result',
    '/v1/chains/toString/requests',
    `/v1/chains/${'a'.repeat(1_001)}`,
    `/v1/chains/${'a'.repeat(10_000)}`,
    `/v1/chains/${'%2f'.repeat(3_000)}`,
    `/v1/chains/${'../'.repeat(2_000)}etc/passwd`,
    '/__proto__',
    '/constructor',
    '/.git/config',
    '/.env',
    '/v1/keys/..',
    '/v1/keys/__proto__',
    '/v1/inbox/..%2fchains',
    '/openapi.json/..%2fmetrics',
    '/v1/chains/x/files/..%2f..%2f..%2fetc%2fpasswd',
    '/v1/chains/x/requests/1.1/..',
    '*',
    'v1/chains',
    '\\v1\\chains',
    '/v1/chains/\\..\\..\\metrics',
    '?',
    '#',
  ])('%s finds nothing', async (path) => {
    const answer = await attack({ path });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it('with dots is the path without them, with its own checks', async () => {
    const reader = await scene.createKey({ scopes: ['read'], views: ['developer'] });
    for (const path of ['/v1/chains/../audit', '/v1/chains/%2e%2e/audit', '/health/../v1/audit', '/./v1/audit'])
      expect((await attack({ path }, reader)).status).toBe(403);
    for (const path of ['/health/../v1/chains', '/openapi.json/%2e%2e/v1/chains'])
      expect((await sendRaw(scene.url, { path })).status).toBe(401);
  });

  it.each([
    ['a character of no width', (id: string) => `${id}%e2%80%8b`],
    ['a NUL at its end', (id: string) => `${id}%00`],
    ['a space at its end', (id: string) => `${id}%20`],
    ['a slash at its end', (id: string) => `${id}%2f`],
    ['wide letters', (id: string) => id.replace('clerk', '%ef%bd%83lerk')],
    ['other letters', (id: string) => id.toUpperCase()],
    ['double encoding', (id: string) => id.replace('clerk', '%2563lerk')],
    ['a sub-chain', (id: string) => `${id}%2f1.1`],
    ['a run', (id: string) => `${id}%3a00000000-0000-4000-8000-000000000000`],
  ])('with the id of a chain and %s is another id', async (_, change) => {
    for (const tail of ['', '/result', '/events', '/export'])
      expect((await attack({ path: `/v1/chains/${change(scene.ended)}${tail}` })).status).toBe(404);
  });

  it.each([
    'files/..%2f..%2f..%2fetc%2fpasswd',
    'files/memo.txt%00.png',
    'files/__proto__',
    'files/%2e%2e',
    'files/report.txt',
    'files/report.txt?call=9.9',
    'files/memo.txt?call=1.1',
    'files/report.txt?call=1.1%0a',
    'observations/9.9',
    'observations/__proto__',
    'observations/1.1%2f..',
    'observations/99999999999999999999999.1',
    'requests/1.1',
    'signals/paid',
  ])('with %s of a chain reads nothing', async (tail) => {
    const answer = await attack({ path: `/v1/chains/${scene.ended}/${tail}` });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain('root:');
  });
});

describe('a header', () => {
  it.each<readonly [string, Headers]>([
    [
      'with two lengths',
      [
        ['content-length', '2'],
        ['content-length', '30'],
      ],
    ],
    [
      'with a length and chunks',
      [
        ['content-length', '30'],
        ['transfer-encoding', 'chunked'],
      ],
    ],
    ['with a space before its colon', [['transfer-encoding ', 'chunked']]],
    ['with two encodings', [['transfer-encoding', 'chunked, identity']]],
    ['with an unknown encoding', [['transfer-encoding', 'x']]],
    ['with a negative length', [['content-length', '-1']]],
    ['with a length in hexadecimal', [['content-length', '0x10']]],
    [
      'with two hosts',
      [
        ['host', 'localhost'],
        ['host', 'evil.example'],
      ],
    ],
    ['with a NUL', [['x-header', 'a\0b']]],
    ['with a folded line', [['x-header', 'a\r\n b: c']]],
    ['with a line end alone', [['x-header', 'a\nx-injected: b']]],
    ['without a name', [['', 'a']]],
    ['of 20 kB', [['x-header', 'a'.repeat(20_000)]]],
    ['two thousand times', Array.from({ length: 2_100 }, (_, at) => [`x-${at}`, 'a'] as const)],
  ])('%s is rejected before it is read', async (_, headers) => {
    const answer = await attack({ method: 'POST', path: '/v1/chains', headers: [...json, ...headers], body: '' });
    expect([400, 413, 431, 501, 0]).toContain(answer.status);
    expect(answer.text).not.toContain('x-injected');
  });

  it('without a host is rejected', async () => {
    const bytes = Buffer.from(`GET /v1/chains HTTP/1.1\r\nauthorization: Bearer ${scene.ownerKey}\r\n\r\n`);
    expect((await exchange(scene.url, bytes)).status).toBe(400);
  });

  it('hides no second request behind the first', async () => {
    const smuggled = `GET /v1/chains HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.ownerKey}\r\n\r\n`;
    const bytes = formatRawRequest(
      { path: '/health', headers: [['content-length', String(smuggled.length)]], body: smuggled },
      'x',
    );
    const answer = await exchange(scene.url, bytes);
    expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer.text).not.toContain(scene.ended);
  });

  it.each<readonly [string, string]>([
    ['x-http-method-override', 'DELETE'],
    ['x-http-method', 'POST'],
    ['x-method-override', 'PUT'],
    ['x-original-url', '/v1/audit'],
    ['x-rewrite-url', '/v1/audit'],
    ['x-forwarded-host', 'evil.example'],
    ['x-forwarded-for', '127.0.0.1'],
    ['forwarded', 'for=127.0.0.1;host=evil.example'],
    ['x-tenant', 'rival'],
    ['x-user', 'root'],
  ])('%s: %s changes nothing', async (name, value) => {
    const plain = await attack({ path: `/v1/chains/${scene.waiting}/result` });
    const changed = await attack({ path: `/v1/chains/${scene.waiting}/result`, headers: [[name, value]] });
    expect([changed.status, changed.body]).toEqual([plain.status, plain.body]);
    expect(changed.text).not.toContain('evil.example');
  });

  it.each(['a b', 'ä', 'a'.repeat(201), '', ' ', 'a\tb'])('idempotency-key: %j is rejected', async (key) => {
    const answer = await post('{"agent":"clerk","task":"Answer."}', [...json, ['idempotency-key', key]]);
    expect(answer.status).toBe(400);
  });

  it.each([
    'x',
    '1',
    '-1.0.0',
    '00000000-0000-4000-8000-000000000000.5.0',
    '00000000-0000-4000-8000-000000000000.5.0\u0000',
    '../../etc/passwd',
    '{"runId":1}',
    'a'.repeat(301),
    "' or 1=1 --",
  ])('last-event-id: %j starts no stream', async (id) => {
    const answer = await attack({ path: `/v1/chains/${scene.ended}/events`, headers: [['last-event-id', id]] });
    expect(answer.status).toBe(400);
  });

  it('last-event-id: the place of another chain starts no stream', async () => {
    const { value } = await scene.owner.followChain({ chainId: scene.ended }).next();
    const id = value?.id ?? '';
    expect(id).not.toBe('');
    const answer = await attack({ path: `/v1/chains/${scene.waiting}/events`, headers: [['last-event-id', id]] });
    expect(answer.status).toBe(400);
  });

  it('of a file cannot be written by its name', async () => {
    const name = 'a"\r\nset-cookie: x=1; \u2028\u202e"é.html';
    const started = await post(
      JSON.stringify({ agent: 'clerk', task: 'Answer.', context: { [name]: { base64: btoa('<script>') } } }),
    );
    if (started.status === 201) {
      const { chainId } = JSON.parse(started.body) as { readonly chainId: string };
      const answer = await attack({ path: `/v1/chains/${chainId}/files/${encodeURIComponent(name)}` });
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(answer.headers['content-disposition'] ?? 'attachment').toMatch(/^attachment/);
    } else expect(started.status).toBe(400);
  });

  it('of every content forbids to run it', async () => {
    const answer = await attack({ path: `/v1/chains/${scene.ended}/files/memo.txt` });
    expect(answer.headers).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment/),
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });
});

describe('the method', () => {
  it.each(['PATCH', 'DELETE', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK'])(
    '%s reads and changes nothing',
    async (method) => {
      for (const path of [`/v1/chains/${scene.ended}`, '/v1/chains', '/health']) {
        const answer = await attack({ method, path, headers: [['x-secret', 'mirror']] });
        expect([400, 404, 405, 501]).toContain(answer.status);
        expect(answer.text).not.toContain('mirror');
      }
    },
  );

  it('CONNECT opens no tunnel', async () => {
    const answer = await attack({ method: 'CONNECT', path: '127.0.0.1:22' });
    expect(answer.status === 0 || answer.status >= 400).toBe(true);
  });

  it.each(['get', 'Get', 'GE T', 'GET\t', '', 'G\0T', 'A'.repeat(5_000)])('%j is not read', async (method) => {
    const answer = await attack({ method, path: '/v1/chains' });
    expect([400, 405, 431, 501, 0]).toContain(answer.status);
  });

  it('HEAD has the status of GET and no body', async () => {
    for (const path of ['/v1/chains', `/v1/chains/${scene.ended}`, `/v1/chains/${scene.ended}/files/memo.txt`]) {
      const answer = await attack({ method: 'HEAD', path });
      expect([answer.status, answer.body]).toEqual([200, '']);
    }
    expect((await attack({ method: 'HEAD', path: '/v1/chains/missing' })).status).toBe(404);
  });

  it('HEAD of a stream leaves no stream open', async () => {
    for (let n = 0; n < 10; n++) await attack({ method: 'HEAD', path: `/v1/chains/${scene.waiting}/events` });
    await expect.poll(() => scene.countStreams()).toBe(0);
  });
});

describe('a body', () => {
  const start = (more: object = {}) => JSON.stringify({ agent: 'clerk', task: 'Answer.', ...more });

  it.each([
    ['no media type', []],
    ['text', [['content-type', 'text/plain']]],
    ['a form', [['content-type', 'application/x-www-form-urlencoded']]],
    ['a form with files', [['content-type', 'multipart/form-data; boundary=x']]],
    ['XML', [['content-type', 'application/xml']]],
    ['nearly JSON', [['content-type', 'application/jsonx']]],
    ['JSON as a parameter', [['content-type', 'text/plain; charset=application/json']]],
    ['two media types', [['content-type', 'text/plain, application/json']]],
    [
      'two headers',
      [
        ['content-type', 'text/plain'],
        ['content-type', 'application/json'],
      ],
    ],
  ] as const)('with %s is rejected: a page could send it', async (_, headers) => {
    expect((await post(start(), headers)).status).toBe(415);
  });

  it.each<readonly [string, string | Buffer]>([
    ['nothing', ''],
    ['half of JSON', '{"agent":"clerk","task":"An'],
    ['more than JSON', `${JSON.stringify({ agent: 'clerk', task: 'A.' })} {}`],
    ['a comment', '{"agent":"clerk",/**/"task":"Answer."}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"clerk"'],
    ['a number beyond all', '{"agent":"clerk","task":"Answer.","limits":{"steps":1e999}}'],
    ['NaN', '{"agent":"clerk","task":"Answer.","limits":{"steps":NaN}}'],
    ['a negative limit', '{"agent":"clerk","task":"Answer.","limits":{"costUsd":-1}}'],
    ['an object as a text', '{"agent":{"toString":"clerk"},"task":"Answer."}'],
    ['a list as a text', '{"agent":["clerk"],"task":"Answer."}'],
    ['an unknown member', '{"agent":"clerk","task":"Answer.","admin":true}'],
    ['a prototype', '{"agent":"clerk","task":"Answer.","__proto__":{"isAdmin":true}}'],
    ['a prototype in a list of texts', '{"agent":"clerk","task":"Answer.","limits":{"__proto__":{"steps":1}}}'],
    ['a constructor', '{"agent":"clerk","task":"Answer.","constructor":{"prototype":{"isAdmin":true}}}'],
    ['UTF-16', Buffer.from(JSON.stringify({ agent: 'clerk', task: 'A.' }), 'utf16le')],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('{"agent":"clerk","task":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ],
    ['a deep list', `{"agent":"clerk","task":"Answer.","plan":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
    ['a deep object', `{"agent":"clerk","task":"Answer.","plan":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
    ['60,000 items', `{"agent":"clerk","task":"Answer.","plan":{"a":[${Array(60_000).fill(1)}]}}`],
    ['a file that is no base64', '{"agent":"clerk","task":"Answer.","context":{"a":{"base64":"%%"}}}'],
    ['a thousand roles', JSON.stringify({ agent: 'clerk', task: 'A.', roles: Array(1_000).fill('x') })],
    [
      'a thousand unknown members',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`m${at}`, at]))),
    ],
  ])('with %s is rejected', async (_, body) => {
    const before = await countChains();
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'request_invalid' });
    // An answer is not much larger than what caused it.
    expect(answer.body.length).toBeLessThan(10_000);
    expect(({} as { readonly isAdmin?: true }).isAdmin).toBeUndefined();
    expect(await countChains()).toBe(before);
  });

  it('larger than the limit is rejected, in one piece or in many, and before it is read', async () => {
    const large = start({ context: 'a'.repeat(1_100_000) });
    expect((await post(large)).status).toBe(413);
    expect((await post('', [...json, ['content-length', '1000000000000']])).status).toBe(413);
    const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`;
    const chunked = await post(`${chunk.repeat(20)}0\r\n\r\n`, [...json, ['transfer-encoding', 'chunked']]);
    expect(chunked.status).toBe(413);
    const signal = JSON.stringify({ data: 'a'.repeat(300_000) });
    expect((await post(signal, json, `/v1/chains/${scene.waiting}/signals/paid`)).status).toBe(413);
  });

  it('with a signal that is longer than a chain takes is rejected as one', async () => {
    const signal = JSON.stringify({ data: 'a'.repeat(20_000) });
    const answer = await post(signal, json, `/v1/chains/${scene.waiting}/signals/paid`);
    expect(answer.status).toBe(409);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'command_rejected', rejection: 'too_long' });
  });

  it('in pieces is read as one', async () => {
    const text = start();
    const pieces = [text.slice(0, 5), text.slice(5)].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
    const answer = await post(`${pieces.join('')}0\r\n\r\n`, [...json, ['transfer-encoding', 'chunked']]);
    expect(answer.status).toBe(201);
  });

  const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
  it.each(['gzip', 'deflate', 'br', 'gzip, gzip', 'identity, gzip'])(
    'encoded with %s is not unpacked',
    async (encoding) => {
      expect((await post(bomb, [...json, ['content-encoding', encoding]])).status).toBe(415);
    },
  );

  it.each([
    ['a NUL', 'a\0b'],
    ['half of a pair', 'a\ud800b'],
    ['terminal codes', 'a\u001b[2Jb'],
    ['a change of direction', 'a\u202eb'],
  ])('with %s in its texts causes no fault', async (_, text) => {
    for (const body of [
      { agent: text, task: 'Answer.' },
      { agent: 'clerk', task: text },
      { agent: 'clerk', task: 'Answer.', user: text },
      { agent: 'clerk', task: 'Answer.', context: { [text]: text } },
      { agent: 'clerk', task: 'Answer.', dataClass: text },
    ]) {
      const answer = await post(JSON.stringify(body));
      expect([body, answer.status < 500]).toEqual([body, true]);
    }
    const steered = await post(JSON.stringify({ text, reason: text }), json, `/v1/chains/${scene.waiting}/messages`);
    expect(steered.status).toBeLessThan(500);
    const preferences = { progressSummary: true, thinking: true, externalCalls: true };
    const stored = await attack({
      ...{
        method: 'PUT',
        path: `/v1/preferences?user=${encodeURIComponent(text.replace('\ud800', '%'))}`,
        headers: json,
      },
      body: JSON.stringify({ ...preferences, internalCalls: true, finalReasoning: true }),
    });
    expect(stored.status).toBeLessThan(500);
    const created = await post(JSON.stringify({ name: text, scopes: ['read'] }), json, '/v1/keys');
    expect(created.status).toBeLessThan(500);
  });
});

describe('a query', () => {
  it.each([
    'limit=0',
    'limit=-1',
    'limit=1e9',
    'limit=1.5',
    'limit=NaN',
    'limit=Infinity',
    'limit=',
    'since=x',
    'status=RUNNING',
    'outcome=__proto__',
    'cursor=x',
    'cursor=eyJzdGF0dXMiOi0xfQ',
    `cursor=${'a'.repeat(2_001)}`,
    `cursor=${Buffer.from('{"__proto__":{"status":9}}').toString('base64url')}`,
    `cursor=${Buffer.from('[99,"x"]').toString('base64url')}`,
    `agent=${'a'.repeat(201)}`,
    'agent=',
  ])('with %s is rejected', async (query) => {
    for (const path of ['/v1/chains', '/v1/archive']) {
      if (query.startsWith('status') && path === '/v1/archive') continue;
      const answer = await attack({ path: `${path}?${query}` });
      expect([path, answer.status]).toEqual([path, 400]);
    }
  });

  const injections = [
    "' OR '1'='1",
    '" OR ""="',
    "acme' OR ExecutionStatus='Running' --",
    '\\',
    "\\'",
    '%',
    '_',
    '*',
    "'; drop table gateway_keys; --",
    '\0',
    '\u001b',
    'a AND b',
    '")) OR ((1=1',
    'NEAR(a b)',
    '"',
    '{}',
    '🪿',
  ];

  const lists = ['/v1/chains', '/v1/archive', '/v1/audit', '/v1/inbox', '/v1/keys'];
  const filters = ['agent', 'tenant', 'thread', 'root', 'text', 'user', 'person', 'tool', 'chainId', 'cursor'];

  it.each(injections)('with %j in a filter finds nothing of another tenant', async (text) => {
    const rival = await scene.createKey({ tenant: 'rival' });
    const value = encodeURIComponent(text);
    for (const [at, path] of lists.entries()) {
      // In the short form, each text in one filter of each list: all texts together are in all filters of all lists.
      const only = filters[(injections.indexOf(text) + at) % filters.length];
      for (const name of isLong ? filters : [only]) {
        const answer = await attack({ path: `${path}?${name}=${value}` }, rival);
        expect([path, name, answer.status < 500]).toEqual([path, name, true]);
        expect([path, name, answer.text.includes(canary), answer.text.includes(scene.ended)]).toEqual([
          ...[path, name, false, false],
        ]);
      }
    }
  });

  it('with a cursor of another list or another credential finds nothing of its tenant', async () => {
    const rival = await scene.createKey({ tenant: 'rival' });
    await scene.startWaiting();
    const cursors = [
      (await scene.owner.listChains({ limit: 1 })).cursor,
      (await scene.owner.searchChains({ limit: 1 })).cursor,
      (await scene.owner.queryAudit({ limit: 1 })).cursor,
      (await scene.owner.listKeys({ limit: 1 })).cursor,
    ].filter((cursor) => cursor !== null);
    expect(cursors.length).toBeGreaterThan(2);
    for (const cursor of cursors) {
      for (const path of ['/v1/chains', '/v1/archive', '/v1/audit', '/v1/keys']) {
        const answer = await attack({ path: `${path}?cursor=${encodeURIComponent(cursor)}` }, rival);
        expect([200, 400]).toContain(answer.status);
        expect(answer.text).not.toContain(canary);
        expect(answer.text).not.toContain(scene.ended);
      }
    }
  });

  it.each(['depth=-1', 'depth=11', 'from=0', 'to=x', `expand=${'1,'.repeat(6_000)}`, 'as=', 'as[]=developer'])(
    'with %s causes no fault in a view',
    async (query) => {
      const answer = await attack({ path: `/v1/chains/${scene.ended}?${query}` });
      expect(answer.status).toBeLessThan(500);
    },
  );
});

describe('a range', () => {
  it.each([
    'bytes=0-0,1-1,2-2',
    `bytes=${'0-,'.repeat(2_000)}0-`,
    'bytes=-0',
    'bytes=9-1',
    'bytes=99999999999999999999-',
    'bytes=0-99999999999999999999',
    'bytes=--1',
    'bytes=a-b',
    'bytes=',
    'items=0-1',
    'bytes=0-1\u00002',
  ])('%s gets at most the file once', async (range) => {
    const answer = await attack({ path: `/v1/chains/${scene.ended}/files/memo.txt`, headers: [['range', range]] });
    expect([200, 206, 400, 416]).toContain(answer.status);
    expect(answer.text.split(canary).length).toBeLessThanOrEqual(2);
  });
});

describe('after all of them', () => {
  it('no answer names a file, a stack, a host or a credential', async () => {
    expect(answers.length).toBeGreaterThan(budget(300, 1_000));
    const secret = scene.ownerKey.split('_').slice(2).join('_');
    const forbidden = [
      ...[/\n\s+at /, /node_modules/, /\/work\/|\/src\/|file:\/\//, /postgres(ql)?:\/\//, /relation "|syntax error at/],
      ...[/ECONNREFUSED|ENOENT/, /TypeError|ZodError/, /longhand\.\w+Error/],
      new RegExp(secret.replace(/[-_]/g, '.')),
    ];
    for (const { text, status } of answers) {
      if (status < 400) continue;
      for (const pattern of forbidden) expect(text.slice(0, 2_000)).not.toMatch(pattern);
    }
  });

  it('each error is a problem with a code', () => {
    for (const { status, headers, body, text } of answers) {
      // Node answers what it cannot parse, without a body.
      if (status < 400 || body === '' || body === '0\r\n\r\n') continue;
      expect([text.slice(0, 300), headers['content-type']]).toEqual([text.slice(0, 300), 'application/problem+json']);
      expect(JSON.parse(body)).toMatchObject({ status, code: expect.stringMatching(/^[a-z_]+$/) });
    }
  });

  it('no line of the log has a credential, and none is about a fault of the gateway', () => {
    const secret = scene.ownerKey.split('_').slice(2).join('_');
    expect(scene.log.lines.filter((line) => line.includes(secret) || line.includes(canary))).toEqual([]);
    expect(scene.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('the gateway answers, and the chains are as before', async () => {
    expect(await scene.connect().getReadiness()).toMatchObject({ status: 'ready' });
    expect((await scene.owner.listRequests({ chainId: scene.waiting })).items).toHaveLength(1);
    expect(await scene.owner.getResult({ chainId: scene.ended })).toMatchObject({ outcome: 'success' });
  });
});

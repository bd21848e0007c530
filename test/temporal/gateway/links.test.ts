/** Signed links: one person decides one version of one request once, and no fetch of the link decides anything. */

import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import type { ChainHandle, Longhand } from '../../../src/entries/client.js';
import { openStore } from '../../../src/entries/store.js';
import type { Identity } from '../../../src/gateway/identity/identity.js';
import { createLink } from '../../../src/gateway/links/create-link.js';
import { createLinkHandlers } from '../../../src/gateway/links/link-handlers.js';
import { createLinkKey, createLinkSigner, readLinkKeys } from '../../../src/gateway/links/link-token.js';
import { linkOperations } from '../../../src/http/operations/links.js';
import { type Agent, defineAgent, defineTool } from '../../../src/index.js';
import { createKeyStore } from '../../../src/store/keys/key-store.js';
import { type ChainTest, type ChainTestOptions, withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { deployer } from '../../support/deciding-agents.js';
import { withGateway } from '../../support/gateway.js';
import { createKey } from '../../support/gateway-keys.js';
import { mountForTest } from '../../support/mounted.js';
import { waitForRequests } from '../../support/people.js';
import { freshFile } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { note } from '../../support/tools.js';

const key = createLinkKey();
const [only] = readLinkKeys({ LONGHAND_LINK_KEYS: key });
const signer = createLinkSigner([only as NonNullable<typeof only>]);

const service: Identity = {
  ...{ id: 'key 1', by: 'gateway', tenant: 'acme', user: null, roles: null, scopes: new Set(['decide'] as const) },
  ...{ views: ['developer', 'auditor'], reach: 'all', requestsPerMinute: null },
};

/** The routes of links behind the checks of the gateway. */
const createApp = (longhand: Longhand, identity: Identity = service) =>
  mountForTest({
    operations: linkOperations,
    handlers: createLinkHandlers({ signer, publicUrl: 'https://agents.example.com/base/' }),
    longhand,
    identify: () => identity,
  });

type App = ReturnType<typeof createApp>;

const post = (app: App, path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  app.request(path, {
    method: 'POST',
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
const json = { accept: 'application/json' };
const readCode = async (response: Response) => ((await response.json()) as { readonly code?: string }).code;

const push = { calls: [{ name: 'git_push', input: { branch: 'main', token: 'hunter2-secret' } }] };
const payment = { calls: [{ name: 'pay', input: { cents: 500 } }] };
const done = { text: 'Done.' };

interface Scene extends ChainTest {
  readonly chain: ChainHandle;
  readonly app: App;
  /** Creates a link for call 1.1, and returns its path. */
  readonly link: (options?: Partial<Parameters<typeof createLink>[2]>) => Promise<string>;
}

/** A chain of the tenant acme whose call 1.1 waits for approval. */
function play(
  replies: NonNullable<ChainTestOptions['replies']>,
  body: (scene: Scene) => Promise<void>,
  { agent = deployer, user }: { readonly agent?: Agent; readonly user?: string } = {},
): Promise<void> {
  return withWorker({ agents: [agent], replies }, async (test) => {
    const { longhand } = test;
    const chain = await longhand.start(agent, 'Do it', { tenant: 'acme', ...(user === undefined ? {} : { user }) });
    await waitForRequests(longhand, chain.chainId, '1.1');
    const link: Scene['link'] = async (options = {}) => {
      const about = { call: '1.1', by: 'ana', roles: [], view: 'developer' };
      const source = await resolveChainSource(longhand.client, chain.chainId);
      return `/links/${(await createLink(source, signer, { ...about, ...options })).token}`;
    };
    await body({ ...test, chain, app: createApp(longhand), link });
  });
}

const readDecisions = async (chain: ChainHandle) =>
  (await chain.read()).steps.flatMap(({ calls }) =>
    calls.flatMap(({ requests = [] }) => requests.flatMap(({ decisions }) => decisions)),
  );

it('approves a call once: the second form, the other decision and a second tab decide nothing', async () => {
  await play([push, done], async ({ chain, app, link }) => {
    const [path, second] = [await link(), await link({ by: 'bob' })];
    const answer = await post(app, path, { decision: 'approve', reason: ' It is <due> ' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(await readDecisions(chain)).toMatchObject([
      { kind: 'approved', by: 'ana', roles: [], reason: 'It is <due>' },
    ]);
    for (const [where, decision] of [
      [path, 'approve'],
      [path, 'deny'],
      [second, 'deny'],
    ] as const) {
      const replayed = await post(app, where, { decision }, json);
      expect(replayed.status).toBe(409);
      expect(replayed.headers.get('content-type')).toBe('application/problem+json');
      expect(await readCode(replayed)).toBe('request_decided');
    }
    const page = await app.request(path);
    expect(page.status).toBe(409);
    expect(await page.text()).toContain('approved');
    expect(await readDecisions(chain)).toHaveLength(1);
  });
});

it('denies a call with a reason that the model sees', async () => {
  await play([push, done], async ({ chain, app, link, models }) => {
    const answer = await post(app, await link(), { decision: 'deny', reason: 'Not on Friday.' }, json);
    expect(await answer.json()).toEqual({ decision: 'deny', status: 'accepted' });
    await chain.result();
    expect(await readDecisions(chain)).toMatchObject([{ kind: 'denied', by: 'ana', reason: 'Not on Friday.' }]);
    expect(JSON.stringify(models.requests.at(-1)?.body)).toContain('Not on Friday.');
  });
});

it('of several forms that arrive at once, exactly one decides', async () => {
  await play([push, done], async ({ chain, app, link }) => {
    const path = await link();
    const decisions = ['approve', 'deny', 'approve', 'deny', 'approve', 'deny'];
    const answers = await Promise.all(decisions.map((decision) => post(app, path, { decision }, json)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    await chain.result();
    const [decision, ...others] = await readDecisions(chain);
    expect(others).toEqual([]);
    const winner = decisions[answers.findIndex(({ status }) => status === 200)];
    expect(decision?.kind).toBe(winner === 'approve' ? 'approved' : 'denied');
  });
});

it('shows the request masked and decides nothing when it is fetched, however often', async () => {
  await play([push, done], async ({ chain, app, link }) => {
    const path = await link();
    const fetched = await Promise.all(
      Array.from({ length: 20 }, (_, at) => app.request(path, { method: at % 4 === 0 ? 'HEAD' : 'GET' })),
    );
    expect(new Set(fetched.map(({ status }) => status))).toEqual(new Set([200]));
    const page = await (await app.request(`${path}?decision=approve`)).text();
    expect(page).toContain('Approve git_push?');
    expect(page).toContain('deployer');
    expect(page).toContain('Others get what is pushed.');
    expect(page).toContain('main');
    expect(page).toContain('Do it');
    expect(page).toContain('1 value is masked for your role.');
    expect(page).not.toContain('hunter2');
    expect(await readDecisions(chain)).toEqual([]);
    expect((await chain.listRequests()).map(({ call }) => call)).toEqual(['1.1']);
    // An end user sees a line of the call, not its arguments.
    const summary = await (await app.request(await link({ view: 'end_user' }))).text();
    expect(summary).not.toMatch(/hunter2|<dd>/);
    await chain.cancel();
    await chain.result();
    expect((await app.request(path)).status).toBe(409);
  });
});

it('is one vote of its person where several must approve, and needs a role that may decide', async () => {
  await play([payment, done], async ({ chain, app, link }) => {
    await expect(link()).rejects.toMatchObject({ code: 'invalid_options' });
    const of = (by: string) => link({ by, roles: ['treasury'] });
    const [ana, again, bob] = [await of('ana'), await of('ana'), await of('bob')];
    expect((await post(app, ana, { decision: 'approve' }, json)).status).toBe(200);
    expect(await readCode(await post(app, ana, { decision: 'deny' }, json))).toBe('link_used');
    expect(await readCode(await app.request(ana, { headers: json }))).toBe('link_used');
    // Another link of the same person is no second vote.
    expect(await readCode(await post(app, again, { decision: 'approve' }, json))).toBe('link_used');
    expect(await (await app.request(bob)).text()).toContain('1 of 2 have approved');
    expect((await post(app, bob, { decision: 'approve' }, json)).status).toBe(200);
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(await readDecisions(chain)).toMatchObject([
      { kind: 'approved', by: 'ana', roles: ['treasury'], partly: true },
      { kind: 'approved', by: 'bob' },
    ]);
  });
});

it('decides only the version of the request that it was created for', async () => {
  await play([payment, done], async ({ chain, app, link }) => {
    const path = await link({ by: 'ana', roles: ['treasury'] });
    await chain.approve('1.1', { by: 'bob', roles: ['treasury'], input: { cents: 900_000 } });
    expect(await readCode(await app.request(path, { headers: json }))).toBe('request_changed');
    expect(await readCode(await post(app, path, { decision: 'approve' }, json))).toBe('request_changed');
    expect((await readDecisions(chain)).map(({ by }) => by)).toEqual(['bob']);
    await chain.cancel();
    await chain.result();
  });
});

it('expires, also when its chain is gone or its id is used by another tenant', async () => {
  await play([push, done], async ({ chain, longhand, app, link }) => {
    const about = { call: '1.1', by: 'ana', roles: [], view: 'end_user', expires: '1m' } as const;
    const source = await resolveChainSource(longhand.client, chain.chainId);
    const old = (await createLink(source, signer, about, Date.now() - 61_000)).token;
    expect((await app.request(`/links/${old}`)).status).toBe(410);
    expect(await readCode(await post(app, `/links/${old}`, { decision: 'approve' }, json))).toBe('link_expired');
    const token = (await link()).slice('/links/'.length);
    const { id: _, ...signed } = signer.verify(token) as NonNullable<ReturnType<typeof signer.verify>>;
    for (const other of [{ tenant: 'other' }, { tenant: null }, { chainId: 'no-such-chain' }]) {
      const path = `/links/${signer.sign({ ...signed, ...other })}`;
      for (const answer of [await app.request(path), await post(app, path, { decision: 'approve' })]) {
        expect(answer.status).toBe(404);
        expect(await answer.text()).not.toContain(chain.chainId);
      }
    }
    // An earlier request of the same call.
    const earlier = `/links/${signer.sign({ ...signed, askedAt: signed.askedAt - 1 })}`;
    expect(await readCode(await post(app, earlier, { decision: 'approve' }, json))).toBe('request_changed');
    await expect(link({ expires: '31d' })).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(link({ view: 'auditor' })).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(link({ call: '9.9' })).rejects.toMatchObject({
      ...{ code: 'call_not_found', message: expect.stringContaining('Awaiting a decision: 1.1.') },
    });
    expect(await readDecisions(chain)).toEqual([]);
    await chain.cancel();
    await chain.result();
  });
});

it('is not found with any other character, and forms of other pages or other kinds are rejected', async () => {
  await play([push, done], async ({ chain, app, link }) => {
    const path = await link();
    const start = '/links/'.length;
    for (let at = start; at < path.length; at += 1) {
      const changed = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`;
      expect((await post(app, changed, { decision: 'approve' })).status, `at ${at}`).toBe(404);
    }
    expect((await app.request('/links/x')).status).toBe(404);
    const reject = async (status: number, form: Record<string, string>, headers: Record<string, string> = {}) =>
      expect((await post(app, path, form, headers)).status).toBe(status);
    await reject(403, { decision: 'approve' }, { 'sec-fetch-site': 'cross-site' });
    await reject(403, { decision: 'approve' }, { 'sec-fetch-site': 'same-site' });
    await reject(403, { decision: 'approve' }, { origin: 'https://evil.example' });
    await reject(400, { decision: 'approve' }, { 'content-type': 'application/json' });
    await reject(400, { decision: 'approve' }, { 'content-type': 'text/plain' });
    await reject(400, {});
    await reject(400, { decision: 'answer' });
    await reject(400, { decision: 'approve', reason: 'x'.repeat(1_001) });
    await reject(413, { decision: 'approve', reason: 'x'.repeat(100_000) });
    const both = await app.request(path, {
      method: 'POST',
      body: 'decision=deny&decision=approve',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(both.status).toBe(400);
    expect(await readDecisions(chain)).toEqual([]);
    // As a browser sends the form of a page without a referrer.
    const own = { origin: 'null', 'sec-fetch-site': 'same-origin' };
    await reject(200, { decision: 'deny', reason: '' }, own);
    await chain.result();
    expect((await readDecisions(chain))[0]?.reason).toBeNull();
  });
});

it('whose decision no worker has taken yet is stored once, and the first one counts', async () => {
  await play([push, done], async ({ chain, app, link, worker, startWorker }) => {
    const path = await link();
    await worker.stop();
    const first = await post(app, path, { decision: 'deny', reason: 'first' }, json);
    expect(await first.json()).toEqual({ decision: 'deny', status: 'sent' });
    const second = await post(app, path, { decision: 'approve' }, json);
    // Nothing has read the first one yet.
    expect([200, 409]).toContain(second.status);
    await startWorker();
    await chain.result();
    expect(await readDecisions(chain)).toMatchObject([{ kind: 'denied', reason: 'first' }]);
  });
});

it('is created over HTTP for the caller, or for a person whom a service names', async () => {
  await play([payment, done], async ({ chain, longhand }) => {
    const create = async (identity: Identity, body: object) => {
      const answer = await createApp(longhand, identity).request(`/v1/chains/${chain.chainId}/requests/1.1/links`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      const { url = '', code } = (await answer.json()) as { readonly url?: string; readonly code?: string };
      const token = url.slice('https://agents.example.com/base/links/'.length);
      return { status: answer.status, code, link: signer.verify(token) };
    };
    const ana: Identity = { ...service, by: 'ana', user: 'ana', roles: ['treasury', 'ops'], views: ['end_user'] };
    expect(await create(service, { by: 'eve', roles: ['treasury'], as: 'developer', expires: '2h' })).toMatchObject({
      status: 201,
      link: { by: 'eve', roles: ['treasury'], view: 'developer', tenant: 'acme', chainId: chain.chainId, call: '1.1' },
    });
    expect(await create(ana, {})).toMatchObject({ link: { by: 'ana', roles: ['treasury', 'ops'], view: 'end_user' } });
    expect(await create(ana, { roles: ['treasury'] })).toMatchObject({ link: { roles: ['treasury'] } });
    expect(await create(ana, { by: 'eve' })).toMatchObject({ status: 400, code: 'request_invalid' });
    expect(await create(ana, { roles: ['treasury', 'admin'] })).toMatchObject({ status: 400, code: 'request_invalid' });
    expect(await create(ana, { as: 'developer' })).toMatchObject({ status: 403, code: 'not_visible' });
    expect(await create(service, { as: 'auditor', roles: ['treasury'] })).toMatchObject({ status: 403 });
    expect(await create(service, { roles: [] })).toMatchObject({ status: 400, code: 'invalid_options' });
    expect(await create({ ...service, tenant: 'other' }, { roles: ['treasury'] })).toMatchObject({ status: 404 });
    expect(await create({ ...service, scopes: new Set(['read']) }, {})).toMatchObject({ code: 'scope_missing' });
    await chain.cancel();
    await chain.result();
  });
});

it('has the name of its person in commands: no second vote, and no decision of a request of their own', async () => {
  const ana: Identity = { ...service, by: 'Ana Silva', user: 'u-17', roles: ['treasury'], views: ['end_user'] };
  const createOwn = async (app: App, chain: ChainHandle) => {
    const answer = await app.request(`/v1/chains/${chain.chainId}/requests/1.1/links`, {
      ...{ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    });
    return new URL(((await answer.json()) as { readonly url: string }).url).pathname.slice('/base'.length);
  };
  await play([payment, done], async ({ chain, longhand }) => {
    const app = createApp(longhand, ana);
    const path = await createOwn(app, chain);
    await chain.approve('1.1', { by: 'u-17', roles: ['treasury'] });
    expect(await readCode(await post(app, path, { decision: 'approve' }, json))).toBe('link_used');
    expect((await readDecisions(chain)).map(({ by }) => by)).toEqual(['u-17']);
    await chain.cancel();
    await chain.result();
  });
  const decideOwn = async ({ chain, longhand }: Scene) => {
    const app = createApp(longhand, ana);
    const path = await createOwn(app, chain);
    expect(await readCode(await post(app, path, { decision: 'approve' }, json))).toBe('decision_rejected');
    expect(await readDecisions(chain)).toEqual([]);
    await chain.cancel();
    await chain.result();
  };
  const pay = defineTool({
    ...{ name: 'pay', description: 'Pays', inputSchema: z.object({ cents: z.number() }), effects: 'unsafe' },
    approval: { byRequester: false },
    execute: ({ cents }) => `paid ${cents}`,
  });
  const clerk = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [pay] });
  await play([payment, done], decideOwn, { agent: clerk, user: 'u-17' });
});

it('works through a whole gateway, whose log does not contain its token', async () => {
  process.env.LONGHAND_LINK_KEYS = key;
  await play([push, done], async ({ chain, longhand }) => {
    const logTo = { lines: [] as string[] };
    await withGateway({ longhand, logTo }, async ({ url }) => {
      const created = await fetch(`${url}/v1/chains/${chain.chainId}/requests/1.1/links`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ by: 'ana' }),
      });
      const link = (await created.json()) as { readonly url: string };
      expect(link.url.startsWith(`${url}/links/`)).toBe(true);
      const page = await fetch(link.url);
      expect([page.status, page.headers.get('content-security-policy')]).toEqual([
        200,
        expect.stringContaining("style-src 'sha256-"),
      ]);
      const send = () =>
        fetch(link.url, {
          method: 'POST',
          headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
          body: new URLSearchParams({ decision: 'approve', reason: '' }),
        });
      expect((await send()).status).toBe(200);
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      expect((await send()).status).toBe(409);
      expect(logTo.lines.join()).not.toContain(link.url.slice(-43));
    });
  });
});

it('ends when the API key that created it is revoked', async () => {
  process.env.LONGHAND_LINK_KEYS = key;
  const fresh = await freshFile();
  const store = await openStore(fresh.where);
  try {
    await play([push, done], async ({ chain, longhand }) => {
      await withGateway({ longhand, store, authentication: { keys: true } }, async ({ url, connect }) => {
        const create = async () => {
          const text = await createKey(store, { tenant: 'acme', scopes: ['decide'], user: null });
          const link = await connect(text).createLink({ chainId: chain.chainId, call: '1.1', by: 'ana' });
          return { id: text.split('_')[1] ?? '', link: link.url };
        };
        const [revoked, other] = [await create(), await create()];
        expect((await fetch(revoked.link)).status).toBe(200);
        const change = { who: { by: 'ops', roles: [] }, at: Date.now() };
        await createKeyStore(store, 'default').revoke(revoked.id, { tenant: null, user: null }, change);
        for (const method of ['GET', 'POST']) {
          const body = method === 'GET' ? null : new URLSearchParams({ decision: 'approve' });
          const answer = await fetch(revoked.link, { method, body, headers: json });
          expect([answer.status, await readCode(answer)]).toEqual([410, 'link_revoked']);
        }
        expect((await fetch(other.link)).status).toBe(200);
        expect(url).toBe(new URL(other.link).origin);
      });
      expect(await readDecisions(chain)).toEqual([]);
      await chain.cancel();
      await chain.result();
    });
  } finally {
    await store.close();
    await fresh.remove();
  }
});

it('is limited to some requests a minute, each link for itself', async () => {
  await play([push, done], async ({ chain, app, link }) => {
    const [path, other] = [await link(), await link()];
    for (let request = 0; request < 30; request += 1) expect((await app.request(path)).status).toBe(200);
    const limited = await post(app, path, { decision: 'approve' }, json);
    expect([limited.status, await readCode(limited)]).toEqual([429, 'too_many_requests']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readDecisions(chain)).toEqual([]);
    expect((await post(app, other, { decision: 'deny' }, json)).status).toBe(200);
    await chain.result();
  });
});

it('shows the problem of a request as a page in a browser, and as JSON to a program; the log names the link', async () => {
  process.env.LONGHAND_LINK_KEYS = key;
  const logTo = { lines: [] as string[] };
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  await play([push, done], async ({ chain, longhand, link }) => {
    await withGateway({ longhand, logTo }, async ({ url }) => {
      const path = await link();
      const send = (accept: string, reason = 'x'.repeat(100_000)) =>
        fetch(`${url}${path}`, {
          method: 'POST',
          headers: { accept },
          body: new URLSearchParams({ decision: 'deny', reason }),
        });
      const page = await send(browser);
      expect([page.status, page.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(await page.text()).toMatch(/<h1>.+<\/h1><p>.+<\/p>/);
      const problem = await send('*/*');
      expect([problem.status, await readCode(problem)]).toEqual([413, 'request_too_large']);
      const operation = await fetch(`${url}/v1/nowhere`, { headers: { accept: browser } });
      expect([operation.status, operation.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
      expect((await send(browser, 'Not today.')).status).toBe(200);
      await chain.result();
      const named = new RegExp(`"operation":"decideByLink","caller":"link \\S+","chainId":"${chain.chainId}"`);
      await vi.waitUntil(() => logTo.lines.some((line) => named.test(line)));
      expect(logTo.lines.join('\n')).not.toContain(path);
    });
  });
});

it('answers the question of a chain at a limit: continue with the proposed limit, or stop', async () => {
  const agent = defineAgent({
    name: 'counter',
    model: 'claude-sonnet-5-5',
    limits: { steps: 1 },
    onLimit: { roles: ['finance'] },
    tools: [note],
  });
  const noting = { calls: [{ name: 'note', input: { text: 'one' } }] };
  await withWorker({ agents: [agent], replies: [noting, done, noting] }, async ({ longhand }) => {
    const app = createApp(longhand);
    const ask = async () => {
      const chain = await longhand.start(agent, 'Count', { tenant: 'acme' });
      await vi.waitFor(async () => expect((await chain.read()).state.paused?.question).toBeDefined());
      const source = await resolveChainSource(longhand.client, chain.chainId);
      const request = { call: 'limit', by: 'ana', view: 'developer' };
      await expect(createLink(source, signer, { ...request, roles: ['dev'] })).rejects.toMatchObject({
        code: 'invalid_options',
        message: expect.stringContaining('finance'),
      });
      return { chain, path: `/links/${(await createLink(source, signer, { ...request, roles: ['finance'] })).token}` };
    };
    const { chain, path } = await ask();
    const page = await (await app.request(path)).text();
    expect(page).toContain('Continue with 1 step more?');
    expect(page).toContain('Max steps (1) reached.');
    expect((await chain.read()).state.paused?.question).toBeDefined();
    const answer = await post(app, path, { decision: 'approve' });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Continued')]);
    expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
    expect(await readCode(await post(app, path, { decision: 'deny' }, json))).toBe('chain_ended');
    const other = await ask();
    expect(await (await post(app, other.path, { decision: 'deny', reason: 'Enough' })).text()).toContain('Stopped');
    expect(await other.chain.result()).toMatchObject({ outcome: 'cancelled', reason: expect.stringContaining('ana') });
  });
});

it('is printed by longhand approve --link', async () => {
  await play([push, done], async ({ chain, app }) => {
    const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_LINK_KEYS: key };
    const approve = (args: readonly string[], more: Record<string, string> = env) =>
      longhandHere(['approve', chain.chainId, '--link', '--by', 'ana', ...args], more);
    const printed = await approve([
      '1.1',
      '--role',
      'ops',
      '--expires',
      '2h',
      '--gateway',
      'https://agents.example.com/x',
    ]);
    expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining('ana') });
    expect(printed.stdout).toMatch(/^https:\/\/agents\.example\.com\/x\/links\/[\w.-]+\n$/);
    expect(printed.stderr).not.toContain('LONGHAND_GATEWAY_URL');
    const asJson = await approve(['--json']);
    expect(asJson.stderr).toContain('LONGHAND_GATEWAY_URL');
    const withoutPerson = await longhandHere(['approve', chain.chainId, '--link'], env);
    expect(withoutPerson).toMatchObject({ code: 2, stderr: expect.stringContaining('--by') });
    const { url, by } = JSON.parse(asJson.stdout) as { readonly url: string; readonly by: string };
    expect([url, by]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:7700\/links\//), 'ana']);
    expect((await approve(['1.1'], { TEMPORAL_ADDRESS: getTemporalAddress() })).code).toBe(2);
    expect((await approve(['1.1', '--always'])).code).toBe(2);
    expect((await approve(['1.1', '--expires', '90d'])).code).not.toBe(0);
    expect(await readDecisions(chain)).toEqual([]);
    expect((await post(app, new URL(url).pathname, { decision: 'approve' })).status).toBe(200);
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(await readDecisions(chain)).toMatchObject([{ kind: 'approved', by: 'ana' }]);
  });
});

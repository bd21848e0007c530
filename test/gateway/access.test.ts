/** The access of callers: the address of the connection. */

import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createAccess } from '../../src/gateway/access.js';
import type { GatewayAuthentication } from '../../src/gateway/gateway-options.js';
import { localIdentity } from '../../src/gateway/identity/local.js';
import type { GatewayEnv } from '../../src/gateway/request/mount.js';
import { GatewayError } from '../../src/gateway/request/problems.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };

function createLocalApp(proxies: number, authentication: GatewayAuthentication = {}) {
  const common = { authentication, limits: {}, origins: [], store: null, namespace: 'default' };
  const { identify } = createAccess({ ...common, proxies, log });
  const app = new Hono<GatewayEnv>();
  app.get('/', async (c) => c.text((await identify(c)).id));
  app.onError((error, c) => c.text(error instanceof GatewayError ? error.code : String(error), 403));
  return async (remoteAddress: string | undefined, headers: Record<string, string> = {}) => {
    const env = remoteAddress === undefined ? undefined : { incoming: { socket: { remoteAddress } } };
    const sent = { headers: { host: 'localhost:7700', ...headers } };
    return (await app.request('http://localhost:7700/', sent, env)).text();
  };
}

it('serves this machine and no other, also for a request that names this machine', async () => {
  const send = createLocalApp(0);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(await send(address)).toBe('local');
  for (const address of ['203.0.113.9', '::ffff:10.0.0.7', '2001:db8::1'])
    expect(await send(address)).toBe('host_rejected');
});

it('serves no request whose other end the server does not pass, unless an option states that', async () => {
  expect(await createLocalApp(0)(undefined)).toBe('host_rejected');
  expect(await createLocalApp(1)(undefined, { 'x-forwarded-for': '127.0.0.1' })).toBe('host_rejected');
  expect(await createLocalApp(0, { allowUnknownPeer: true })(undefined)).toBe('local');
  // Also then: the host.
  expect(await createLocalApp(0, { allowUnknownPeer: true })(undefined, { host: 'evil.com' })).toBe('host_rejected');
});

it('reports once that wrong credentials are not limited, where the server does not pass addresses', async () => {
  const warnings: string[] = [];
  const common = { limits: {}, origins: [], proxies: 0, store: null, namespace: 'default' };
  const custom = async () => localIdentity;
  const warn = (sentence: string) => void warnings.push(sentence);
  const { identify } = createAccess({ ...common, authentication: { custom }, log: { ...log, warn } });
  const app = new Hono<GatewayEnv>().get('/', async (c) => c.text((await identify(c)).id));
  const env = { incoming: { socket: { remoteAddress: '203.0.113.9' } } };
  await app.request('http://localhost/', {}, env);
  expect(warnings).toEqual([]);
  for (let at = 0; at < 2; at++) expect(await (await app.request('http://localhost/')).text()).toBe('local');
  expect(warnings).toHaveLength(1);
});

it('takes no address of a header for that of the connection', async () => {
  for (const proxies of [0, 1, 2]) {
    const send = createLocalApp(proxies);
    for (const address of ['203.0.113.9', '127.0.0.1']) {
      expect(await send(address, { 'x-forwarded-for': '127.0.0.1' })).toBe('host_rejected');
      expect(await send(address, { forwarded: 'for=127.0.0.1' })).toBe('host_rejected');
    }
  }
});

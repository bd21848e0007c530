/** The client of `longhand/http` in Chromium, in a page of another origin than the gateway's. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as LonghandHttp from '../../../src/entries/http.js';
import { findBrowser } from '../../support/browser.js';
import { canary, useGatewayScene } from '../../support/gateway-scene.js';

const listed = 'http://app.localhost';
const scene = useGatewayScene({ origins: [listed] });

declare const longhandHttp: typeof LonghandHttp;

let browser: Browser;
let script = '';

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../../dist/src/entries/http.js', import.meta.url))],
    ...{ bundle: true, write: false, platform: 'browser', format: 'iife', globalName: 'longhandHttp' },
  });
  script = outputFiles[0]?.text ?? '';
  // The page has no address: the browser would ask whether it may reach this machine.
  const args = ['--no-sandbox', '--disable-features=LocalNetworkAccessChecks'];
  browser = await chromium.launch({ executablePath: findBrowser()!, args });
});
afterAll(() => browser?.close());

/** Opens a page of an origin, with the client as the global `longhandHttp`. */
async function openPage(origin: string): Promise<Page> {
  const page = await browser.newPage();
  await page.route(`${origin}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>App</title>' }));
  await page.goto(`${origin}/`);
  await page.addScriptTag({ content: script });
  return page;
}

it('starts a chain, follows it, decides its request, and continues after an event', async () => {
  const page = await openPage(listed);
  const read = await page.evaluate(
    async ({ url, key, task }) => {
      const client = longhandHttp.createHttpClient({ url, key });
      const { chainId } = await client.startChain({ agent: 'clerk', task });
      const first: string[] = [];
      let lastEventId = '';
      for await (const { id, event, data } of client.followChain({ chainId, as: 'developer' })) {
        first.push(event);
        lastEventId = id ?? lastEventId;
        if (data.type === 'step-changed' && data.step.kind === 'approval') break;
      }
      await client.decideRequest({ chainId, call: '1.1', decision: 'approve', by: 'ana' });
      const rest: string[] = [];
      for await (const { event } of client.followChain({ chainId, as: 'developer', lastEventId })) rest.push(event);
      const result = await client.getResult({ chainId, wait: 30 });
      const missing = await client.getChain({ chainId: 'missing' }).catch((error: { code: string }) => error.code);
      return { first, rest, result, missing };
    },
    { url: scene.url, key: scene.ownerKey, task: `PAY ${canary}` },
  );
  expect(read.first[0]).toBe('view-opened');
  expect(read.rest).not.toContain('view-opened');
  expect(read.rest.at(-1)).toBe('view-completed');
  expect(read.result).toMatchObject({ status: 'ended', outcome: 'success', answer: `${canary} is done.` });
  expect(read.missing).toBe('chain_not_found');
});

it('reads nothing in a page of an origin that is not listed', async () => {
  const page = await openPage('http://evil.localhost');
  const code = await page.evaluate(
    async ({ url, key }) => {
      const client = longhandHttp.createHttpClient({ url, key, retries: 0 });
      return client.listChains().then(
        () => 'read',
        (error: { code: string }) => error.code,
      );
    },
    { url: scene.url, key: scene.ownerKey },
  );
  expect(code).toBe('gateway_unreachable');
});

/**
 * The page of docs/chat.md in Chromium, with `useChat`, over a gateway: a whole agent with an approval, a reload in the middle,
 * a gateway that is restarted in the middle, and a second message.
 */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, createTokenChannel, type Longhand } from '../../../src/entries/client.js';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.js';
import { findBrowser } from '../../support/browser.js';
import { withWorker } from '../../support/chain-test.js';
import { answer, ask, book, lookUp, traveller } from '../../support/chat-agents.js';
import { bundleChatPage, chatHtml } from '../../support/chat-page.js';
import { getTemporalAddress } from '../../support/temporal.js';

let browser: Browser;
let script: string;

beforeAll(async () => {
  script = await bundleChatPage();
  browser = await chromium.launch({ executablePath: findBrowser()!, args: ['--no-sandbox'] });
});

afterAll(async () => {
  await browser?.close();
});

/** A server with the page and a gateway, which can be replaced. */
async function serve(longhand: Longhand) {
  const open = () => createGateway({ longhand, store: null });
  let gateway: Gateway = await open();
  const listener = getRequestListener(async (request, env) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/') return new Response(chatHtml, { headers: { 'content-type': 'text/html' } });
    if (pathname === '/page.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } });
    return gateway.fetch(request, env);
  });
  const start = async (port: number): Promise<Server> => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return server;
  };
  let server = await start(0);
  const { port } = server.address() as AddressInfo;
  const kill = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Breaks all connections, as a gateway that is killed, and starts another one. */
    restart: async () => {
      await kill();
      gateway = await open();
      server = await start(port);
    },
    kill,
  };
}

async function send(page: Page, text: string): Promise<void> {
  await page.locator('input[name=message]').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.LONGHAND_TEST_SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

it('useChat runs a whole agent, with approval, reload and resume', async () => {
  const tokens = createTokenChannel();
  const slow = {
    ...book,
    text: `${'I compare the trains of the day, one after the other. '.repeat(8)}`,
    chunkDelayMs: 150,
  };
  const last = {
    text: `${answer} ${'Enjoy the journey through the green hills of Burgundy. '.repeat(12)}`,
    chunkDelayMs: 150,
  };
  const replies = [lookUp, ask, slow, last, { text: 'You are welcome.' }];
  await withWorker({ agents: [traveller], replies, worker: { tokens } }, async ({ taskQueue, models }) => {
    const longhand = await connect({ address: getTemporalAddress(), taskQueue, tokens });
    const site = await serve(longhand);
    const page = await browser.newPage({ viewport: { width: 900, height: 1000 } });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(site.url);
    await send(page, 'Book the train to Paris.');

    await page.getByText('{"place":"Paris","celsius":21}').waitFor();
    await page.getByRole('button', { name: 'Friday' }).click();
    // In the middle of a reply.
    await page.getByText('I compare the trains').first().waitFor();
    await page.reload();
    await page.getByText('{"place":"Paris","celsius":21}').waitFor();
    await page.getByText('A ticket costs money.').waitFor();
    await shoot(page, 'approval');
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Booked TGV 6123.').waitFor();
    // Tokens of the answer, then a gateway that is killed.
    await page.getByText('Your train TGV 6123 to Paris').waitFor();
    await site.restart();
    await page.getByText('success').waitFor();
    expect(await page.getByText('Your train TGV 6123 to Paris').count()).toBe(1);
    expect(await page.locator('.call').count()).toBe(3);

    await send(page, 'Thanks.');
    await page.getByText('You are welcome.').waitFor();
    await shoot(page, 'end');
    await page.reload();
    await page.getByText('You are welcome.').waitFor();
    expect(await page.locator('section').count()).toBe(4);
    expect(problems).toEqual([]);
    expect(models.requests).toHaveLength(5);
    await page.close();
    await site.kill();
    await longhand.close();
  });
});

/**
 * Temporal's own Web UI in a real browser, on a server that stores only ciphertext: with the codec server it shows the task,
 * the calls and the answer of a chain, and other pages cannot decrypt them.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUiCodec } from '../../../src/cli/server/codec.js';
import { type DevServer, startDevServer } from '../../../src/cli/server/dev-server.js';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { findTemporalCli } from '../../../src/cli/server/temporal-cli.js';
import { searchAttributes } from '../../../src/contract/search-attributes.js';
import type { CodecServer } from '../../../src/encryption/codec-server.js';
import { resolveEncryption } from '../../../src/encryption/encryption.js';
import { connect, type MasterKeys } from '../../../src/entries/client.js';
import { anthropicProvider } from '../../../src/entries/models.js';
import { createWorkerWithBundle } from '../../../src/worker/open-worker.js';
import { findBrowser } from '../../support/browser.js';
import { createActor, playRoles } from '../../support/delegating.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { listTexts } from '../../support/raw-temporal.js';
import { getWorkflowBundlePath } from '../../support/temporal.js';

const encryption: MasterKeys = { current: 'k1', keys: { k1: { key: randomBytes(32).toString('base64') } } };
const clerk = createActor('clerk');
const chainId = 'tea-1';

let browser: Browser;
let server: DevServer;
let codec: CodecServer;
let stopWorker: () => Promise<void>;

beforeAll(async () => {
  const uiPort = await findFreePort();
  codec = await startUiCodec(resolveEncryption(encryption, {})!, uiPort, () => {});
  server = await startDevServer({ uiPort, uiCodecEndpoint: codec.url, searchAttributes });
  const models = await startMessagesServer(playRoles({ clerk: () => ({ text: 'Tea comes from canary-china.' }) }));
  const { address } = server;
  const made = await createWorkerWithBundle(
    { agents: [clerk], address, encryption, providers: [anthropicProvider({ baseURL: models.url, apiKey: 'test' })] },
    async () => ({ codePath: getWorkflowBundlePath() }),
  );
  const running = made.run();
  stopWorker = async () => {
    made.shutdown();
    await running;
    await models.close();
  };
  const longhand = await connect({ address, encryption });
  await (await longhand.start(clerk, 'Where does canary-tea come from?', { chainId })).result();
  await longhand.close();
  browser = await chromium.launch({ executablePath: findBrowser()!, args: ['--no-sandbox'] });
});

afterAll(async () => {
  await browser?.close();
  await stopWorker?.();
  await server?.stop();
  await codec?.close();
});

/** Opens the page of the chain on a host name. */
async function openPage(host: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1100 } });
  const base = server.uiUrl?.replace('127.0.0.1', host);
  await page.goto(`${base}/namespaces/default/workflows/${chainId}`);
  await page.getByText('clerk').first().waitFor();
  return page;
}

it('the Web UI shows encrypted content through the codec server', async () => {
  const page = await openPage('127.0.0.1');
  await page.getByText('canary-tea').first().waitFor();
  await page.getByText('canary-china').first().waitFor();
  const shot = process.env.LONGHAND_TEST_SCREENSHOT;
  if (shot) await page.screenshot({ path: shot });
  await page.close();
});

it('the codec server answers the page of the Web UI and no other page', async () => {
  const ask = async (page: Page, credentials: 'include' | 'omit') =>
    page.evaluate(
      async ([url, withThem]) => {
        const headers = { 'Content-Type': 'application/json', 'X-Namespace': 'default' };
        const body = '{"payloads":[]}';
        const response = fetch(`${url}/decode`, { method: 'POST', headers, body, credentials: withThem });
        return response.then(
          (answer) => answer.status,
          (error: Error) => error.name,
        );
      },
      [codec.url, credentials] as const,
    );
  const page = await openPage('localhost');
  expect([await ask(page, 'include'), await ask(page, 'omit')]).toEqual([200, 200]);
  await page.close();

  const others = createServer((_, response) => response.end('<title>others</title>')).listen(0, '127.0.0.1');
  await once(others, 'listening');
  const stranger = await browser.newPage();
  await stranger.goto(`http://127.0.0.1:${(others.address() as AddressInfo).port}/`);
  expect([await ask(stranger, 'include'), await ask(stranger, 'omit')]).toEqual(['TypeError', 'TypeError']);
  await stranger.close();
  others.close();
});

it('the command line of Temporal shows encrypted content through the codec server', async () => {
  const cli = (await findTemporalCli({ env: process.env }))?.path ?? '';
  const args = ['workflow', 'show', '--workflow-id', chainId, '--address', server.address, '--output', 'json'];
  const decoded = await run(cli, [...args, '--codec-endpoint', codec.url]);
  expect(decoded).toContain('canary-tea');
  expect(decoded).toContain('canary-china');
  expect(await run(cli, args)).not.toContain('canary');
});

async function run(file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, [...args], { maxBuffer: 10_000_000 });
  // In JSON, payloads are in base64, decoded or not.
  return listTexts(JSON.parse(stdout)).join('\n');
}

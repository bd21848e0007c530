/**
 * LiteLLM's own proxy, in front of the scripted models of both APIs, so that it translates between them as it does between
 * real ones. `node scripts/setup.mjs litellm` installs it.
 */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardScript } from '../../src/cli/server/dev-server-guard.js';
import { findFreePort, loopback } from '../../src/cli/server/ports.js';
import type { Json } from '../../src/index.js';

/** Its imports take most of a minute on a busy machine. */
const startTimeoutMs = 180_000;

/** Plain JavaScript without types. */
const { findLitellmPython } = (await import(new URL('../../scripts/litellm.mjs', import.meta.url).href)) as {
  readonly findLitellmPython: () => string | null;
};

/** The Python that has the proxy; null where it is not installed. */
export const litellmPython = findLitellmPython();

/** Follows the name of a suite: a skipped one states its reason. */
export const litellmLack =
  litellmPython === null ? ' (skipped: `node scripts/setup.mjs litellm` has not installed it)' : '';

export interface LitellmProxy {
  readonly url: string;
  /** The key that its requests need. */
  readonly masterKey: string;
  /** Addresses outside this machine that it tried to reach. */
  readonly outside: readonly string[];
  /** Returns all that it has printed. */
  readonly readLog: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the proxy and resolves when it answers. It also stops when this process ends in any way.
 *
 * @param config as in its configuration file; the master key is added
 */
export async function startLitellm(config: { readonly [member: string]: Json }): Promise<LitellmProxy> {
  if (litellmPython === null) throw new Error('LiteLLM is not installed. Run `node scripts/setup.mjs litellm`.');
  const folder = await mkdtemp(join(tmpdir(), 'longhand-litellm-'));
  const configFile = join(folder, 'config.yaml');
  const logFile = join(folder, 'log');
  const masterKey = `sk-${randomBytes(24).toString('hex')}`;
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify({ ...config, general_settings: { master_key: masterKey } }));
  const { outside, outsideUrl, closeOutside } = await watchOutside();
  const port = await findFreePort();
  const url = `http://${loopback}:${port}`;
  const args = ['-m', 'litellm.proxy.proxy_cli', '--config', configFile, '--host', loopback, '--port', String(port)];
  const log = openSync(logFile, 'a');
  const guard = spawn(process.execPath, ['-e', guardScript, '--', litellmPython, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    // Nothing of this process's environment: a key or an address in it would be used.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      HTTP_PROXY: outsideUrl,
      HTTPS_PROXY: outsideUrl,
      NO_PROXY: loopback,
    },
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  const stop = async () => {
    if (guard.connected) guard.disconnect();
    await ended;
    closeOutside();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilAlive(url, () => guard.exitCode !== null || guard.signalCode !== null);
  } catch (error) {
    const end = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-20).join('\n');
    await stop();
    throw new Error(`LiteLLM's proxy did not start: ${String(error)}. Its log ends with:\n${end}`);
  }
  return { url, masterKey, outside, readLog: () => readFile(logFile, 'utf8'), stop };
}

async function waitUntilAlive(url: string, hasEnded: () => boolean): Promise<void> {
  for (const deadline = Date.now() + startTimeoutMs; ; await sleep(100)) {
    const response = await fetch(`${url}/health/liveliness`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (hasEnded()) throw new Error('it ended');
    if (Date.now() > deadline) throw new Error(`no answer at ${url} after ${startTimeoutMs / 1000} s`);
  }
}

/** An HTTP proxy that connects to nothing, and records to where it should have. */
async function watchOutside() {
  const outside: string[] = [];
  const server = createServer((request, response) => {
    outside.push(String(request.url));
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    outside.push(String(request.url));
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const closeOutside = () => {
    server.close();
    server.closeAllConnections();
  };
  return { outside, closeOutside, outsideUrl: `http://${loopback}:${(server.address() as AddressInfo).port}` };
}

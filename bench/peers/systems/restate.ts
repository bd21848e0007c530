/** Restate: its server keeps the journal, and calls a service that is registered with it. */

import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GuardMessage, guardScript } from '../../../src/cli/server/dev-server-guard.js';
import { findFreePort, loopback } from '../../../src/cli/server/ports.js';
import { findNode, installPackages, placeService } from '../install.js';
import type { Peer, Places, RunningPeer } from '../peer.js';
import { startService } from '../service.js';

const startMs = 60_000;
const pollMs = 50;

export const restate: Peer = {
  title: 'Restate, hand-written loop',
  packages: 'restate',
  node: 24,
  counted: 'the service; the Restate server',
  measures: 'everything',
  record: 'entries of the journal',
  start,
};

async function start(places: Places): Promise<RunningPeer> {
  const folder = await installPackages('restate');
  const server = await startServer(folder, places);
  const servicePort = await findFreePort();
  const options = {
    module: await placeService(folder, 'restate'),
    places: { modelUrl: places.modelUrl, servicePort },
    node: await findNode(24),
    env: places.env,
  };
  let service = await startService(options);
  places.onStop(() => service.stop());
  await request(`${server.adminUrl}/deployments`, { uri: `http://${loopback}:${servicePort}` });
  const invocations = new Map<string, string>();
  const wait = async (id: string) => {
    const answer = await request(`${server.ingressUrl}/restate/invocation/${invocations.get(id)}/attach`);
    return typeof answer === 'string';
  };
  return {
    worker: () => service,
    servers: [server.pid],
    run: async (id, task) => {
      const { invocationId } = (await request(`${server.ingressUrl}/stock/take/send`, task, {
        'idempotency-key': id,
      })) as {
        invocationId: string;
      };
      invocations.set(id, invocationId);
      return wait(id);
    },
    countBytes: async (ids) => {
      const list = ids.map((id) => `'${invocations.get(id)}'`).join(',');
      const query = `select sum(octet_length(encode(raw, 'hex'))) / 2 as bytes from sys_journal where id in (${list})`;
      const { rows } = (await request(`${server.adminUrl}/query`, { query })) as { rows: [{ bytes: number }] };
      return rows[0].bytes;
    },
    restart: async () => {
      service = await startService(options);
    },
    resumption: { wait, getResumer: () => 'itself' },
  };
}

async function startServer(packages: string, { folder, onStop }: Places) {
  const [ingress, admin, node] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const config = join(folder, 'restate.toml');
  await writeFile(
    config,
    `base-dir = "${join(folder, 'restate')}"
bind-address = "${loopback}:${node}"
advertised-address = "http://${loopback}:${node}"
disable-telemetry = true
log-filter = "warn"

[ingress]
bind-address = "${loopback}:${ingress}"

[admin]
bind-address = "${loopback}:${admin}"
`,
  );
  const binary = join(packages, 'node_modules', '.bin', 'restate-server');
  const log = openSync(join(folder, 'restate.log'), 'a');
  // The guard stops the server when this process ends in any way.
  const guard = spawn(process.execPath, ['-e', guardScript, '--', binary, '--config-file', config], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  const ended = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  onStop(async () => {
    if (guard.connected) guard.disconnect();
    await ended;
  });
  const pid = await new Promise<number>((resolve, reject) => {
    guard.on('message', (message: GuardMessage) => {
      if ('pid' in message) resolve(message.pid);
      else reject(new Error(`The Restate server ended: ${message.failed}`));
    });
  });
  const [ingressUrl, adminUrl] = [`http://${loopback}:${ingress}`, `http://${loopback}:${admin}`];
  for (const url of [`${adminUrl}/health`, `${ingressUrl}/restate/health`]) await waitForHealth(url);
  return { pid, ingressUrl, adminUrl };
}

async function waitForHealth(url: string): Promise<void> {
  for (const deadline = Date.now() + startMs; ; await sleep(pollMs)) {
    const isHealthy = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    if (Date.now() > deadline) throw new Error(`${url} does not answer.`);
  }
}

/** A GET without a body, a POST with one. */
async function request(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

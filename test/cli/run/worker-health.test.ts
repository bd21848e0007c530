/** The health endpoint of a worker, by the states that a worker has. */

import { afterEach, expect, it } from 'vitest';
import { type HealthEndpoint, serveWorkerHealth } from '../../../src/cli/run/worker-health.js';
import type { LonghandWorker } from '../../../src/entries/worker.js';

type State = ReturnType<LonghandWorker['getState']>;

let endpoint: HealthEndpoint | null = null;
afterEach(() => endpoint?.close());

async function getStatus(path: string): Promise<number> {
  const response = await fetch(`${endpoint?.url}${path}`);
  await response.body?.cancel();
  return response.status;
}

it('a worker is healthy until it has failed or stopped, and ready only while it accepts work', async () => {
  let state: State = 'INITIALIZED';
  endpoint = await serveWorkerHealth('127.0.0.1:0', { getState: () => state });
  const seen: unknown[] = [];
  for (state of ['INITIALIZED', 'RUNNING', 'STOPPING', 'DRAINING', 'STOPPED', 'FAILED'] as const) {
    seen.push([state, await getStatus('/health'), await getStatus('/ready')]);
  }
  expect(seen).toEqual([
    ['INITIALIZED', 200, 503],
    ['RUNNING', 200, 200],
    ['STOPPING', 200, 503],
    ['DRAINING', 200, 503],
    ['STOPPED', 503, 503],
    ['FAILED', 503, 503],
  ]);
});

it('the endpoint has no other path, and reports the state as JSON', async () => {
  endpoint = await serveWorkerHealth('127.0.0.1:0', { getState: () => 'RUNNING' });
  expect(await getStatus('/')).toBe(404);
  const response = await fetch(`${endpoint.url}/health`);
  expect(await response.json()).toEqual({ state: 'running' });
});

it('an address that is invalid, or that another program has, is a usage error', async () => {
  const worker = { getState: () => 'RUNNING' as const };
  for (const address of ['7710', 'http://127.0.0.1:7710', '127.0.0.1:77100', '']) {
    await expect(serveWorkerHealth(address, worker)).rejects.toThrow('Invalid --health');
  }
  endpoint = await serveWorkerHealth('127.0.0.1:0', worker);
  await expect(serveWorkerHealth(new URL(endpoint.url).host, worker)).rejects.toThrow('the port is in use');
});

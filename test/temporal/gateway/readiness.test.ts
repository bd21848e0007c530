/** Whether a gateway is ready, and what it answers while Temporal does not. */

import { createServer, connect as openSocket, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createGateway } from '../../../src/gateway/create-gateway.js';
import { startGateway } from '../../support/gateway.js';
import { getTemporalAddress } from '../../support/temporal.js';

/** A port in front of Temporal's, which can be closed. */
async function openFront() {
  const [host, port] = getTemporalAddress().split(':');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = openSocket(Number(port), host);
    for (const each of [socket, behind]) {
      sockets.add(each);
      each.on('error', () => {});
      each.once('close', () => sockets.delete(each));
    }
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as { readonly port: number }).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

it('a probe that disconnects makes no gateway unready for others', async () => {
  const gateway = await createGateway({ connection: { address: getTemporalAddress() }, store: null });
  const probe = (signal?: AbortSignal) =>
    gateway.fetch(new Request('http://localhost/ready', signal === undefined ? {} : { signal }));
  const client = new AbortController();
  const left = probe(client.signal);
  // The check is under way.
  await new Promise(setImmediate);
  client.abort();
  const [answer] = await Promise.all([probe(), left]);
  expect(answer.status).toBe(200);
  await gateway.close();
});

it('without Temporal, a gateway is not ready, and a read is answered before its clients give up', async () => {
  const front = await openFront();
  const { url, server } = await startGateway({ connection: { address: front.address } });
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  await front.close();
  await expect.poll(async () => (await fetch(`${url}/ready`)).status, { timeout: 20_000 }).toBe(503);
  const answer = await fetch(`${url}/v1/chains`, { signal: AbortSignal.timeout(10_000) });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'server_unreachable']);
  await server.close();
});

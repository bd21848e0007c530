/** A connection that is closed while its calls wait for a retry. */

import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConnection } from '../../src/connection/open.js';
import { readConnectionSettings } from '../../src/connection/settings.js';

/** Answers the first call of a connection, and is UNAVAILABLE from then on. */
const server = createServer();
let answered = 0;
beforeAll(async () => {
  server.on('stream', (stream) => {
    const code = answered++ === 0 ? '0' : '14';
    stream.respond({ 'content-type': 'application/grpc', ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': code, 'grpc-message': 'try later' }));
    // An empty message.
    stream.end(code === '0' ? Buffer.alloc(5) : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('fails the calls, and throws nothing where no caller can catch it', async () => {
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = await openConnection(readConnectionSettings({ address }, {}));
  const calls = [1, 2, 3].map(() => connection.workflowService.getClusterInfo({}));
  const ends = Promise.allSettled(calls);
  await expect.poll(() => answered).toBeGreaterThanOrEqual(4);
  await connection.close();
  await expect(connection.workflowService.getClusterInfo({})).rejects.toMatchObject({
    details: 'The connection is closed.',
  });
  expect(await ends).toMatchObject(
    calls.map(() => ({ status: 'rejected', reason: { details: 'The connection is closed.' } })),
  );
});

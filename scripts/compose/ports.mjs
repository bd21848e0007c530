/** Free ports of the loopback address. */

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Resolves with a free port, from 20,000 to 31,999.
 *
 * Temporal stores the ports of its services as signed numbers of 16 bits. And below 32,768 no connection takes one by chance, as
 * long as its service is stopped.
 */
export async function findFreePort() {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new Error('This machine has no free TCP port from 20,000 to 31,999.');
}

function isFree(port) {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

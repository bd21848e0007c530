/** Free ports of the loopback address. */

import { createServer } from 'node:net';

/** Resolves with a port that the system does not assign again within the next seconds. */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

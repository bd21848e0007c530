/** Finds free TCP ports on the loopback address, where local servers listen. */

import { type AddressInfo, createServer } from 'node:net';
import { LonghandError } from '../../core/lib/errors.js';

export const loopback = '127.0.0.1';

/** Listens for a moment on `port`, or for 0 on a port that the system chooses. Resolves with the port; null if taken. */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen(port, loopback, () => {
      const { port: taken } = server.address() as AddressInfo;
      server.close(() => resolve(taken));
    });
  });
}

/** Returns a free port. The system does not assign it again within the next seconds. */
export async function findFreePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) {
    throw new LonghandError('server_not_started', 'This machine has no free TCP port. Stop a program that listens.');
  }
  return port;
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

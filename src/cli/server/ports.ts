/** Finds free TCP ports on the loopback address, where local servers listen. */

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LonghandError } from '../../core/lib/index.js';

export const loopback = '127.0.0.1';

/** Systems choose the local ports of connections from 32,768 or higher: a connection never takes a port below that by chance. */
const [firstPort, endPort] = [20_000, 32_000];
const attempts = 100;

/**
 * Returns a port that no program listens on.
 *
 * @throws LonghandError `server_not_started` if many ports are taken
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(firstPort, endPort);
    if (await isPortFree(port)) return port;
  }
  throw new LonghandError(
    'server_not_started',
    `Of ${attempts} TCP ports from ${firstPort} to ${endPort - 1}, none is free. Stop a program that listens.`,
  );
}

/** Listens on the port for a moment. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen(port, loopback, () => server.close(() => resolve(true)));
  });
}

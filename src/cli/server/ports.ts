/** TCP ports of this machine's loopback address, on which local servers listen. */

import { type AddressInfo, createServer } from 'node:net';

export const loopback = '127.0.0.1';

/** Listens for a moment: on `port`, or with 0 on one that the system chooses. Resolves with the port, null if taken. */
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

/** A port that nobody listens on. The system does not hand it out again within the next seconds. */
export async function findFreePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) throw new Error('This machine has no free TCP port left: stop some program that listens.');
  return port;
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

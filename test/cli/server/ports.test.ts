/** Free ports for servers that start in another process, some moments later. */

import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findFreePort, isPortFree, loopback } from '../../../src/cli/server/ports.js';

describe('a free port', () => {
  it('is below those that a system assigns to connections, which would take it before its server starts', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, findFreePort));
    expect(ports.filter((port) => port < 1_024 || port >= 32_768)).toEqual([]);
    expect(new Set(ports).size).toBeGreaterThan(40);
  });

  it('is not one that a program listens on', async () => {
    const port = await findFreePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, loopback, resolve));
    expect(await isPortFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isPortFree(port)).toBe(true);
  });
});

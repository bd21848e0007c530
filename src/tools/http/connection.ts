/**
 * One connection to one of the addresses that were checked. Nothing is pooled: each request, and each redirect, is checked and
 * connected by itself.
 */

import type { LookupFunction } from 'node:net';
import type { Client } from 'undici';
import { normalizeAddress } from './address-kind.js';
import type { CheckedUrl } from './check-url.js';
import { HttpFailure } from './failure.js';

export interface Connection {
  readonly client: Client;
  /** Whether the connection was made: from then on a part of the request may have reached the server. */
  readonly isOpen: () => boolean;
}

const maxHeaderBytes = 16_384;

/** @param addresses checked; the first that answers is used @param idleMs the longest time without a byte */
export async function openConnection(
  { url, host }: CheckedUrl,
  addresses: readonly string[],
  idleMs: number,
): Promise<Connection> {
  const { buildConnector, Client } = await loadUndici();
  let open = false;
  const connect = buildConnector({
    timeout: idleMs,
    // Also where NODE_TLS_REJECT_UNAUTHORIZED turns verification off.
    rejectUnauthorized: true,
    lookup: createPinnedLookup(addresses),
    autoSelectFamily: true,
  });
  const client = new Client(url.origin, {
    // Not the proxy of the environment: it would look the name up again.
    connect: (options, done) =>
      connect(options, (error, socket) => {
        if (error !== null) return done(error, null);
        if (!isPinned(socket.remoteAddress, addresses)) {
          socket.destroy();
          return done(new HttpFailure('address_not_allowed', `${host} was connected at another address.`), null);
        }
        open = true;
        done(null, socket);
      }),
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    maxHeaderSize: maxHeaderBytes,
    pipelining: 1,
  });
  return { client, isOpen: () => open };
}

/**
 * Loads undici with the first request. Loading it sets the dispatcher of the process, which Node's own `fetch` would then use for
 * all other requests, such as those to models; unless Node has set its own, which a look at its classes causes.
 */
function loadUndici(): Promise<typeof import('undici')> {
  Reflect.get(globalThis, 'Headers');
  return import('undici');
}

function createPinnedLookup(addresses: readonly string[]): LookupFunction {
  const results = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all }, done) => {
    const [first] = results;
    if (all === true) done(null, results);
    else if (first !== undefined) done(null, first.address, first.family);
  };
}

function isPinned(address: string | undefined, addresses: readonly string[]): boolean {
  const connected = address === undefined ? null : normalizeAddress(address);
  return connected !== null && addresses.some((pin) => normalizeAddress(pin) === connected);
}

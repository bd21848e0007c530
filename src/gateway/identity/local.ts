/**
 * The identity of all requests to a gateway without authentication, which serves this machine alone.
 *
 * 1. The other end of the connection must be this machine, however the gateway is served: a header is not proof of it, since
 *    its sender writes it. Where the server does not pass the other end, nothing is served without `allowUnknownPeer`.
 * 2. A request that a proxy forwarded is rejected: the other end is then the proxy, and its client may be any machine.
 * 3. Every page that a browser on this machine shows can send requests to loopback. So a request must name this machine as
 *    its host, which a page of another name cannot (DNS rebinding), and must not be sent by a page of another site.
 */

import { isLoopbackAddress, isLoopbackHost, isLoopbackOrigin } from '../../core/lib/index.js';
import { builtInRoles } from '../../core/model/index.js';
import { scopes } from '../../http/index.js';
import type { Identity } from './identity.js';

export const localIdentity: Identity = {
  id: 'local',
  by: 'local',
  tenant: null,
  user: null,
  roles: null,
  scopes: new Set(scopes),
  // The first is the usual one.
  views: ['developer', ...builtInRoles.filter((role) => role !== 'developer')],
  reach: 'all',
  requestsPerMinute: null,
  expiresAt: null,
};

export interface SourceRejection {
  readonly code: 'host_rejected' | 'origin_rejected';
  readonly message: string;
}

export interface LocalSourceOptions {
  /** The allow list of CORS: pages that may call the gateway from elsewhere. */
  readonly origins: readonly string[];
  /** Whether a request is accepted where the server does not pass the other end. */
  readonly allowUnknownPeer: boolean;
}

/** Headers of proxies that name the client. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/**
 * Checks the source of a request to a gateway without authentication; null if it is accepted.
 *
 * @param peer address of the other end of the connection; null if the server does not pass it
 */
export function checkLocalSource(
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  { origins, allowUnknownPeer }: LocalSourceOptions,
  peer: string | null,
): SourceRejection | null {
  if (peer === null && !allowUnknownPeer) return sourceRejections.unknownPeer;
  if (peer !== null && !isLoopbackAddress(peer)) return sourceRejections.peer;
  if (proxyHeaders.some((name) => headers.has(name))) return sourceRejections.proxy;
  // Requests that no network carried, as in a test of an application, have no such header.
  if (!isLoopbackHost(headers.get('host') ?? new URL(url).host)) return sourceRejections.host;
  const origin = headers.get('origin');
  if (origin !== null) return isLoopbackOrigin(origin) || origins.includes(origin) ? null : sourceRejections.origin;
  // Browsers omit the origin of images and scripts. A page cannot read them, and needs none.
  return headers.get('sec-fetch-site') === 'cross-site' ? sourceRejections.origin : null;
}

export const sourceRejections: {
  readonly [part in 'unknownPeer' | 'peer' | 'proxy' | 'host' | 'origin']: SourceRejection;
} = {
  unknownPeer: {
    code: 'host_rejected',
    message:
      'Without authentication, the gateway answers only to this machine, and the server does not pass the address of the client. Pass its environment, as in gateway.fetch(c.req.raw, c.env), require keys or tokens, or set authentication.allowUnknownPeer for a server that listens on loopback only.',
  },
  peer: {
    code: 'host_rejected',
    message:
      'Without authentication, the gateway answers only to this machine. Require keys or tokens for other machines.',
  },
  proxy: {
    code: 'host_rejected',
    message:
      'Without authentication, the gateway answers to no proxy: it cannot see the client. Require keys or tokens.',
  },
  host: {
    code: 'host_rejected',
    message:
      'Without authentication, the gateway answers only to names of this machine. Call it as localhost, or require keys.',
  },
  origin: {
    code: 'origin_rejected',
    message: 'A page of this origin may not call the gateway. Add the origin to its allow list.',
  },
};

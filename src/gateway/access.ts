/** The caller of a request, and whether the request may be sent now. */

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { LonghandError, toErrorMessage } from '../core/lib/index.js';
import { createKeyStore } from '../store/index.js';
import type { GatewayAuthentication, GatewayLimits, GatewayLog } from './gateway-options.js';
import { type Authenticate, createIdentify } from './identity/authenticate.js';
import { createAuthenticateAndLimit } from './identity/authenticate-and-limit.js';
import { createKeyAuthenticator } from './identity/authenticate-key.js';
import { findClientAddress } from './identity/client-address.js';
import type { Identity } from './identity/identity.js';
import { createTokenAuthenticator } from './identity/jwt/authenticate-token.js';
import { createRateLimits } from './identity/rate-limits.js';
import { createCredentialWatch } from './identity/watch-credential.js';
import type { GatewayServices } from './request/context.js';
import type { GatewayEnv } from './request/mount.js';
import { GatewayError } from './request/problems.js';

export interface AccessOptions extends Pick<GatewayServices, 'store' | 'namespace'> {
  readonly authentication: GatewayAuthentication;
  readonly limits: Pick<GatewayLimits, 'requestsPerMinute' | 'failuresPerMinute'>;
  /** As `parseOrigins` returns them. */
  readonly origins: readonly string[];
  readonly proxies: number;
  readonly log: GatewayLog;
}

export interface Access {
  /** Returns the identity of a request. @throws {GatewayError} for a request that is rejected */
  readonly identify: (c: Context<GatewayEnv>) => Promise<Identity>;
  /** Returns a signal that ends a stream, also when its credential is revoked or expires. */
  readonly watchStream: (request: Request, identity: Identity, closed: AbortSignal) => AbortSignal;
}

/** @throws {LonghandError} `store_missing` for keys without a store, `invalid_options` for an issuer */
export function createAccess(options: AccessOptions): Access {
  const { limits, origins, proxies, log } = options;
  const authenticators = listAuthenticators(options);
  const identify = authenticators.length === 0 ? null : createIdentify({ authenticators });
  const { allowUnknownPeer = false } = options.authentication;
  const admit = createAuthenticateAndLimit({ identify, limits: createRateLimits(limits), origins, allowUnknownPeer });
  // Without authentication there is no credential that could expire.
  const watchCredential = identify === null ? null : createCredentialWatch({ identify });
  let hasWarned = false;
  const warnOfUnknownAddress = () => {
    if (hasWarned) return;
    hasWarned = true;
    log.warn(
      'The server does not pass the addresses of clients, so wrong credentials are not limited. Pass its environment: gateway.fetch(request, env).',
    );
  };
  return {
    identify: async (c) => {
      const peer = findPeer(c);
      const address = findClientAddress(peer, c.req.raw, proxies);
      if (address === null && identify !== null) warnOfUnknownAddress();
      const admission = await admit(c.req.raw, address, peer);
      if (admission.kind === 'admitted') return admission.identity;
      const { code, message, headers, reason } = admission;
      if (reason !== null) log.warn(`A credential was rejected: ${reason}`, { address });
      throw new GatewayError(code, message, { headers });
    },
    watchStream: (request, identity, closed) =>
      watchCredential === null ? request.signal : watchCredential(request, identity, closed),
  };
}

function listAuthenticators({ authentication, store, namespace, log }: AccessOptions): readonly Authenticate[] {
  const { custom, keys = false, jwt = [] } = authentication;
  if (keys && store === null)
    throw new LonghandError(
      'store_missing',
      'API keys are in the store, and the gateway has none. Set LONGHAND_STORE.',
    );
  const onError = (error: unknown) => log.error(`The keys could not be read: ${toErrorMessage(error)}`);
  return [
    ...(custom === undefined ? [] : [custom]),
    ...(keys && store !== null ? [createKeyAuthenticator({ keys: createKeyStore(store, namespace), onError })] : []),
    ...(jwt.length === 0 ? [] : [createTokenAuthenticator({ issuers: jwt })]),
  ];
}

/** Returns the address of the other end; null if the server passes no environment, or is not Node's. */
function findPeer({ env }: Context<GatewayEnv>): string | null {
  const { incoming } = (env ?? {}) as Partial<HttpBindings>;
  return incoming?.socket.remoteAddress ?? null;
}

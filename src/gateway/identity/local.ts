/**
 * The identity of all requests to a gateway without authentication, which listens on loopback only.
 *
 * Every page that a browser on this machine shows can send requests to loopback. So a request must name this machine as its
 * host, which a page of another name cannot (DNS rebinding), and must not be sent by a page of another site.
 */

import { scopes } from '../../http/operation.js';
import type { Identity } from './identity.js';
import { isLoopbackHost, isLoopbackOrigin } from './loopback.js';

export const localIdentity: Identity = {
  id: 'local',
  by: 'local',
  tenant: null,
  user: null,
  roles: null,
  scopes: new Set(scopes),
  views: ['developer', 'end_user', 'auditor'],
  reach: 'all',
  requestsPerMinute: null,
};

export interface SourceRejection {
  readonly code: 'host_rejected' | 'origin_rejected';
  readonly message: string;
}

/**
 * Checks the host and the origin of a request to a gateway without authentication; null where both are accepted.
 *
 * @param origins the allow list of CORS: pages that may call the gateway from elsewhere
 */
export function checkLocalSource(
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  origins: readonly string[],
): SourceRejection | null {
  // Requests that no network carried, as in a test of an application, have no such header.
  if (!isLoopbackHost(headers.get('host') ?? new URL(url).host)) return sourceRejections.host;
  const origin = headers.get('origin');
  if (origin !== null) return isLoopbackOrigin(origin) || origins.includes(origin) ? null : sourceRejections.origin;
  // Browsers omit the origin of images and scripts. A page cannot read them, and needs none.
  return headers.get('sec-fetch-site') === 'cross-site' ? sourceRejections.origin : null;
}

export const sourceRejections: { readonly [part in 'host' | 'origin']: SourceRejection } = {
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

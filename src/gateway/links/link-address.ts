/** The addresses of links: that of the gateway for people, the path below which it is mounted, and the token. */

import { LonghandError } from '../../core/lib/index.js';

/** Returns the address of a gateway, as `URL` writes it; null for a text that is no such address. */
export function parseGatewayUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.search === '' && url.hash === '' && url.username === '' && url.password === '' ? url.href : null;
}

export interface GatewayAddress {
  readonly publicUrl: string | undefined;
  /** Empty, or with a slash at its beginning and none at its end. */
  readonly basePath: string;
}

/** @throws {LonghandError} `invalid_options` */
export function parseGatewayAddress(options: {
  readonly publicUrl?: string | undefined;
  readonly basePath?: string | undefined;
}): GatewayAddress {
  const publicUrl = options.publicUrl === undefined ? undefined : parseGatewayUrl(options.publicUrl);
  if (publicUrl === null)
    throw new LonghandError(
      'invalid_options',
      `Invalid publicUrl ${JSON.stringify(options.publicUrl)}: expected an address such as https://agents.example.com.`,
    );
  return { publicUrl, basePath: parseBasePath(options.basePath ?? '') };
}

function parseBasePath(text: string): string {
  const path = text.replace(/^\/*(?=[^/])/, '/').replace(/\/+$/, '');
  // No patterns of the router, and nothing that a URL would change.
  if (/^(?:\/[\w.~-]+)*$/.test(path) && new URL(`http://localhost${path}`).pathname === (path || '/')) return path;
  throw new LonghandError(
    'invalid_options',
    `Invalid basePath ${JSON.stringify(text)}: expected a path such as /agents.`,
  );
}

/** @param gateway its address, with the path below which it is mounted */
export function formatLinkUrl(gateway: string, token: string): string {
  return `${gateway.replace(/\/+$/, '')}/links/${token}`;
}

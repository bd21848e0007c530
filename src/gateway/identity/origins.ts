/** The allow list of origins for pages of browsers (CORS). */

import { LonghandError } from '../../core/lib/errors.js';

/**
 * Parses the allow list: exact origins, as browsers send them.
 *
 * @throws {LonghandError} `invalid_options` for a pattern, and for a URL with a path
 */
export function parseOrigins(origins: readonly string[]): readonly string[] {
  return origins.map((origin) => {
    const normal = origin.toLowerCase();
    if (originPattern.test(normal)) return removeDefaultPort(normal);
    const fix = origin.includes('*')
      ? 'List each origin: patterns are not supported.'
      : 'Omit the path and the last slash.';
    throw new LonghandError(
      'invalid_options',
      `Invalid origin ${JSON.stringify(origin)}: expected the form https://app.acme.com or http://localhost:3000. ${fix}`,
    );
  });
}

/** Any scheme: apps on phones have their own, such as `capacitor://localhost`. */
const originPattern = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/** Browsers omit the port of the scheme. */
function removeDefaultPort(origin: string): string {
  return origin.replace(/^(https:.*):443$/, '$1').replace(/^(http:.*):80$/, '$1');
}

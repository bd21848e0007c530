/**
 * The address of a client behind proxies.
 *
 * A client can send `x-forwarded-for` itself; each proxy appends the address that called it. Only the last
 * `proxies` entries are trusted.
 */

/** Most entries that are read: more than any row of proxies. */
const maxProxies = 10;

/**
 * @param peer address of the other end of the connection; null if the runtime does not name it
 * @param proxies number of proxies in front of the gateway that append to the header
 */
export function findClientAddress(
  peer: string | null,
  { headers }: Pick<Request, 'headers'>,
  proxies: number,
): string | null {
  const forwarded = headers.get('x-forwarded-for');
  if (proxies <= 0 || forwarded === null) return peer;
  const entries = forwarded.split(',').slice(-Math.min(proxies, maxProxies));
  const [client = ''] = entries;
  return addressPattern.exec(client.trim())?.[1]?.toLowerCase() ?? peer;
}

/** `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`. */
const addressPattern = /^\[?((?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{0,4}(?::[0-9a-f.]{0,15}){2,8})\]?(?::\d{1,5})?$/i;

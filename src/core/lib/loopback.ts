/** Names and addresses of this machine alone. Strict: a name that only resembles one is of another machine. */

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** `localhost` and its sub-domains, which browsers resolve to this machine (RFC 6761); 127.0.0.0/8; `[::1]`. */
const loopbackPattern = new RegExp(`^(?:(?:[a-z0-9-]+\\.)*localhost|127(?:\\.${byte}){3}|\\[::1\\])$`, 'i');

/** @param hostname as in a URL: an IPv6 address has brackets */
export function isLoopbackName(hostname: string): boolean {
  return loopbackPattern.test(hostname);
}

/** @param host of the header `host`: with or without a port */
export function isLoopbackHost(host: string): boolean {
  const [, hostname] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  return hostname !== undefined && isLoopbackName(hostname);
}

/** @param origin of the header `origin`: `http://localhost:3000` */
export function isLoopbackOrigin(origin: string): boolean {
  const [, host] = /^https?:\/\/([^/?#@\\\s]+)$/i.exec(origin) ?? [];
  return host !== undefined && isLoopbackHost(host);
}

/** @param address of a socket: `127.0.0.1`, `::1`, or `::ffff:127.0.0.1` on a socket for both versions of IP */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || mappedLoopbackPattern.test(address);
}

const mappedLoopbackPattern = new RegExp(`^(?:::ffff:)?127(?:\\.${byte}){3}$`, 'i');

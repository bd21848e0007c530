/** What follows a redirect: the next request, with less than the one before. */

import { HttpFailure } from './failure.js';

export interface RequestParts {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Headers that are sent to another origin, too: all others may identify the user or contain a secret. */
const plainHeaders: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

/** Headers that describe a body. */
const bodyHeaders: ReadonlySet<string> = new Set(['content-type', 'content-language', 'content-encoding']);

/** Returns whether a status is a redirect that is followed. 300 and 304 have no target. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * Returns the next request. 303, and 301 and 302 after POST, are followed by GET without the body, as browsers do; 307 and 308
 * by the same request.
 *
 * @throws {HttpFailure} from https to http, or a body to another origin
 */
export function toRedirected(parts: RequestParts, status: number, from: URL, to: URL): RequestParts {
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new HttpFailure(
      'redirect_not_followed',
      `The redirect from https to http://${to.host} was not followed.`,
      true,
    );
  }
  const isSafe = parts.method === 'GET' || parts.method === 'HEAD';
  const becomesGet = !isSafe && (status === 303 || ((status === 301 || status === 302) && parts.method === 'POST'));
  const next = becomesGet ? { method: 'GET', headers: without(parts.headers, bodyHeaders), body: null } : parts;
  if (from.origin === to.origin) return next;
  if (!becomesGet && !isSafe) {
    const message = `The redirect of a ${parts.method} request to ${to.origin} was not followed: it is another origin.`;
    throw new HttpFailure('redirect_not_followed', message, true);
  }
  const headers = Object.entries(next.headers).filter(([name]) => plainHeaders.has(name));
  return { ...next, headers: Object.fromEntries(headers) };
}

function without(headers: RequestParts['headers'], names: ReadonlySet<string>): RequestParts['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name)));
}

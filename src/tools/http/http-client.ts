/**
 * The HTTP client of all tools: it requests only hosts that are allowed and addresses that are public, follows redirects by
 * the same rules, and limits size and time.
 *
 * H1 Each hop is checked: its URL by the rules, then all addresses of its host. The connection is made to a checked address.
 * H2 No header, body or secret of a request reaches another origin.
 * H3 A response has a limit of bytes, decompressed too, of total time and of time without a byte.
 */

import { acceptedEncodings } from './body.js';
import { checkUrl } from './check-url.js';
import { atHop, sendOnce } from './exchange.js';
import { HttpFailure } from './failure.js';
import type { HttpClientOptions, HttpRequest, HttpResponse } from './messages.js';
import { isRedirect, type RequestParts, toRedirected } from './redirect.js';

export interface HttpClient {
  /** @throws {HttpFailure} @throws the reason of the request's signal */
  readonly send: (request: HttpRequest) => Promise<HttpResponse>;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  return {
    send: async (request) => {
      const deadline = AbortSignal.any([request.signal, AbortSignal.timeout(options.timeoutMs)]);
      const { body = null, method, headers } = request;
      let parts: RequestParts = { method, headers: { ...headers, 'accept-encoding': acceptedEncodings }, body };
      let { url } = request;
      for (let redirects = 0; ; redirects++) {
        const hop = { request, options, deadline, isFirst: redirects === 0 };
        const target = await atHop(hop, async () => checkUrl(url, options.rules));
        const answer = await sendOnce(hop, target, parts);
        const { location } = answer.headers;
        if (request.followRedirects === false || !isRedirect(answer.status) || location === undefined) return answer;
        answer.close();
        if (redirects === options.maxRedirects) {
          const message = `The request was redirected more than ${options.maxRedirects} times.`;
          throw new HttpFailure('redirect_not_followed', message, true);
        }
        const next = await atHop({ ...hop, isFirst: false }, async () =>
          resolveLocation(location, target.url, options),
        );
        parts = toRedirected(parts, answer.status, target.url, next);
        url = next.href;
      }
    },
  };
}

/** A relative location is resolved; an absolute one is checked as it is written. */
function resolveLocation(location: string, base: URL, { rules }: HttpClientOptions): URL {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return checkUrl(location, rules).url;
  if (!URL.canParse(location, base.href)) throw new HttpFailure('url_invalid', 'Its target is not a valid URL.');
  return new URL(location, base.href);
}

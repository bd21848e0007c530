/**
 * Requests that a page of another site makes a browser send.
 *
 * A browser adds cookies to them, so an application that authenticates by its session would act for another site
 * (CSRF). The header `authorization` is not added by browsers: requests with it need no such check.
 */

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @param origins the allow list of CORS */
export function isCrossSite(
  { method, headers, url }: Pick<Request, 'method' | 'headers' | 'url'>,
  origins: readonly string[],
): boolean {
  if (safeMethods.has(method)) return false;
  const site = headers.get('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return false;
  const origin = headers.get('origin');
  // A program that is not a browser sends neither header.
  if (origin === null) return site !== null;
  if (origins.includes(origin)) return false;
  return !URL.canParse(origin) || new URL(origin).host !== (headers.get('host') ?? new URL(url).host).toLowerCase();
}

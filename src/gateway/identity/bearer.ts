/** The credential of a request: the token of `Authorization: Bearer …`. No other place is read, least of all the URL. */

/** Largest token: a longer one is rejected before any work. */
const maxTokenLength = 16_384;

/** Returns the token; null without one. A token may have any visible ASCII characters. */
export function readBearer({ headers }: Pick<Request, 'headers'>): string | null {
  const header = headers.get('authorization');
  if (header === null || header.length > maxTokenLength + 16) return null;
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}

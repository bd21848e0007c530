/** Bytes as a response that answers ranges (RFC 9110). One range: a request of several gets the whole. */

/** Content of tools and people: a browser saves it, and never runs it in the gateway's origin. */
const contentHeaders = {
  'accept-ranges': 'bytes',
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

export interface NamedContent {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export function toContentResponse(request: Request, { name, mediaType, bytes }: NamedContent): Response {
  const headers = {
    ...contentHeaders,
    'content-type': isMediaType(mediaType) ? mediaType : 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
  };
  const range = parseRange(request.headers.get('range'), bytes.byteLength);
  if (range === 'whole') return createResponse(bytes, { status: 200, headers });
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes.byteLength}` } });
  const [first, last] = range;
  return createResponse(bytes.subarray(first, last + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${first}-${last}/${bytes.byteLength}` },
  });
}

function createResponse(
  bytes: Uint8Array,
  init: { readonly status: number; readonly headers: Record<string, string> },
) {
  const headers = { ...init.headers, 'content-length': String(bytes.byteLength) };
  return new Response(new Uint8Array(bytes), { status: init.status, headers });
}

/** Returns the first and the last byte. A malformed range is ignored. */
function parseRange(
  header: string | null,
  size: number,
): readonly [first: number, last: number] | 'whole' | 'unsatisfiable' {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : [size - length, size - 1];
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return 'whole';
  return first >= size ? 'unsatisfiable' : [first, last];
}

/** A tool states the media type: no character of it may end the header. */
function isMediaType(text: string): boolean {
  return /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(; ?charset=[\w-]{1,40})?$/.test(text);
}

function encodeName(name: string): string {
  const wellFormed = name.replace(/[\uD800-\uDFFF]/gu, '_');
  return encodeURIComponent(wellFormed).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

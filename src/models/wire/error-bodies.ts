/** Bodies of HTTP errors, before an SDK reads them: the SDKs have no limit, and that for Chat Completions reads one shape. */

import { isObject } from '../../core/lib/index.js';

/** Bytes that are read of an error's body. Its message is clipped to far fewer. */
const maxErrorBytes = 100_000;

type Fetch = typeof globalThis.fetch;

/** Wraps `fetch` to read only the beginning of an error's body (L7). */
export function limitErrorBodies(inner: Fetch): Fetch {
  return mapErrorBodies(inner, (text) => text);
}

/** The same, and returns bodies as `{ error: body }`, unless they have that shape: the SDK keeps only that member. */
export function wrapErrorBodies(inner: Fetch): Fetch {
  return mapErrorBodies(inner, wrapBody);
}

function mapErrorBodies(inner: Fetch, map: (text: string) => string): Fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (response.ok) return response;
    const text = await readStart(response);
    const { status, statusText, headers } = response;
    return new Response(text === '' ? null : map(text), { status, statusText, headers });
  };
}

/** A body that cannot be read does not hide its status. */
async function readStart({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body ?? []) {
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes >= maxErrorBytes) break;
    }
  } catch {
    // What was read before is enough.
  }
  return Buffer.concat(pieces).subarray(0, maxErrorBytes).toString('utf8');
}

function wrapBody(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && isObject(body.error) ? text : JSON.stringify({ error: body });
  } catch {
    return text;
  }
}

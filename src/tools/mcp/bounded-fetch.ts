/** `fetch` for the official client, which itself reads responses of any size, and waits on after a stream broke. */

import { toErrorMessage } from '../../core/lib/index.js';

interface BoundedFetchOptions {
  /** The server's own origin, and others that it may name: those of its authorization server. */
  readonly origin: string;
  readonly otherOrigins: readonly string[];
  /** Names of headers that only the server itself gets. */
  readonly ownHeaders: readonly string[];
  /** Bytes of a response, or of one event of a stream. */
  readonly maxBytes: number;
  /** The stream with the response to a request broke: no response will follow. */
  readonly onBroken: (why: string) => void;
  /** The stream of notifications broke: some may be lost. */
  readonly onMissed: () => void;
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function createBoundedFetch(options: BoundedFetchOptions): Fetch {
  const { maxBytes, onBroken, onMissed } = options;
  return async (url, init) => {
    const response = await fetch(url, limitToOrigins(url, init, options));
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    // The client reads any other body whole.
    const isStream = status === 200 && type.trim().toLowerCase() === 'text/event-stream';
    const onError = (why: string) => {
      if (init?.signal?.aborted) return;
      if (init?.method === 'GET') onMissed();
      else if (isStream) onBroken(why);
    };
    return new Response(boundBody(body, { maxBytes, isStream, onError }), { status, statusText, headers });
  };
}

/** A server names the addresses of its authorization. It must not choose what this worker requests, or who gets its credentials. */
function limitToOrigins(
  url: string | URL,
  init: RequestInit | undefined,
  { origin, otherOrigins, ownHeaders }: BoundedFetchOptions,
): RequestInit | undefined {
  const requested = new URL(url).origin;
  if (requested === origin) return init;
  if (!otherOrigins.includes(requested))
    throw new Error(`The server names ${requested}, which is neither its origin nor that of \`auth.issuer\``);
  const headers = new Headers(init?.headers);
  for (const name of ownHeaders) headers.delete(name);
  return { ...init, headers };
}

interface BodyBounds {
  readonly maxBytes: number;
  readonly isStream: boolean;
  readonly onError: (why: string) => void;
}

function boundBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, isStream, onError }: BodyBounds,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        // A closed stream accepts nothing.
        if (isCancelled) return;
        if (done) return controller.close();
        bytes += value.length;
        if (bytes > maxBytes) throw new Error(`A response has more than ${maxBytes} bytes`);
        // Streams are open for hours: the limit is of each event.
        if (isStream) bytes = countAfterLastEvent(value) ?? bytes;
        controller.enqueue(value);
      } catch (error) {
        onError(toErrorMessage(error));
        controller.error(error);
        await reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => {
      isCancelled = true;
      return reader.cancel(reason);
    },
  });
}

/** Bytes after the last empty line; null if it has no empty line. An event whose empty line is split counts on, up to the limit. */
function countAfterLastEvent(chunk: Uint8Array): number | null {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const at = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
  return at < 0 ? null : chunk.length - at;
}

/** Reads the body of a request, up to a limit. It is never collected beyond it, also where the request states a smaller length. */

import { GatewayError } from './problems.js';

/**
 * @throws {GatewayError} `request_too_large`, `media_type_unsupported` for a content encoding, `request_invalid` for no UTF-8, and
 * where the body is cut
 */
export async function readBodyText({ headers, body }: Request, maxBytes: number): Promise<string> {
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new GatewayError('media_type_unsupported', 'Send the body without a content encoding.');
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw createTooLarge(maxBytes);
  if (body === null) return '';
  const decode = createDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of readChunks(body)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw createTooLarge(maxBytes);
    parts.push(decode(chunk));
  }
  parts.push(decode());
  return parts.join('');
}

/** A client that disconnects within its body is no fault of the gateway. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body as unknown as AsyncIterable<Uint8Array>;
  } catch {
    throw new GatewayError('request_invalid', 'The connection was lost within the body.');
  }
}

function createDecoder(): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new GatewayError('request_invalid', 'The body is not valid UTF-8.');
    }
  };
}

/** The rest of the body is not read: the connection cannot be used again. */
function createTooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The body of a request has at most ${maxBytes} bytes.`, {
    headers: { connection: 'close' },
  });
}

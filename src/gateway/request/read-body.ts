/** Reads the body of a request, up to a limit. It is never collected beyond it, also where the request states a smaller length. */

import { formatCount } from '../../core/lib/index.js';
import { GatewayError } from './problems.js';

/**
 * @param inspect receives each part of the body as it arrives; what it throws ends the reading
 * @throws {GatewayError} `request_too_large`, `media_type_unsupported` for a content encoding, `request_invalid` for no UTF-8, and
 * where the body is cut
 */
export async function readBodyText(
  { headers, body }: Request,
  maxBytes: number,
  inspect: (chunk: Uint8Array) => void = () => {},
): Promise<string> {
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new GatewayError('media_type_unsupported', 'Send the body without a content encoding.');
  const stated = Number(headers.get('content-length') ?? 0);
  if (stated > maxBytes) throw createTooLarge(stated, maxBytes);
  if (body === null) return '';
  const decode = createDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of readChunks(body)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw createTooLarge(bytes, maxBytes);
    inspect(chunk);
    parts.push(decode(chunk));
  }
  parts.push(decode());
  return parts.join('');
}

/** A client that disconnects within its body is not a fault of the gateway. */
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
function createTooLarge(bytes: number, maxBytes: number): GatewayError {
  const limit = `the limit of this operation is ${formatCount(maxBytes)}`;
  const message = `The body has ${formatCount(bytes)} bytes or more; ${limit}. Store long content where a tool can read it.`;
  return new GatewayError('request_too_large', message, { headers: { connection: 'close' } });
}

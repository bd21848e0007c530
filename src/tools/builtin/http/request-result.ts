/** The result of `http_request`. */

import { formatBytes, shorten } from '../../../core/lib/index.js';
import { HttpFailure, type HttpResponse, matchesType, parseMediaType } from '../../http/index.js';
import { toResultBody } from './response-body.js';
import { shortenMasked } from './shorten-masked.js';

const maxPlaceLength = 120;

/** Headers of responses that the model sees. None that differs each time: equal answers must be equal results. */
const shownHeaders = ['etag', 'last-modified', 'link', 'location', 'retry-after', 'ratelimit', 'x-total-count'];

export interface ResultOptions {
  /** Media types that are read. Default: all. */
  readonly contentTypes: readonly string[] | undefined;
  /** Whether the request may have changed something. */
  readonly hadEffect: boolean;
}

/** @throws {HttpFailure} where the body of a request without an effect cannot be read */
export async function toRequestResult(response: HttpResponse, { contentTypes, hadEffect }: ResultOptions) {
  const { url, method, status, headers } = response;
  const contentType = parseMediaType(headers['content-type']);
  const pairs = shownHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  const head = {
    request: shorten(`${method} ${url.host}${url.pathname}`, maxPlaceLength),
    status,
    contentType: contentType.type,
    headers: Object.fromEntries(pairs.map(([name, value]) => [name, shortenMasked(value, 500)])),
  };
  try {
    const bytes = await readAccepted(response, contentType.type, contentTypes);
    return { ...head, size: formatBytes(bytes.byteLength), body: toResultBody(bytes, contentType, url) };
  } catch (error) {
    // The server has answered: of a request with an effect, that is the result.
    if (!hadEffect || !(error instanceof HttpFailure)) throw error;
    return { ...head, size: 'body not read', problem: error.message, body: null };
  }
}

async function readAccepted(
  response: HttpResponse,
  type: string,
  contentTypes: readonly string[] | undefined,
): Promise<Uint8Array> {
  if (contentTypes === undefined || type === '' || matchesType(type, contentTypes)) return await response.read();
  response.close();
  const answer = `${response.url.host} answered with status ${response.status} and the type ${type}`;
  throw new HttpFailure('content_type_not_allowed', `${answer}. Accepted: ${contentTypes.join(', ')}.`, true);
}

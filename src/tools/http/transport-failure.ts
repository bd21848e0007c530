/** Turns errors of DNS, sockets, TLS and HTTP into failures whose messages name no address. */

import { formatDuration } from '../../core/lib/index.js';
import { HttpFailure } from './failure.js';

interface TransportContext {
  readonly host: string;
  /** Of the caller. */
  readonly signal: AbortSignal;
  /** Of the caller, and of the time limit. */
  readonly deadline: AbortSignal;
  readonly options: { readonly timeoutMs: number; readonly idleMs: number };
  readonly sent: boolean;
}

const certificateCodes = /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_SSL_)/;

const idleCodes: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** Returns the failure, or the reason of the caller's signal if it was aborted. */
export function toTransportFailure(error: unknown, context: TransportContext): unknown {
  const { host, signal, deadline, options, sent } = context;
  if (signal.aborted)
    return sent ? signal.reason : new HttpFailure('cancelled', 'The request was cancelled before it was sent.');
  if (error instanceof HttpFailure)
    return error.sent || !sent ? error : new HttpFailure(error.code, error.message, true);
  if (deadline.aborted) {
    return new HttpFailure('timed_out', `${host} did not answer within ${formatDuration(options.timeoutMs)}.`, sent);
  }
  const code = findCode(error);
  if (idleCodes.has(code)) {
    return new HttpFailure('timed_out', `${host} sent nothing for ${formatDuration(options.idleMs)}.`, sent);
  }
  if (certificateCodes.test(code)) {
    return new HttpFailure('certificate_invalid', `The certificate of ${host} is not valid (${code}).`, sent);
  }
  if (/^Z_|^ERR_?_?BROTLI|BROTLI/.test(code)) {
    return new HttpFailure('encoding_unknown', `The response of ${host} cannot be decompressed.`, sent);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new HttpFailure('too_large', `The headers of ${host} are too large.`, sent);
  }
  return new HttpFailure(
    'connection_failed',
    `The connection to ${host} failed${code === '' ? '' : ` (${code})`}.`,
    sent,
  );
}

/** Only the code: the message of a socket's error names an address. */
function findCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const own = 'code' in error ? String(error.code) : '';
  if (own !== '') return own;
  if (error instanceof AggregateError) return error.errors.map(findCode).find((code) => code !== '') ?? '';
  return error.cause === undefined ? '' : findCode(error.cause);
}

/**
 * Finds out why a connection fails. gRPC retries until its deadline and reports no cause; a bare HTTP/2 connection fails at
 * once, with the code of the socket or of TLS.
 */

import { connect as connectHttp2, type SecureClientSessionOptions } from 'node:http2';
import type { ConnectionFailure } from './failure.js';
import type { ConnectionSettings } from './settings.js';

/** Milliseconds without any answer. */
const probeTimeoutMs = 4_000;

/**
 * Opens and closes an HTTP/2 connection.
 *
 * @returns the failure; null when the server answers as HTTP/2, when nothing answers in time, or when aborted
 */
export async function findTransportFailure(
  settings: ConnectionSettings,
  signal: AbortSignal,
): Promise<ConnectionFailure | null> {
  const failure = await probe(settings, signal, toSecureOptions(settings));
  // A TLS server answers plain bytes with an alert or by closing.
  if (failure === null || settings.tls !== null || !isProtocolError(failure)) return failure;
  const secure = await probe(settings, signal, { rejectUnauthorized: false });
  const isTls = secure === null || (secure.kind === 'transport' && /ALERT/.test(secure.code));
  return isTls ? { kind: 'tls-expected' } : failure;
}

function toSecureOptions({ tls }: ConnectionSettings): SecureClientSessionOptions | null {
  if (tls === null) return null;
  const { serverRootCACertificate: ca, clientCertPair, serverNameOverride } = tls;
  return {
    ...(ca === undefined ? {} : { ca: Buffer.from(ca) }),
    ...(clientCertPair === undefined
      ? {}
      : { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) }),
    ...(serverNameOverride === undefined ? {} : { servername: serverNameOverride }),
  };
}

function isProtocolError(failure: ConnectionFailure): boolean {
  return failure.kind === 'transport' && (failure.code === 'ECONNRESET' || failure.code.startsWith('ERR_HTTP2'));
}

function probe(
  { address }: ConnectionSettings,
  signal: AbortSignal,
  secure: SecureClientSessionOptions | null,
): Promise<ConnectionFailure | null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => {
    const session = connectHttp2(`${secure === null ? 'http' : 'https'}://${address}`, secure ?? {});
    const settle = (failure: ConnectionFailure | null) => () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(failure);
      session.destroy();
    };
    const abort = settle(null);
    const timer = setTimeout(settle(null), probeTimeoutMs);
    signal.addEventListener('abort', abort);
    // The first frame of a server: a rejected client certificate is reported only after the handshake.
    session.once('remoteSettings', settle(null));
    session.on('error', (error) => settle(toTransportFailure(error))());
    session.once('close', settle({ kind: 'transport', code: 'ECONNRESET', names: [] }));
  });
}

/** Returns the failure of a socket's or TLS's error. */
export function toTransportFailure(error: Error): ConnectionFailure {
  const { code, cert, errors } = error as Error & {
    readonly code?: string;
    readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } };
    readonly errors?: readonly Error[];
  };
  // A name with several addresses fails with the errors of all.
  const [first] = errors ?? [];
  if (code === undefined && first !== undefined) return toTransportFailure(first);
  const alternatives = cert?.subjectaltname?.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
  const names = alternatives ?? (cert?.subject?.CN === undefined ? [] : [cert.subject.CN]);
  return { kind: 'transport', code: code ?? error.name, names };
}

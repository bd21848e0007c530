/**
 * Finds out why a connection fails. gRPC retries until its deadline and reports no cause; a bare socket that sends the start
 * of HTTP/2 fails immediately, with the code of the network or of TLS.
 */

import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionFailure } from './failure.js';
import type { ConnectionSettings } from './settings.js';

/** Milliseconds without any answer. */
const probeTimeoutMs = 4_000;

/** A client's first bytes: the preface of HTTP/2 and an empty frame of settings. */
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const settingsFrame = 4;
const tlsAlert = 0x15;

/**
 * Connects and disconnects.
 *
 * @returns the failure; null when the server answers with HTTP/2, when nothing answers in time, or when aborted
 */
export async function findTransportFailure(
  settings: ConnectionSettings,
  signal: AbortSignal,
): Promise<ConnectionFailure | null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => {
    const socket = openSocket(settings);
    let isReady = false;
    const settle = (failure: ConnectionFailure | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(failure);
      socket.destroy();
    };
    const stop = () => settle(null);
    const timer = setTimeout(stop, probeTimeoutMs);
    signal.addEventListener('abort', stop);
    socket.once(settings.tls === null ? 'connect' : 'secureConnect', () => {
      isReady = true;
      socket.write(preface);
    });
    // Only the first bytes prove that a server accepted the client's certificate.
    socket.once('data', (bytes) => settle(toAnswerFailure(bytes)));
    socket.on('error', (error) => settle(toTransportFailure(error, settings.tls !== null && !isReady)));
    socket.once('close', () => settle(toClosedFailure(settings, isReady)));
  });
}

function openSocket({ host, port, tls }: ConnectionSettings): Socket {
  if (tls === null) return connect({ host, port });
  const { serverRootCACertificate: ca, clientCertPair, serverNameOverride } = tls;
  // An address has no server name.
  const servername = serverNameOverride ?? (isIP(host) === 0 ? host : undefined);
  return connectTls({
    ...{ host, port, ALPNProtocols: ['h2'] },
    ...(ca === undefined ? {} : { ca: Buffer.from(ca) }),
    ...(clientCertPair === undefined
      ? {}
      : { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) }),
    ...(servername === undefined ? {} : { servername }),
  });
}

function toAnswerFailure(bytes: Buffer): ConnectionFailure | null {
  if (bytes[0] === tlsAlert) return { kind: 'tls-expected' };
  return bytes.length < 4 || bytes[3] === settingsFrame ? null : { kind: 'transport', code: 'not HTTP/2', names: [] };
}

/** Servers may close without an alert: at plain bytes, at the first bytes of TLS, or at a client certificate. */
function toClosedFailure({ tls }: ConnectionSettings, isReady: boolean): ConnectionFailure {
  if (tls === null) return isReady ? { kind: 'tls-expected' } : { kind: 'no-answer' };
  if (!isReady) return { kind: 'transport', code: 'WRONG_VERSION_NUMBER', names: [] };
  const code = tls.clientCertPair === undefined ? 'closed without an answer' : 'ALERT_CERTIFICATE_UNKNOWN';
  return { kind: 'transport', code, names: [] };
}

/** Returns the failure of an error of the network or of TLS. @param inHandshake before both sides speak TLS */
function toTransportFailure(error: Error, inHandshake: boolean): ConnectionFailure {
  const { code, cert, errors } = error as Error & {
    readonly code?: string;
    readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } };
    readonly errors?: readonly Error[];
  };
  // A name with several addresses fails with the errors of all.
  const [first] = errors ?? [];
  if (first !== undefined) return toTransportFailure(first, inHandshake);
  const alternatives = cert?.subjectaltname?.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
  const names = alternatives ?? (cert?.subject?.CN === undefined ? [] : [cert.subject.CN]);
  if (inHandshake && code === 'ECONNRESET') return { kind: 'transport', code: 'WRONG_VERSION_NUMBER', names };
  return { kind: 'transport', code: code ?? error.name, names };
}

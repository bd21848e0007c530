/** Checks certificates and keys before they are used: TLS reports a wrong one without its name. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TLSConfig } from '@temporalio/client';

/** Returns what is wrong with the files of a TLS configuration, and the fix; null if nothing is. */
export function findTlsProblem(tls: TLSConfig, now = Date.now()): string | null {
  const { serverRootCACertificate: ca, clientCertPair } = tls;
  if (ca !== undefined && parseCertificate(ca) === null) {
    return 'The CA certificate is not a PEM certificate. Correct TEMPORAL_TLS_SERVER_CA_CERT_PATH or --tls-ca-path.';
  }
  if (clientCertPair === undefined) return null;
  const certificate = parseCertificate(clientCertPair.crt);
  if (certificate === null) {
    return 'The client certificate is not a PEM certificate. Correct TEMPORAL_TLS_CLIENT_CERT_PATH or --tls-cert-path.';
  }
  const key = parseKey(clientCertPair.key);
  const keyFix = 'Correct TEMPORAL_TLS_CLIENT_KEY_PATH or --tls-key-path';
  if (key === null) return `The client key is not an unencrypted PEM key. ${keyFix}.`;
  const subject = formatSubject(certificate);
  if (!certificate.checkPrivateKey(key))
    return `The client key does not belong to the certificate of ${subject}. ${keyFix}.`;
  if (Date.parse(certificate.validTo) < now) {
    return `The client certificate of ${subject} expired on ${toDate(certificate.validTo)}. Renew it.`;
  }
  return null;
}

/** Returns the subject of the client certificate, for messages. */
export function getClientSubject({ clientCertPair }: TLSConfig): string | null {
  const certificate = clientCertPair === undefined ? null : parseCertificate(clientCertPair.crt);
  return certificate === null ? null : formatSubject(certificate);
}

function parseCertificate(pem: Uint8Array): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function parseKey(pem: Uint8Array) {
  try {
    return createPrivateKey(Buffer.from(pem));
  } catch {
    return null;
  }
}

function formatSubject({ subject }: X509Certificate): string {
  return subject.split('\n').join(', ') || 'no subject';
}

function toDate(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}

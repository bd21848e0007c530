/** Converts a failure of the connection to an error that names the wrong part: address, name, certificate, key. Pure. */

import { type ErrorCode, LonghandError } from '../core/lib/index.js';
import type { ConnectionSettings } from './settings.js';
import { getClientSubject } from './tls-problem.js';

export type ConnectionFailure =
  /** An error of the socket, of TLS or of HTTP/2, by its code. */
  | { readonly kind: 'transport'; readonly code: string; readonly names: readonly string[] }
  /** The server speaks TLS, and the connection does not. */
  | { readonly kind: 'tls-expected' }
  /** gRPC status of the first call. */
  | { readonly kind: 'rejected'; readonly status: number; readonly details: string }
  | { readonly kind: 'no-answer' };

const untrustedCodes = new Set([
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_SIGNATURE_FAILURE', 'CERT_UNTRUSTED'],
  ...['CERT_CHAIN_TOO_LONG', 'INVALID_CA', 'INVALID_PURPOSE'],
]);
const outdatedCodes = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED']);
const unknownHostCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME']);
const plainServerCodes = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|NO_APPLICATION_PROTOCOL/;
/** Alerts with which a server rejects a client certificate. Without one, older servers only fail the handshake. */
const certificateAlerts =
  /ALERT_(?:CERTIFICATE_(?:REQUIRED|UNKNOWN|EXPIRED|REVOKED)|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|HANDSHAKE_FAILURE)/;
const networkCodes = /^E(?:CONN|TIMEDOUT|HOST|NET|PIPE|ADDR)/;

const status = { invalidArgument: 3, notFound: 5, permissionDenied: 7, unauthenticated: 16 } as const;

export function toConnectionError(
  failure: ConnectionFailure,
  settings: ConnectionSettings,
  cause?: unknown,
): LonghandError {
  const [code, message] = describeFailure(failure, settings);
  return new LonghandError(code, message, cause === undefined ? undefined : { cause });
}

/** Whether the server rejected the credentials, as gRPC status. */
export function isAccessDenied(code: unknown): boolean {
  return code === status.permissionDenied || code === status.unauthenticated;
}

type Description = readonly [code: ErrorCode, message: string];

function describeFailure(failure: ConnectionFailure, settings: ConnectionSettings): Description {
  const { address } = settings;
  switch (failure.kind) {
    case 'no-answer':
      return describeUnreachable(settings);
    case 'tls-expected':
      return ['tls_mismatch', `The server at ${address} requires TLS. Set TEMPORAL_TLS=true or --tls.`];
    case 'transport':
      return describeTransport(failure, settings);
    case 'rejected':
      if (isAccessDenied(failure.status)) return describeRejectedCredentials(settings);
      return [
        'server_unreachable',
        `The server at ${address} rejected the connection: ${failure.details} (gRPC status ${failure.status}). Check that it is a Temporal server.`,
      ];
  }
}

function describeTransport(
  { code, names }: Extract<ConnectionFailure, { kind: 'transport' }>,
  settings: ConnectionSettings,
): Description {
  const { address, host, tls } = settings;
  if (unknownHostCodes.has(code)) {
    return ['server_unreachable', `Host ${host} not found (${code}). Correct TEMPORAL_ADDRESS or --address.`];
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const fix = 'Correct the address, or set TEMPORAL_TLS_SERVER_NAME or --tls-server-name to one of them';
    const serverName = tls?.serverNameOverride ?? host;
    return [
      'server_name_mismatch',
      `The certificate of the server at ${address} is for ${names.join(', ') || 'no name'}, not for ${serverName}. ${fix}.`,
    ];
  }
  if (outdatedCodes.has(code)) {
    const fix = 'Renew it on the server, or correct the clock of this machine';
    return ['certificate_untrusted', `The certificate of the server at ${address} is not valid now (${code}). ${fix}.`];
  }
  if (untrustedCodes.has(code)) return describeUntrusted(code, settings);
  if (certificateAlerts.test(code)) return describeRejectedCertificate(settings);
  if (tls !== null && plainServerCodes.test(code)) {
    const reason = settings.apiKey === null ? '' : ' An API key switches TLS on.';
    return [
      'tls_mismatch',
      `The server at ${address} does not accept TLS connections of Temporal (${code}). Correct the address, or set TEMPORAL_TLS=false.${reason}`,
    ];
  }
  if (networkCodes.test(code)) return describeUnreachable(settings);
  return [
    'server_unreachable',
    `The program at ${address} is not a Temporal server (${code}). Correct TEMPORAL_ADDRESS or --address.`,
  ];
}

function describeUnreachable({ address, isConfigured }: ConnectionSettings): Description {
  const fix = isConfigured
    ? 'Start it, or correct TEMPORAL_ADDRESS or --address'
    : 'Start one with `longhand dev`, or set TEMPORAL_ADDRESS';
  return ['server_unreachable', `No Temporal server answers at ${address}. ${fix}.`];
}

function describeUntrusted(code: string, { address, tls }: ConnectionSettings): Description {
  const issuer =
    tls?.serverRootCACertificate === undefined ? 'is not issued by a public CA' : 'is not issued by the configured CA';
  return [
    'certificate_untrusted',
    `The certificate of the server at ${address} ${issuer} (${code}). Set TEMPORAL_TLS_SERVER_CA_CERT_PATH or --tls-ca-path to the certificate of its CA.`,
  ];
}

function describeRejectedCertificate({ address, tls }: ConnectionSettings): Description {
  const subject = tls === null ? null : getClientSubject(tls);
  const message =
    subject === null
      ? `The server at ${address} requires a client certificate. Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or --tls-cert-path and --tls-key-path.`
      : `The server at ${address} rejected the client certificate of ${subject}. Set TEMPORAL_TLS_CLIENT_CERT_PATH or --tls-cert-path to one that it trusts.`;
  return ['client_certificate_rejected', message];
}

/** Never repeats the key. */
function describeRejectedCredentials(settings: ConnectionSettings): Description {
  const { address, apiKey, tls } = settings;
  if (apiKey === null && tls?.clientCertPair !== undefined) return describeRejectedCertificate(settings);
  const [problem, fix] =
    apiKey === null
      ? ['requires an API key', 'Set TEMPORAL_API_KEY or --api-key, or a client certificate']
      : ['rejected the API key', 'Check that TEMPORAL_API_KEY or --api-key is complete, enabled and not expired'];
  return ['api_key_rejected', `The server at ${address} ${problem}. ${fix}.`];
}

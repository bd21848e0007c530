/**
 * The connection to a provider: its server's address, and whether a failed request was sent. A request that was never
 * sent costs nothing; a lost one may have been charged.
 */

import { LonghandError, maskAddress } from '../../core/lib/index.js';
import type { ModelFailureKind } from '../../core/model/index.js';

interface BaseUrl {
  readonly address: string;
  /** Host and port, for display. */
  readonly host: string;
}

/** Parses the address of a Messages API into the form for the SDK. @throws {LonghandError} `model_not_configured` */
export function parseBaseUrl(text: string): BaseUrl {
  const url = parseModelUrl(text, 'ANTHROPIC_API_KEY');
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, '');
  return { address: url.origin + path, host: url.host };
}

/**
 * Parses the address of a Chat Completions API into the form for the SDK, which has the path before
 * `/chat/completions`. An address without a path gets `/v1`.
 *
 * @throws {LonghandError} `model_not_configured`
 */
export function parseChatUrl(text: string): BaseUrl {
  const url = parseModelUrl(text, 'OPENAI_API_KEY');
  const path = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  return { address: url.origin + (path === '' ? '/v1' : path), host: url.host };
}

/** @param keyVariable the environment variable for the key */
function parseModelUrl(text: string, keyVariable: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const address = maskAddress(text);
    const message = `Invalid model server address "${address}". Use the form http://127.0.0.1:4000.`;
    throw new LonghandError('model_not_configured', message);
  }
  if (url.username !== '' || url.password !== '') {
    const message = `The address of the model server ${url.host} contains a user or password. Put the key in ${keyVariable}.`;
    throw new LonghandError('model_not_configured', message);
  }
  return url;
}

/** Services by their hosts, with the names that LiteLLM's price map has for them. */
const services: readonly (readonly [host: string, name: string])[] = [
  ['api.anthropic.com', 'anthropic'],
  ['api.openai.com', 'openai'],
  ['openai.azure.com', 'azure'],
  ['generativelanguage.googleapis.com', 'gemini'],
  ['api.mistral.ai', 'mistral'],
  ['api.deepseek.com', 'deepseek'],
  ['api.x.ai', 'xai'],
  ['api.groq.com', 'groq'],
  ['openrouter.ai', 'openrouter'],
];

/**
 * Returns the default name of a provider. Running chains look for it, so it does not depend on the address of a server of one's
 * own, which may be corrected or move.
 *
 * @param host with its port; @param other the name for any other host
 */
export function getProviderName(host: string, other: string): string {
  return services.find(([service]) => host === service || host.endsWith(`.${service}`))?.[1] ?? other;
}

/** Codes of a failed DNS look-up, TCP or TLS connection: the request was not sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
]);

/**
 * The code of a name that DNS does not have. A resolver that is away is another one, EAI_AGAIN, and passes without a person.
 */
const unknownHostCode = 'ENOTFOUND';

/** Node's message for a connection that ended in the TLS handshake; its code is that of any reset. */
const unsentTlsMessage = 'before secure TLS connection was established';

const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Why a request was not sent. `blocked_port`: `fetch` never opens it. */
export type UnsentCause = 'no_connection' | 'unknown_host' | 'blocked_port';

export const unsentKinds: Readonly<Record<UnsentCause, ModelFailureKind>> = {
  no_connection: 'connection',
  unknown_host: 'unknown_host',
  blocked_port: 'not_found',
};

/**
 * Wraps `fetch` to mark errors of requests that were not sent. The SDK drops the cause of a timeout, so the cause must
 * be read before.
 */
export function detectUnsentRequests(inner: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await inner(input, init);
    } catch (error) {
      const unsent = findUnsentCause(error);
      if (unsent === null) throw error;
      const reason = describeUnsent(error, unsent, getHost(input));
      // The SDK treats every error whose message contains "time" as a timeout, and drops its cause.
      const isTakenForTimeout = unsent === 'no_connection' && /time/i.test(reason);
      throw new RequestNotSentError(isTakenForTimeout ? 'no connection was opened' : reason, unsent);
    }
  };
}

class RequestNotSentError extends Error {
  constructor(
    message: string,
    readonly unsent: UnsentCause,
  ) {
    super(message);
  }
}

/** Finds the mark of an error. Null if the request may have been sent. */
export function findUnsentMark(error: unknown): UnsentCause | null {
  return listCauses(error).find((cause) => cause instanceof RequestNotSentError)?.unsent ?? null;
}

/** Describes a request that was not sent. @param host of its address; null if it is not known */
export function describeUnsent(error: unknown, unsent: UnsentCause, host: string | null): string {
  switch (unsent) {
    case 'blocked_port':
      return `fetch blocks the port of the address ${host ?? 'of the model'}`;
    case 'unknown_host':
      // The name that was looked up is the proxy's, where there is one.
      return `DNS has no host ${findLookedUpName(error) ?? host ?? 'of that name'} (${unknownHostCode})`;
    case 'no_connection':
      return getRootMessage(error);
  }
}

function findLookedUpName(error: unknown): string | null {
  const lookupError = listCauses(error).find((cause) => cause instanceof Error && 'hostname' in cause);
  const name = lookupError instanceof Error && 'hostname' in lookupError ? lookupError.hostname : null;
  return typeof name === 'string' ? name : null;
}

/** Whether the HTTP client's own timeout ended the request. */
export function isTimeoutError(error: unknown): boolean {
  return listErrorCodes(error).some((code) => timeoutCodes.has(code));
}

/** Returns the innermost message, which is more specific than `fetch failed`. */
export function getRootMessage(error: unknown): string {
  const causes = listCauses(error).reverse();
  const innermost = causes.find((cause): cause is Error => cause instanceof Error && cause.message !== '');
  return innermost?.message ?? String(error);
}

/** The same as the mark, for an error of `fetch` itself, or one that has it as its cause. */
export function findUnsentCause(error: unknown): UnsentCause | null {
  if (isBlockedPortError(error)) return 'blocked_port';
  if (listErrorCodes(error).includes(unknownHostCode)) return 'unknown_host';
  return isUnsentError(error) ? 'no_connection' : null;
}

/** Whether the error of a connection, of any kind, is among the causes. */
export function isConnectionError(error: unknown): boolean {
  return listErrorCodes(error).length > 0;
}

function isUnsentError(error: unknown): boolean {
  if (listErrorCodes(error).some((code) => unsentCodes.has(code))) return true;
  if (listCauses(error).some((cause) => cause instanceof Error && cause.message.includes(unsentTlsMessage)))
    return true;
  // ETIMEDOUT and similar codes concern the opening of a connection only with this system call.
  return listCauses(error).some((cause) => cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect');
}

/** Whether `fetch` blocks the port: Node uses the browsers' list. The error has no code. */
function isBlockedPortError(error: unknown): boolean {
  return listCauses(error).some((cause) => cause instanceof Error && cause.message === 'bad port');
}

function getHost(input: Parameters<typeof globalThis.fetch>[0]): string {
  return new URL(input instanceof Request ? input.url : input).host;
}

function listErrorCodes(error: unknown): readonly string[] {
  return listCauses(error).flatMap((cause) =>
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? [cause.code] : [],
  );
}

/** Lists an error and its causes, outermost first. Of several tried addresses, only the last error counts. */
export function listCauses(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 8; ) {
    causes.push(cause);
    if (cause instanceof AggregateError) cause = cause.errors.at(-1);
    else cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

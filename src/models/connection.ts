/**
 * The connection to a provider: the address of its server, and whether a request without an answer was sent. A connection
 * that was never opened cost nothing; a lost one may have been charged for.
 */

import { maskAddress } from '../core/lib/display.js';

interface BaseUrl {
  readonly address: string;
  /** Host and port, for people. */
  readonly host: string;
}

/** The address of a Messages API as people write it, as the SDK takes it. @throws Error that says what to write instead */
export function parseBaseUrl(written: string): BaseUrl {
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const shown = maskAddress(written);
    throw new Error(`"${shown}" is not the address of a model server. Write it as http://127.0.0.1:4000.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      `The address of the model server ${url.host} holds a user or password. Put the key in ANTHROPIC_API_KEY.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, '');
  return { address: url.origin + path, host: url.host };
}

/** Of a failed look-up, of TCP and of TLS: the request itself was not sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
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
]);

const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * Wraps `fetch` so that an error says by its class that nothing was sent. The SDK keeps no trace of the
 * cause where that was a timeout, so it must be seen before the SDK sees it.
 */
export function detectUnsentRequests(inner: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await inner(input, init);
    } catch (error) {
      if (isBlockedPortError(error))
        throw new RequestNotSentError(`fetch sends no request to the address ${getHost(input)}: bad port`, true);
      if (!isUnsentError(error)) throw error;
      const reason = getRootMessage(error);
      // The SDK takes every error with the word in it for a timeout, and drops what it was.
      throw new RequestNotSentError(/time/i.test(reason) ? 'no connection was opened' : reason, false);
    }
  };
}

class RequestNotSentError extends Error {
  constructor(
    message: string,
    readonly forEver: boolean,
  ) {
    super(message);
  }
}

/** Whether the request was never sent: this time, or to this address ever. Null where it may have been. */
export function findUnsentKind(error: unknown): 'now' | 'ever' | null {
  const unsent = listCauses(error).find((cause) => cause instanceof RequestNotSentError);
  if (unsent === undefined) return null;
  return unsent.forEver ? 'ever' : 'now';
}

/** Whether the HTTP client gave up waiting. */
export function isTimeoutError(error: unknown): boolean {
  return listErrorCodes(error).some((code) => timeoutCodes.has(code));
}

/** The innermost reason, which says more than `fetch failed` around it. */
export function getRootMessage(error: unknown): string {
  const causes = listCauses(error).reverse();
  const told = causes.find((cause): cause is Error => cause instanceof Error && cause.message !== '');
  return told?.message ?? String(error);
}

function isUnsentError(error: unknown): boolean {
  if (listErrorCodes(error).some((code) => unsentCodes.has(code))) return true;
  // ETIMEDOUT and the like are of the connection's opening only where the system call says so.
  return listCauses(error).some((cause) => cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect');
}

/** Browsers' list of ports that no page may call holds for `fetch` in Node too; its error has no code. */
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

/** An error and its causes, outermost first. Of several addresses that were tried, the last one's stands for all. */
function listCauses(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 8; ) {
    causes.push(cause);
    if (cause instanceof AggregateError) cause = cause.errors.at(-1);
    else cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

/** Why a request was not made, or has no response. Tools turn it into an error for the model; the code is stable. */

export type HttpFailureCode =
  /** Not a URL, or written in a form that hides where it leads. */
  | 'url_invalid'
  | 'scheme_not_allowed'
  | 'host_not_allowed'
  | 'port_not_allowed'
  /** The host has an address that is not public. */
  | 'address_not_allowed'
  | 'method_not_allowed'
  | 'header_not_allowed'
  /** A secret would have been sent without encryption, or to a host that must not get it. */
  | 'secret_not_sent'
  | 'redirect_not_followed'
  | 'too_large'
  | 'encoding_unknown'
  | 'content_type_not_allowed'
  /** DNS has no such host. */
  | 'host_unknown'
  | 'connection_failed'
  | 'certificate_invalid'
  | 'timed_out'
  /** The caller's signal fired before anything was sent. */
  | 'cancelled';

/** Failures that another attempt may not have. */
const temporary: ReadonlySet<HttpFailureCode> = new Set(['host_unknown', 'connection_failed', 'timed_out'] as const);

/**
 * A request that failed. The message names no address that DNS returned, and nothing of the request but its host: the model
 * reads it.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';

  /** @param sent whether a part of the request, or of one before its redirects, may have reached a server */
  constructor(
    readonly code: HttpFailureCode,
    message: string,
    readonly sent = false,
  ) {
    super(message);
  }

  get isTemporary(): boolean {
    return temporary.has(this.code);
  }
}

/** What a failed request to an MCP server means for its effect. */

import { shorten, toErrorMessage, toOneLine } from '../../core/lib/index.js';
import type { McpSdk } from './sdk.js';

/**
 * `not_its_turn`: calls of the server run one at a time, and it was not sent. `not_sent`: the server did not get it, or rejected it before it read it. `session_lost`: the same, and another connection is needed.
 * `answered`: the server answered with an error, or with a result that is malformed. `unknown`: it may have been carried out.
 */
export type McpFailureKind = 'not_its_turn' | 'not_sent' | 'session_lost' | 'answered' | 'unknown';

export class McpFailure extends Error {
  override readonly name = 'McpFailure';

  constructor(
    readonly kind: McpFailureKind,
    message: string,
  ) {
    super(message);
  }
}

/** Statuses with which a server rejects a request that it does not carry out. */
const rejectedStatuses: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404, 405, 406, 413, 415, 429]);
/** Of these, those of a server that does not know the session, as after its restart. */
const sessionStatuses: ReadonlySet<number | undefined> = new Set([400, 401, 404]);

/** Codes of connections that were not made. */
const unreachableCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

const maxCharacters = 1_000;

interface FailedRequest {
  /** What the transport reported last. */
  readonly lastProblem: string;
  /** Whether this side ended the request. Servers answer with the codes of local failures, too. */
  readonly isLocal: boolean;
  readonly mask: (text: string) => string;
}

export function toMcpFailure(error: unknown, sdk: McpSdk, { lastProblem, isLocal, mask }: FailedRequest): McpFailure {
  const { McpError, ErrorCode, StreamableHTTPError, UnauthorizedError } = sdk;
  const message = shorten(toOneLine(mask(toErrorMessage(error))), maxCharacters);
  if (error instanceof McpError) {
    if (isLocal && error.code === ErrorCode.ConnectionClosed)
      return new McpFailure('unknown', `The server closed the connection during the request. ${lastProblem}`.trim());
    if (isLocal && error.code === ErrorCode.RequestTimeout)
      return new McpFailure('unknown', 'The server did not answer in time, or the request was cancelled.');
    return new McpFailure('answered', `The server answered with an error: ${message}`);
  }
  if (error instanceof StreamableHTTPError) {
    if (!rejectedStatuses.has(error.code)) return new McpFailure('unknown', message);
    return new McpFailure(sessionStatuses.has(error.code) ? 'session_lost' : 'not_sent', message);
  }
  if (error instanceof UnauthorizedError)
    return new McpFailure('not_sent', `The server requires authorization. ${message}`);
  if (error instanceof Error && /^\$?ZodError$/.test(error.name))
    return new McpFailure('answered', 'The server answered with a malformed result.');
  if (message === 'Not connected') return new McpFailure('not_sent', 'The connection is closed.');
  const code: unknown =
    error instanceof Error && error.cause instanceof Error ? Reflect.get(error.cause, 'code') : undefined;
  if (typeof code === 'string')
    return new McpFailure(unreachableCodes.test(code) ? 'not_sent' : 'unknown', `${message} (${code})`);
  return new McpFailure('unknown', message);
}

/**
 * Errors as problem details (RFC 9457).
 *
 * The text of an error reaches the client only where it is about the request or the chain. Of a server fault the client
 * gets the code, and the log the text: it may name hosts, files and other tenants' chains.
 */

import { ServiceError } from '@temporalio/client';
import type { ZodError } from 'zod';
import { isServerUnavailable } from '../../client/index.js';
import { type ErrorCode, errorCodes, isLonghandError, LonghandError, omitUndefined } from '../../core/lib/index.js';
import { type GatewayCode, gatewayCodes, type Problem } from '../../http/index.js';

/** Thrown by the gateway itself. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';

  constructor(
    readonly code: GatewayCode,
    message: string,
    readonly extra: {
      readonly issues?: Problem['issues'];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
  }
}

const gatewayStatus: { readonly [code in GatewayCode]: number } = {
  request_invalid: 400,
  request_too_large: 413,
  media_type_unsupported: 415,
  unauthenticated: 401,
  scope_missing: 403,
  origin_rejected: 403,
  host_rejected: 403,
  too_many_requests: 429,
  route_not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  not_ready: 503,
  not_configured: 501,
  timed_out: 504,
  closing: 503,
};

/** Errors that a request can cause. All others are server faults. */
const requestStatus: { readonly [code in ErrorCode]?: number } = {
  invalid_arguments: 400,
  invalid_plan: 400,
  invalid_options: 400,
  invalid_policy: 400,
  invalid_cursor: 400,
  unknown_agent: 404,
  chain_exists: 409,
  chain_not_found: 404,
  chain_ended: 409,
  chain_running: 409,
  chain_erased: 410,
  command_rejected: 409,
  call_not_found: 404,
  call_not_waiting: 409,
  fork_impossible: 409,
  fork_needs_message: 400,
  not_visible: 403,
  schedule_exists: 409,
  schedule_not_found: 404,
  webhook_not_found: 404,
  budget_not_found: 404,
  key_not_found: 404,
  key_not_permitted: 403,
  tenant_limit_reached: 409,
};

const unavailable: ReadonlySet<string> = new Set<ErrorCode>([
  'server_unreachable',
  'store_unavailable',
  'search_attributes_missing',
]);

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the log gets the error: it is not a fault of the request. */
  readonly isServerFault: boolean;
}

/** Converts any thrown value. */
export function toProblem(error: unknown): ProblemAnswer {
  if (error instanceof GatewayError) {
    const { code, message, extra } = error;
    const { issues, headers = {} } = extra;
    const problem = createProblem(code, gatewayStatus[code], gatewayCodes[code], message);
    return { problem: issues === undefined ? problem : { ...problem, issues }, headers, isServerFault: false };
  }
  if (isServerBusy(error)) return toProblem(createBusy());
  const longhandError = findLonghandError(error);
  if (longhandError === null) return toFailure('internal', 500);
  const { code, message } = longhandError;
  // The message of the client names servers and variables.
  if (code === 'chain_not_found') return answer(createProblem(code, 404, errorCodes[code], undefined));
  const status = requestStatus[code];
  if (status === undefined) return toFailure(code, getFailureStatus(code));
  const rejection =
    'rejection' in longhandError && typeof longhandError.rejection === 'string'
      ? { rejection: longhandError.rejection }
      : {};
  return answer({ ...createProblem(code, status, errorCodes[code], message), ...rejection });
}

/** An error of Temporal's client has no Longhand code. */
function findLonghandError(error: unknown): LonghandError | null {
  if (isLonghandError(error)) return error;
  return isServerUnavailable(error) ? new LonghandError('server_unreachable', 'Temporal does not answer.') : null;
}

/** gRPC's `RESOURCE_EXHAUSTED`: Temporal limits the requests of a namespace, and the retries of its client are exhausted. */
function isServerBusy(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === 8;
}

function createBusy(): GatewayError {
  return new GatewayError('not_ready', 'Temporal has too many requests. Try again.', {
    headers: { 'retry-after': '1' },
  });
}

/** A gateway without a store never has what is in it: a request that is sent again gets the same answer. */
function getFailureStatus(code: ErrorCode): number {
  return code === 'store_missing' ? 501 : unavailable.has(code) ? 503 : 500;
}

function toFailure(code: ErrorCode, status: number): ProblemAnswer {
  return { problem: createProblem(code, status, errorCodes[code], undefined), headers: {}, isServerFault: true };
}

function answer(problem: Problem): ProblemAnswer {
  return { problem, headers: {}, isServerFault: false };
}

function createProblem(code: string, status: number, title: string, detail: string | undefined): Problem {
  return { type: `urn:longhand:${code}`, title, status, ...omitUndefined({ detail }), code };
}

/** Most issues of one request: a body may have thousands. */
const maxIssues = 20;
const maxIssueLength = 300;

export function createInvalidRequest(part: string, { issues }: ZodError): GatewayError {
  const listed = issues.slice(0, maxIssues).map(({ path, message }) => ({
    path: clip([part, ...path.map(String)].join('.')),
    message: clip(message),
  }));
  const [first] = listed;
  const more = issues.length > 1 ? ` ${issues.length - 1} more: see issues.` : '';
  return new GatewayError('request_invalid', `${first?.path ?? part}: ${first?.message ?? 'invalid'}.${more}`, {
    issues: listed,
  });
}

/** Paths and messages repeat names of the request, of any length. */
function clip(text: string): string {
  return text.length > maxIssueLength ? `${text.slice(0, maxIssueLength)}…` : text;
}

export function toProblemResponse({ problem, headers }: Pick<ProblemAnswer, 'problem' | 'headers'>): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });
}

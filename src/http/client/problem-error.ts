/** Errors that the gateway answers with. */

import { type ErrorCode, LonghandError } from '../../core/lib/index.js';
import type { GatewayCode, Problem } from '../schemas/problem.js';

/** The gateway answered that it did not do what was requested. Match `code`. */
export class HttpProblemError extends Error {
  override readonly name = 'HttpProblemError';
  readonly code: ErrorCode | GatewayCode;
  readonly status: number;

  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
    this.code = problem.code as ErrorCode | GatewayCode;
    this.status = problem.status;
  }
}

/** Returns the error of a response that is not a success. A proxy may have sent it. */
export async function readProblem(response: Response): Promise<HttpProblemError | LonghandError> {
  const problem = parseProblem(await response.text().catch(() => ''));
  return problem === null
    ? createUnexpectedResponse(`status ${response.status} without a problem`)
    : new HttpProblemError({ ...problem, status: response.status });
}

function parseProblem(text: string): Problem | null {
  try {
    const value = JSON.parse(text) as unknown;
    const isProblem =
      typeof value === 'object' && value !== null && 'code' in value && 'title' in value && 'type' in value;
    return isProblem && typeof value.code === 'string' ? (value as Problem) : null;
  } catch {
    return null;
  }
}

/** @param what is wrong with it */
export function createUnexpectedResponse(what: string, options?: ErrorOptions): LonghandError {
  return new LonghandError(
    'gateway_unreachable',
    `The response is not from a gateway: ${what}. Check the option url and the proxies before it.`,
    options,
  );
}

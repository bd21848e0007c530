/** Errors that the gateway answers with. */

import { type ErrorCode, LonghandError } from '../../core/lib/errors.js';
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

/** Returns the error of an answer that is no success. Something else than a gateway may have answered: a proxy. */
export async function readProblem(response: Response): Promise<HttpProblemError | LonghandError> {
  const problem = parseProblem(await response.text().catch(() => ''));
  return problem === null
    ? createForeignAnswer(`with the status ${response.status}`)
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

export function createForeignAnswer(what: string, options?: ErrorOptions): LonghandError {
  return new LonghandError(
    'gateway_unreachable',
    `The address answers ${what}, which is no answer of a gateway. Check the option url, and the proxies before it.`,
    options,
  );
}

/** Exit codes, which are stable for scripts, and the error for wrong use of a command. */

import type { ChainResult } from '../../core/engine/index.js';
import { LonghandError } from '../../core/lib/index.js';

/** Exit code by outcome. A chain that a limit stopped is not a failure. */
export const exitCodes: Readonly<Record<ChainResult['outcome'], number>> = {
  success: 0,
  custom: 0,
  failure: 1,
  refused: 1,
  terminated: 1,
  max_iterations: 3,
  stalled: 3,
  token_budget: 3,
  cost_budget: 3,
  timeout: 3,
  cancelled: 130,
};

export const usageExitCode = 2;

/** An error that the user can fix. It is printed without a stack and ends with `usageExitCode`. */
export class UsageError extends LonghandError {
  override readonly name = 'UsageError';

  constructor(message: string, options?: ErrorOptions) {
    super('usage', message, options);
  }
}

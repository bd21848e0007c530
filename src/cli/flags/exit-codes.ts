/** Exit codes are a promise to scripts: a budget that stopped a chain is not a failure. */

import type { ChainResult } from '../../core/engine/result.js';

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

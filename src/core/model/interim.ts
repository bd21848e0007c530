/**
 * Interim results: what a tool emits while its call runs. They are no facts: no history has them, the model does not see
 * them, and each replaces the one before.
 */

import type { Json } from '../lib/index.js';
import type { StepVisibility } from './stored-content.js';

export interface InterimResult {
  /** Clipped like an observation, to `defaults.interimBytes`. */
  readonly value: Json;
  /** As the tool had set it when it emitted the value. Absent if it had set none. */
  readonly visibility?: Pick<StepVisibility, 'level'>;
}

/** The newest interim result of an attempt at a call. */
export interface AttemptInterim {
  /** From 1. */
  readonly attempt: number;
  readonly interim: InterimResult;
}

/** The newest interim result of a running call. */
export interface CallInterim extends AttemptInterim {
  readonly call: string;
}

/** Rates as users write them: calls and tokens in any period of a length. */

import { check, LonghandError } from '../core/lib/index.js';
import { checkDuration, type Duration, toMilliseconds } from './duration.js';

/** At least one of the limits: `{ requests: 100, per: '1m' }`. */
export interface RateOptions {
  /** Model calls in a period. */
  readonly requests?: number | undefined;
  /** Input and output tokens in a period. */
  readonly tokens?: number | undefined;
  /** Length of the period: milliseconds, at least 10 seconds, or `'1m'`. */
  readonly per: Duration;
}

const checkMembers = check.shape<RateOptions>({
  requests: check.optional(check.integerFrom(1)),
  tokens: check.optional(check.integerFrom(1)),
  per: check.refine(checkDuration, (per) => toMilliseconds(per) >= 10_000, 'must be at least 10 seconds'),
});

export const checkRate: check.Check<RateOptions> = check.refine(
  checkMembers,
  ({ requests, tokens }) => requests !== undefined || tokens !== undefined,
  'must have a limit: requests or tokens',
);

/**
 * Converts the rate of an option. The period is in milliseconds.
 *
 * @throws {LonghandError} `invalid_options`
 */
export function parseRate(rate: RateOptions, option: string) {
  const problem = checkRate(rate, `\`${option}\``);
  if (problem !== null)
    throw new LonghandError('invalid_options', `Invalid option: ${problem}. Example: { requests: 100, per: '1m' }.`);
  const { requests, tokens, per } = rate;
  return {
    ...(requests === undefined ? {} : { requests }),
    ...(tokens === undefined ? {} : { tokens }),
    perMs: toMilliseconds(per),
  };
}

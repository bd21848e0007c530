/** Circuits of the endpoints that a worker calls. */

import { LonghandError } from '../core/lib/index.js';
import { defaults } from '../core/model/index.js';
import { breakCircuits, type CircuitRules, Circuits, type Models, mapEndpoints } from '../models/index.js';
import { type Duration, parseDuration } from '../options/index.js';

/**
 * Overloads, errors of the server and refused connections count; a rejected key or request does not, nor a rate limit, a timeout
 * or a reply that was cut. While the circuit of an endpoint is open, calls fail immediately, unsent and unpaid: the chain uses
 * another model if its agent has one, else it waits.
 */
export interface CircuitBreakerOptions {
  /** Failures in a row that open the circuit. Default 10. */
  readonly failures?: number;
  /** Time without calls. Then one call probes the endpoint; where it fails, the next pause is twice as long. Default 10 seconds. */
  readonly pause?: Duration;
  /** Default 1 minute. */
  readonly longestPause?: Duration;
}

/** @returns null for no circuits; @throws {LonghandError} `invalid_options` */
export function toCircuitRules(options: CircuitBreakerOptions | false = {}): CircuitRules | null {
  if (options === false) return null;
  const { failures = defaults.circuitFailures } = options;
  if (!Number.isInteger(failures) || failures < 1) {
    const message = `Invalid option \`circuitBreaker.failures\` ${failures}: expected a whole number from 1, or circuitBreaker: false.`;
    throw new LonghandError('invalid_options', message);
  }
  const pauseMs = parseDuration(options.pause ?? defaults.circuitPauseMs, 'circuitBreaker.pause');
  const longestPauseMs = parseDuration(
    options.longestPause ?? Math.max(pauseMs, defaults.circuitLongestPauseMs),
    'circuitBreaker.longestPause',
  );
  return { failures, pauseMs, longestPauseMs };
}

export function addCircuits(models: Models, rules: CircuitRules | null): Models {
  if (rules === null) return models;
  const circuits = new Circuits(rules);
  return mapEndpoints(models, (provider) => breakCircuits(provider, circuits));
}

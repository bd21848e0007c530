/**
 * Limits of requests: for each identity, and for each address that sends wrong credentials.
 *
 * They are counted in the memory of one gateway process: with several gateways, each counts for itself. They protect the
 * gateway, Temporal and the store from a client that went wild; they are no quota to bill by.
 */

import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Identity } from './identity.js';

type RateDecision = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number };

export interface RateLimitOptions {
  /** Requests per minute of an identity without its own limit. Default: 600. */
  readonly requestsPerMinute?: number;
  /** Rejected credentials per minute of an address. Default: 30. */
  readonly failuresPerMinute?: number;
}

export interface RateLimits {
  /** Counts a request. */
  readonly consume: (identity: Pick<Identity, 'id' | 'requestsPerMinute'>) => Promise<RateDecision>;
  /** Whether an address may try a credential. Counts nothing. */
  readonly checkAddress: (address: string) => Promise<RateDecision>;
  /** Counts a rejected credential. */
  readonly recordFailure: (address: string) => Promise<void>;
}

export const defaultRequestsPerMinute = 600;
const defaultFailuresPerMinute = 30;

/** Counts without a limit of its own: identities have different ones. */
const countOnly = { points: Number.MAX_SAFE_INTEGER, duration: 60 };

export function createRateLimits(options: RateLimitOptions = {}): RateLimits {
  const { requestsPerMinute = defaultRequestsPerMinute, failuresPerMinute = defaultFailuresPerMinute } = options;
  const requests = new RateLimiterMemory(countOnly);
  const failures = new RateLimiterMemory(countOnly);
  return {
    consume: async ({ id, requestsPerMinute: own }) => {
      const { consumedPoints, msBeforeNext } = await requests.consume(id);
      return consumedPoints <= (own ?? requestsPerMinute) ? { allowed: true } : reject(msBeforeNext);
    },
    checkAddress: async (address) => {
      const counted = await failures.get(toAddressGroup(address));
      return counted === null || counted.consumedPoints < failuresPerMinute
        ? { allowed: true }
        : reject(counted.msBeforeNext);
    },
    recordFailure: async (address) => {
      await failures.consume(toAddressGroup(address));
    },
  };
}

function reject(ms: number): RateDecision {
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(ms / 1_000)) };
}

/** Returns the part of an address that one client has: of IPv6 the network, in which it can choose any address. */
export function toAddressGroup(address: string): string {
  const [, mapped] = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

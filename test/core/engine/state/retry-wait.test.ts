/** The wait of a chain for its model's provider, in words. */

import { expect, it } from 'vitest';
import { findRetryWait, formatRetryWait } from '../../../../src/core/engine/state/retry-wait.js';
import { prepared } from '../../../support/core-play.js';

const failing = { held: true, failure: 'authentication' as const, message: 'invalid key' };
const { state } = prepared().chain;

it('a held chain shows when it is tried again and when it ends, seven days after its first failed attempt', () => {
  const since = Date.parse('2026-11-23T05:00:00Z');
  const nextAt = Date.parse('2026-11-23T05:12:30Z');
  const flight = { kind: 'modelRetry', retryDelayMs: 300_000, nextAt } as const;
  const wait = findRetryWait({ ...state, attempt: 4, failing: { ...failing, since }, flight });
  expect(wait && formatRetryWait(wait)).toBe(
    'held by the provider, attempt 4, next at 2026-11-23 05:12:30 UTC, ends by 2026-11-30 05:00:00 UTC',
  );
});

it('a chain whose agent sets a shorter time for retries ends that much earlier', () => {
  const { agent } = state;
  if (agent === null) throw new Error('The agent is missing.');
  const shorter = { ...agent, model: { ...agent.model, retry: { ...agent.model.retry, forMs: 60_000 } } };
  expect(findRetryWait({ ...state, agent: shorter, failing: { ...failing, since: 1_000 } })?.endsAt).toBe(61_000);
});

/** The table of failures of model calls. */

import { describe, expect, it } from 'vitest';
import { classifyFailure, computeBackoffMs, providerFailures } from '../../../src/core/engine/provider-failure.js';
import { defaults } from '../../../src/core/model/defaults.js';

describe('the kind of a failure', () => {
  it.each([
    [400, 'invalid_request_error', 'bad_request', false],
    [401, 'authentication_error', 'authentication', false],
    [402, 'billing_error', 'billing', false],
    [403, 'permission_error', 'permission', false],
    [404, 'not_found_error', 'not_found', false],
    [408, null, 'timeout', true],
    [409, null, 'server_error', true],
    [412, null, 'bad_request', false],
    [413, 'request_too_large', 'too_large', false],
    [422, null, 'bad_request', false],
    [429, 'rate_limit_error', 'rate_limit', true],
    [499, null, 'bad_request', false],
    [500, 'api_error', 'server_error', true],
    [502, null, 'server_error', true],
    [503, 'overloaded_error', 'overloaded', true],
    [504, null, 'server_error', true],
    [529, null, 'overloaded', true],
    [null, 'overloaded_error', 'overloaded', true],
    [null, 'rate_limit_error', 'rate_limit', true],
    [null, 'authentication_error', 'authentication', false],
    [null, 'constructor', 'server_error', true],
    [null, null, 'server_error', true],
  ] as const)('%s %s is %s; retryable: %s', (status, type, kind, again) => {
    expect(classifyFailure(status, type, 'words')).toBe(kind);
    expect(providerFailures[kind].retryable).toBe(again);
  });

  it.each([
    [400, 'prompt is too long: 215000 tokens > 200000 maximum'],
    [400, 'input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000'],
    [400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"],
    [400, 'the request exceeds the available context size, try increasing it'],
    [413, 'Prompt is too long'],
    [null, 'prompt is too long'],
  ])('%s "%s" is a context overflow', (status, message) => {
    expect(classifyFailure(status, 'invalid_request_error', message)).toBe('context_overflow');
  });

  it('reads the message only where the request is at fault', () => {
    expect(classifyFailure(500, 'api_error', 'failed to load the context window')).toBe('server_error');
    expect(classifyFailure(429, 'rate_limit_error', 'long context limit reached')).toBe('rate_limit');
  });

  it('recognizes an account without credit, which is reported as a bad request', () => {
    const message = 'Your credit balance is too low to access the Anthropic API.';
    expect(classifyFailure(400, 'invalid_request_error', message)).toBe('billing');
  });
});

describe('the table of failures', () => {
  it.each(['timeout', 'connection', 'cut', 'lost'] as const)('permits a retry of %s', (kind) => {
    expect(providerFailures[kind].retryable).toBe(true);
  });

  it.each(['cancelled', 'internal', 'context_overflow'] as const)('permits no retry of %s', (kind) => {
    expect(providerFailures[kind].retryable).toBe(false);
  });

  it.each(Object.entries(providerFailures))('has a remedy for %s in one sentence', (_, { remedy }) => {
    expect(remedy).toMatch(/^[A-Z][^.]*(?:\.[^ .][^.]*)*\.$/);
  });

  it('names the variable that holds the key', () => {
    expect(providerFailures.authentication.remedy).toContain('ANTHROPIC_API_KEY');
  });
});

describe('the wait before the next attempt', () => {
  it('doubles up to the longest', () => {
    expect([1, 2, 3, 4].map((attempt) => computeBackoffMs(attempt, null))).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(computeBackoffMs(20, null)).toBe(defaults.modelBackoffLongestMs);
    expect(computeBackoffMs(5_000, null)).toBe(defaults.modelBackoffLongestMs);
  });

  it('is exactly the wait that the provider requests', () => {
    expect(computeBackoffMs(1, 0)).toBe(0);
    expect(computeBackoffMs(1, 90_000)).toBe(90_000);
    expect(computeBackoffMs(6, 250)).toBe(250);
  });
});

/** Failures that providers report, and what a chain does next. */

import { describe, expect, it } from 'vitest';
import { providerFailures } from '../../../src/core/engine/failure-rules.js';
import { classifyFailure } from '../../../src/models/wire/classify-failure.js';

describe('the kind of a failure', () => {
  it.each([
    [400, 'invalid_request_error', 'bad_request', 'end'],
    [401, 'authentication_error', 'authentication', 'hold'],
    [402, 'billing_error', 'billing', 'hold'],
    [403, 'permission_error', 'permission', 'hold'],
    [404, 'not_found_error', 'not_found', 'hold'],
    [408, null, 'timeout', 'retry'],
    [409, null, 'server_error', 'retry'],
    [412, null, 'bad_request', 'end'],
    [413, 'request_too_large', 'too_large', 'end'],
    [422, null, 'bad_request', 'end'],
    [429, 'rate_limit_error', 'rate_limit', 'retry'],
    [499, null, 'bad_request', 'end'],
    [500, 'api_error', 'server_error', 'retry'],
    [502, null, 'server_error', 'retry'],
    [503, 'overloaded_error', 'overloaded', 'retry'],
    [504, null, 'server_error', 'retry'],
    [529, null, 'overloaded', 'retry'],
    [null, 'overloaded_error', 'overloaded', 'retry'],
    [null, 'rate_limit_error', 'rate_limit', 'retry'],
    [null, 'authentication_error', 'authentication', 'hold'],
    [null, 'constructor', 'server_error', 'retry'],
    [429, 'insufficient_quota', 'billing', 'hold'],
    [400, 'context_length_exceeded', 'context_overflow', 'end'],
    [404, 'model_not_found', 'not_found', 'hold'],
    [null, null, 'server_error', 'retry'],
  ] as const)('%s %s is %s; next: %s', (status, type, kind, next) => {
    expect(classifyFailure(status, type === null ? [] : [type], 'words')).toBe(kind);
    expect(providerFailures[kind].next).toBe(next);
  });

  it.each([
    [400, 'prompt is too long: 215000 tokens > 200000 maximum'],
    [400, 'input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000'],
    [400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"],
    [400, 'the request exceeds the available context size, try increasing it'],
    [413, 'Prompt is too long'],
    [null, 'prompt is too long'],
  ])('%s "%s" is a context overflow', (status, message) => {
    expect(classifyFailure(status, ['invalid_request_error'], message)).toBe('context_overflow');
  });

  it.each([
    'acme/none is not a valid model ID',
    'Invalid model name passed in model=none',
    'The model `x` does not exist',
  ])('400 "%s" is an unknown model', (message) => {
    expect(classifyFailure(400, [], message)).toBe('not_found');
  });

  it('reads the message only where the request is at fault', () => {
    expect(classifyFailure(500, ['api_error'], 'failed to load the context window')).toBe('server_error');
    expect(classifyFailure(429, ['rate_limit_error'], 'long context limit reached')).toBe('rate_limit');
  });

  it('recognizes an account without credit, which is reported as a bad request', () => {
    const message = 'Your credit balance is too low to access the Anthropic API.';
    expect(classifyFailure(400, ['invalid_request_error'], message)).toBe('billing');
  });
});

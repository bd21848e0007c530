/** L6: failed calls to models of the AI SDK whose charge only their packages make uncertain. The others are in the contract. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it, vi } from 'vitest';
import { serve } from '../call.js';
import { failureOf, versions } from './call.js';

describe.each(versions)('a call to a model of AI SDK %s', (_version, createModel) => {
  it.each([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate_limit'],
  ])(
    'costs the reservation if its first event is an error (%s), to which the package gives a status',
    async (type, kind) => {
      const server = await serve([{ errorAfter: 0, text: '', error: { type, message: 'sorry' } }]);
      const failure = await failureOf(createModel(server.url));
      expect(failure).toMatchObject({ kind, message: 'sorry', status: null, settle: 'reservation' });
    },
  );

  it('costs the reservation and is no reply if its stream ends after its text as if it were complete', async () => {
    const server = await serve([{ cutAfter: 5, text: 'It rains in Paris.', cleanly: true }]);
    expect(await failureOf(createModel(server.url))).toMatchObject({ kind: 'cut', settle: 'reservation' });
  });
});

it('a model without its key costs nothing, and its failure names the key', async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', undefined);
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', undefined);
  const failure = await failureOf(createAnthropic({})('claude-sonnet-5-5'));
  vi.unstubAllEnvs();
  expect(failure).toMatchObject({ kind: 'authentication', settle: 'nothing' });
  expect(failure.message).toContain('ANTHROPIC_API_KEY');
});

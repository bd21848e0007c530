/** Errors of servers of Chat Completions, in all their shapes. */

import { describe, expect, it } from 'vitest';
import { callChat, toFailure } from '../call.js';

const baseURL = 'http://127.0.0.1:1';

async function failWith(status: number, body: string, type = 'application/json') {
  const fetch = async () => new Response(body, { status, headers: { 'content-type': type } });
  return toFailure(await callChat('', { provider: { baseURL, apiKey: 'test', fetch } }));
}

describe('an error', () => {
  it.each([
    [
      'OpenAI, without credit',
      429,
      { error: { message: 'No', type: 'insufficient_quota', code: 'insufficient_quota' } },
      'billing',
      'No',
    ],
    [
      'OpenAI, too long',
      400,
      { error: { message: 'No', type: 'invalid_request_error', code: 'context_length_exceeded' } },
      'context_overflow',
      'No',
    ],
    ['OpenAI, no such model', 404, { error: { message: 'No', code: 'model_not_found' } }, 'not_found', 'No'],
    [
      'Gemini',
      429,
      [{ error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED' } }],
      'rate_limit',
      'Slow down',
    ],
    [
      'Mistral',
      422,
      { object: 'error', message: { detail: [{ msg: 'Extra' }] } },
      'bad_request',
      '{"detail":[{"msg":"Extra"}]}',
    ],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 9 tokens",
        type: 'BadRequestError',
        code: 400,
      },
      'context_overflow',
      "This model's maximum context length is 9 tokens",
    ],
    [
      'llama.cpp',
      400,
      { error: { code: 400, message: 'No', type: 'exceed_context_size_error' } },
      'context_overflow',
      'No',
    ],
    ['Ollama', 404, { error: 'model "x" not found' }, 'not_found', 'model "x" not found'],
    ['OpenRouter', 402, { error: { message: 'Insufficient credits', code: 402 } }, 'billing', 'Insufficient credits'],
    ['a gateway', 403, { detail: 'Forbidden' }, 'permission', 'Forbidden'],
  ])('of %s is read', async (_, status, body, kind, message) => {
    expect(await failWith(status, JSON.stringify(body))).toMatchObject({ kind, message, status, settle: 'nothing' });
  });

  it.each([
    ['a page', '<html>Bad gateway</html>', '502 <html>Bad gateway</html>'],
    ['nothing', '', '502 status code (no body)'],
  ])('with %s as body has its status', async (_, body, message) => {
    expect(await failWith(502, body, 'text/html')).toMatchObject({ kind: 'server_error', message, status: 502 });
  });

  it('in a stream has its status as a code', async () => {
    const chunk = { error: { code: 429, message: 'Slow down' }, choices: [{ finish_reason: 'error', delta: {} }] };
    const failure = await failWith(200, `: comment\n\ndata: ${JSON.stringify(chunk)}\n\n`, 'text/event-stream');
    expect(failure).toMatchObject({ kind: 'rate_limit', message: 'Slow down', settle: 'reservation' });
  });

  it('with status 200 in one piece is a failure, charged in full', async () => {
    const failure = await failWith(200, JSON.stringify({ error: { code: 502, message: 'No upstream' } }));
    expect(failure).toMatchObject({ kind: 'server_error', message: 'No upstream', settle: 'reservation' });
  });

  it('never contains a key of the headers', async () => {
    const key = 'gateway-key-0123456789';
    const fetch = async () => new Response(JSON.stringify({ error: { message: `Bad ${key}` } }), { status: 401 });
    const headers = { 'x-gateway-token': key };
    const failure = toFailure(await callChat('', { provider: { baseURL, apiKey: 'test', fetch, headers } }));
    expect(failure.message).not.toContain(key);
  });
});

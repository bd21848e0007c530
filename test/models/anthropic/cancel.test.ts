/** The Messages API reports input tokens first, so a cancelled call costs its usage so far. */

import { describe, expect, it, vi } from 'vitest';
import type { ModelFailure } from '../../../src/core/model/fact.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { failureAt, serve } from '../call.js';

describe('a cancelled call', () => {
  it('costs the usage so far after the reply has begun, with the received bytes as output', async () => {
    const text = 'It rains in Paris: 12 °C';
    const failure = await cancelCall({ hang: true, afterEvents: 4, text }, Buffer.byteLength(text));
    expect(failure).toMatchObject({ kind: 'cancelled', settle: 'usage' });
    expect(failure.usage?.input).toBeGreaterThan(10);
    expect(failure.usage?.output).toBe(Buffer.byteLength(text));
  });

  it('never costs more output than its limit', async () => {
    const failure = await cancelCall({ hang: true, afterEvents: 6, text: 'rain '.repeat(40) }, 21, 20);
    expect(failure.usage?.output).toBe(20);
  });
});

/** Cancels once the server has the request and a number of bytes has been received. */
async function cancelCall(script: ScriptedReply, bytes: number, maxTokens = 2_000): Promise<ModelFailure> {
  const server = await serve([script]);
  const controller = new AbortController();
  let received = '';
  const call = failureAt(server.url, {
    maxTokens,
    options: { signal: controller.signal, onText: (delta) => (received += delta) },
  });
  const isReady = () => server.requests.length === 1 && Buffer.byteLength(received) >= bytes;
  await vi.waitFor(() => expect(isReady()).toBe(true), { interval: 5 });
  controller.abort();
  return call;
}

/** A cancelled call ends at once, and its charge is known. */

import { describe, expect, it, vi } from 'vitest';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { callProvider, toFailure } from '../call.js';
import { type ContractWire, play } from './contract.js';

/** Milliseconds. */
const mostMs = 500;

/** A machine that is busy with other things may pause this process for longer; it does not do so each time. */
const measured = { retry: 2 };

export function proveCancel(wire: ContractWire): void {
  describe(`a cancelled call over ${wire.name}`, () => {
    it('costs nothing if it was not sent', async () => {
      const { server, provider } = await play(wire, []);
      const failure = toFailure(await callProvider(provider, { options: { signal: AbortSignal.abort() } }));
      expect(failure).toMatchObject({ kind: 'cancelled', settle: 'nothing' });
      expect(server.requests).toHaveLength(0);
    });

    it.each<[string, ScriptedReply]>([
      ['headers', { hang: true }],
      ['chunk', { hang: true, afterEvents: 0 }],
    ])(`before the first %s ends within ${mostMs} ms and costs the reservation`, measured, async (_, script) => {
      const { failure, ms } = await cancelCall(wire, script, '');
      expect(failure).toMatchObject({ kind: 'cancelled', settle: 'reservation', usage: null });
      expect(ms).toBeLessThan(mostMs);
    });

    it(
      `in the middle of the reply ends within ${mostMs} ms and costs its usage so far, where that is known`,
      measured,
      async () => {
        const text = 'It rains in Paris: 12 °C';
        const { failure, ms } = await cancelCall(wire, { hang: true, afterEvents: 4, text: text.repeat(9) }, text);
        expect(failure).toMatchObject({ kind: 'cancelled', settle: wire.reportsInputFirst ? 'usage' : 'reservation' });
        if (wire.reportsInputFirst) {
          expect(failure.usage?.input).toBeGreaterThan(10);
          expect(failure.usage?.output).toBeGreaterThanOrEqual(20);
          expect(failure.usage?.output).toBeLessThanOrEqual(2_000);
        }
        expect(ms).toBeLessThan(mostMs);
      },
    );
  });
}

/** Cancels once the server has the request and a text has been received. */
async function cancelCall(wire: ContractWire, script: ScriptedReply, text: string) {
  const { server, provider } = await play(wire, [script]);
  const controller = new AbortController();
  let received = '';
  const call = callProvider(provider, {
    options: { signal: controller.signal, onText: (delta) => (received += delta) },
  });
  await vi.waitFor(() => expect([server.requests.length, received.length >= text.length]).toEqual([1, true]), {
    interval: 5,
  });
  const from = performance.now();
  controller.abort();
  const failure = toFailure(await call);
  const ms = performance.now() - from;
  await vi.waitFor(() => expect(server.aborted).toBe(1));
  return { failure, ms };
}

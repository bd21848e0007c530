/** Streams that are cut, stall, or whose last event is incomplete. */

import { describe, expect, it, vi } from 'vitest';
import type { ModelCallResult } from '../../../src/models/wire/provider.js';
import { budget } from '../../support/budget.js';
import { type CompleteReply, toWireReply } from '../../support/scripted-reply.js';
import { callProvider, toFailure, toReply } from '../call.js';
import { type ContractWire, hasGap, play, reply } from './contract.js';

/** A machine that is busy with other things may read the first event only after the stall; it does not do so each time. */
const measured = { retry: 2 };

/** A reply with every kind of event, and characters of one to four bytes. */
const rich: CompleteReply = {
  thinking: 'I häve to 考える 🌦 first, and then I know it.',
  text: 'It räins in Paris — 12 °C, and 🌦 later, as I see it.',
  calls: [
    { name: 'a', input: { city: 'São Paulo', note: 'これは 🌦' }, id: 'c1' },
    { name: 'b', input: { days: [1, 2, 3] }, id: 'c2' },
  ],
  usage: { input: 31, output: 70, cacheRead: 0, cacheWrite: 0, thinking: 0 },
};

const chargeOfInput = { settle: 'usage', usage: { ...rich.usage, output: 2_000 } };
const chargeInFull = { settle: 'reservation', usage: null };

function listEvents(wire: ContractWire): readonly Buffer[] {
  const facts = { model: 'claude-sonnet-5-5', bytes: 1, stopSequences: [], callId: () => '' };
  return wire.answers.toEvents(toWireReply(rich, facts)).map((event) => Buffer.from(event));
}

function countFirstEventBytes(wire: ContractWire): number {
  return listEvents(wire)[0]?.length ?? 0;
}

/** The bytes of the stream, and where it can be cut: around and within each event, and within characters. */
function listCuts(wire: ContractWire): readonly number[] {
  const events = listEvents(wire);
  const whole = Buffer.concat(events);
  const kinds = new Set<string>();
  const places = new Set<number>([0, 1, whole.length - 1, whole.length - 2]);
  let at = 0;
  for (const event of events) {
    const kind = event.toString().replace(/\d+|: ?"[^"]*"/g, '');
    const isNew = !kinds.has(kind);
    kinds.add(kind);
    // A byte of the form 10xxxxxx continues a character.
    const inCharacter = event.findIndex((byte) => (byte & 0xc0) === 0x80);
    if (isNew) for (const within of [0, 1, event.length >> 1, event.length - 1]) places.add(at + within);
    if (inCharacter > 0) places.add(at + inCharacter);
    at += event.length;
  }
  const stride = budget(97, wire.isReadByPackage ? 13 : 1);
  for (let byte = 0; byte < whole.length; byte += stride) places.add(byte);
  return [...places].sort((a, b) => a - b);
}

export function proveStreams(wire: ContractWire): void {
  describe(`a stream over ${wire.name}`, () => {
    it('that is cut at any byte is the whole reply or a failed attempt, and never a part of the reply', async () => {
      const cuts = listCuts(wire);
      const firstEventBytes = countFirstEventBytes(wire);
      for (const cleanly of [false, true]) {
        const script = [rich, ...cuts.map((cutAtByte) => ({ cutAtByte, reply: rich, cleanly }))];
        const { server, provider } = await play(wire, script);
        const whole = await reply(provider);
        let isComplete = false;
        for (const cut of cuts) {
          const result = await callProvider(provider);
          expect({ cut, ...summarize(result) }).toEqual({
            cut,
            ...(result.ok ? { content: whole.content, stopReason: 'tool_use' } : { kind: 'cut' }),
          });
          if (!result.ok) {
            const { settle, usage } = result.failure;
            // Where the first event arrived, its input is charged, and of the output all that may have been written.
            const isReported = usage !== null;
            expect({ cut, settle, usage }).toEqual({ cut, ...(isReported ? chargeOfInput : chargeInFull) });
            if (!wire.reportsInputFirst) expect(isReported).toBe(false);
            // A reset may discard the event.
            else if (cleanly) expect(isReported).toBe(cut >= firstEventBytes);
          }
          // Where more bytes arrive, no less is known. A reset may discard bytes that were not read yet.
          expect(result.ok || !isComplete || !cleanly).toBe(true);
          isComplete = result.ok;
        }
        if (cleanly) expect(isComplete).toBe(!hasGap(wire, 'last event'));
        expect(server.requests).toHaveLength(script.length);
      }
    });

    it('that is cut before its headers is charged in full', async () => {
      const { provider } = await play(wire, [{ cutAtByte: null, reply: rich }]);
      const failure = toFailure(await callProvider(provider));
      expect(failure).toMatchObject({ kind: 'connection', settle: 'reservation', usage: null });
    });

    it.each([1, 2, 12])('is complete without the last %i bytes of its last event', async (endLacks) => {
      const { server, provider } = await play(wire, [rich, { ...rich, endLacks }]);
      const whole = await reply(provider);
      const result = await callProvider(provider);
      if (hasGap(wire, 'last event')) expect(toFailure(result)).toMatchObject({ kind: 'cut', settle: 'reservation' });
      else expect(toReply(result)).toEqual(whole);
      expect(server.requests).toHaveLength(2);
    });

    it(
      'that stalls between chunks is a timeout, and charged in full where no usage was reported',
      measured,
      async () => {
        const stalls = [{ hang: true, afterEvents: 2 }, { hang: true, afterEvents: 0 }, { hang: true }] as const;
        const { server, provider } = await play(wire, stalls, { stallTimeout: 400 });
        for (const stall of stalls) {
          const failure = toFailure(await callProvider(provider));
          expect(failure).toMatchObject({ kind: 'timeout' });
          if (wire.reportsInputFirst && 'afterEvents' in stall && stall.afterEvents > 0)
            expect(failure).toMatchObject({ settle: 'usage', usage: { output: 2_000 } });
          else expect(failure).toMatchObject(chargeInFull);
        }
        await vi.waitFor(() => expect(server.aborted).toBe(3));
      },
    );

    it('that is slow, but does not stall, is complete', async () => {
      const { provider } = await play(wire, [{ text: 'slow '.repeat(50), chunkDelayMs: 100 }], { stallTimeout: 900 });
      expect((await reply(provider)).stopReason).toBe('end_turn');
    });

    it("that takes longer than the model's timeout is a timeout", async () => {
      const { provider } = await play(wire, [{ text: 'slow '.repeat(500), chunkDelayMs: 10 }]);
      const failure = toFailure(await callProvider(provider, { model: { timeoutMs: 400 } }));
      expect(failure).toMatchObject({ kind: 'timeout', settle: wire.reportsInputFirst ? 'usage' : 'reservation' });
    });

    it.each([
      ['overloaded_error', 'overloaded'],
      ['rate_limit_error', 'rate_limit'],
      ['invalid_request_error', 'bad_request'],
      ['something_new', 'server_error'],
    ])('with an error (%s) is %s, and charged in full where no usage was reported', async (type, kind) => {
      const { provider } = await play(wire, [{ errorAfter: 2, text: 'It rains', error: { type, message: 'sorry' } }]);
      const failure = toFailure(await callProvider(provider));
      const settle = wire.reportsInputFirst ? 'usage' : 'reservation';
      expect(failure).toMatchObject({ kind, message: 'sorry', status: null, settle });
    });
  });
}

function summarize(result: ModelCallResult): object {
  if (!result.ok) return { kind: result.failure.kind };
  const { content, stopReason } = result.reply;
  return { content, stopReason };
}

/** Interim results of a tool: the newest counts, they are masked and bounded, and they end with the attempt. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createInterimEmitter, type InterimOptions } from '../../../src/activities/tool/call-interim.js';
import type { InterimResult } from '../../../src/core/model/interim.js';
import { createSecretMasker, noSecretMasker } from '../../../src/core/redact/known-secrets.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open(options: Partial<InterimOptions> = {}) {
  const sent: (InterimResult | null)[] = [];
  const sequences: number[] = [];
  const send = (interim: InterimResult | null, sequence: number) => {
    sent.push(interim);
    sequences.push(sequence);
  };
  const emitter = createInterimEmitter({ send, masker: noSecretMasker, getVisibility: () => ({}), ...options });
  return { ...emitter, sent, sequences };
}

describe('the interim results of a tool', () => {
  it('are sent at most five times a second, the newest each time', () => {
    const { emit, sent } = open();
    for (let at = 1; at <= 100; at += 1) {
      emit(at);
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(200);
    expect(sent.length).toBeLessThanOrEqual(7);
    expect(sent.length).toBeGreaterThanOrEqual(5);
    expect(sent.at(-1)).toEqual({ value: 100 });
  });

  it('cost next to nothing where a tool emits 100,000 times: one value is converted', () => {
    const { emit, sent } = open();
    const toJSON = vi.fn(() => 'large');
    const begin = performance.now();
    for (let at = 0; at < 100_000; at += 1) emit({ at, toJSON });
    expect(performance.now() - begin).toBeLessThan(1_000);
    expect(toJSON).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([{ value: 'large' }]);
    expect(toJSON).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('are converted less often where that takes long: at most a twentieth of the time', () => {
    const toJSON = vi.fn(() => {
      vi.setSystemTime(Date.now());
      vi.advanceTimersByTime(100);
      return 'slow';
    });
    const { emit } = open();
    for (let at = 0; at < 100; at += 1) {
      emit({ toJSON });
      vi.advanceTimersByTime(100);
    }
    // Each takes 100 ms of these 10 seconds.
    expect(toJSON.mock.calls.length).toBeLessThanOrEqual(6);
  });

  it('have at most 2 KB as JSON, for any value that a tool emits', () => {
    const { emit, sent } = open();
    let deep: unknown[] = [];
    for (let level = 0; level < 5_000; level += 1) deep = [deep];
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const values = [
      'x'.repeat(1_000_000),
      '\u0001"\\'.repeat(10_000),
      Array.from({ length: 10_000 }, (_, at) => ({ at, text: 'row\n'.repeat(9) })),
      { rows: { text: '😀'.repeat(5_000) } },
      deep,
      cyclic,
      10n,
      undefined,
      () => 1,
    ];
    for (const value of values) {
      emit(value);
      vi.advanceTimersByTime(60_000);
    }
    expect(new Set(sent.map((each) => JSON.stringify(each))).size).toBeGreaterThanOrEqual(6);
    for (const each of sent) expect(Buffer.byteLength(JSON.stringify(each?.value))).toBeLessThanOrEqual(2_048 * 1.1);
    expect(sent.at(-1)).toEqual({ value: null });
    expect(sent).toContainEqual({ value: '[cannot be shown]' });
  });

  it('have their secrets masked before they leave the activity, and are not cut before that', () => {
    const { emit, sent } = open({ masker: createSecretMasker(['hunter2hunter2']) });
    // Wherever a text without words is cut, it is cut in a secret.
    emit(`log: ${'hunter2hunter2'.repeat(500)}`);
    vi.advanceTimersByTime(1);
    emit({ log: 'hunter2hunter2'.repeat(500) });
    vi.advanceTimersByTime(10_000);
    expect(JSON.stringify(sent)).toContain('[redacted:secret]');
    expect(JSON.stringify(sent)).not.toMatch(/hunt|nter|ter2/);
  });

  it('have the visibility that the tool had set by then', () => {
    let level: 'hidden' | null = null;
    const getVisibility = () => (level === null ? {} : { visibility: { level, summary: 'Looked' } });
    const { emit, sent } = open({ getVisibility });
    emit('a');
    vi.advanceTimersByTime(300);
    level = 'hidden';
    emit('b');
    vi.advanceTimersByTime(300);
    expect(sent).toEqual([{ value: 'a' }, { value: 'b', visibility: { level: 'hidden' } }]);
  });

  it('are sent again every five seconds, with their number, for readers that begin later', () => {
    const { emit, sent, sequences } = open();
    emit('a');
    vi.advanceTimersByTime(10_500);
    expect(sent).toEqual([{ value: 'a' }, { value: 'a' }, { value: 'a' }]);
    expect(sequences).toEqual([1, 1, 1]);
  });

  it('end with the attempt, in any way: null replaces the last one, and later ones are ignored', () => {
    const { emit, stop, sent, sequences } = open();
    emit('a');
    vi.advanceTimersByTime(300);
    emit('b');
    stop();
    emit('c');
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([{ value: 'a' }, null]);
    expect(sequences).toEqual([1, 2]);
    expect(vi.getTimerCount()).toBe(0);
    const silent = open();
    silent.stop();
    expect(silent.sent).toEqual([]);
  });

  it('do not fail a worker whose channel throws', () => {
    const send = vi.fn(() => {
      throw new Error('closed');
    });
    const { emit, stop } = open({ send });
    emit('a');
    expect(() => vi.advanceTimersByTime(300)).not.toThrow();
    stop();
    expect(send).toHaveBeenCalledTimes(2);
  });
});

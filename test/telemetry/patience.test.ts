/** A flush waits for a collector for a limited time. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFlush } from '../../src/telemetry/sdk.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a flush that ends in time causes no warning', async () => {
  const late = vi.fn();
  await createFlush(async () => {}, late)();
  expect(late).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

it('a flush does not wait again after a timeout until something has been sent', async () => {
  const sends: (() => void)[] = [];
  const late = vi.fn();
  const flush = createFlush(() => new Promise<void>((resolve) => sends.push(resolve)), late);
  const measureFlush = async () => {
    const began = Date.now();
    const done = flush();
    await vi.runAllTimersAsync();
    await done;
    return Date.now() - began;
  };
  expect(await measureFlush()).toBe(3_000);
  expect(await measureFlush()).toBe(0);
  expect(late).toHaveBeenCalledTimes(2);
  sends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(await measureFlush()).toBe(3_000);
});

/** Calls that wait for a slot of their tool in a worker. */

import { expect, it } from 'vitest';
import { CallSlots } from '../../src/activities/context/call-slots.js';
import type { ToolConcurrency } from '../../src/index.js';
import { NotDone } from '../../src/index.js';

const limit = (perWorker: number, slotTimeoutMs = 60_000): ToolConcurrency => ({
  group: 'query',
  perWorker,
  slotTimeoutMs,
});

const someCaller = () => {
  const reasons: string[] = [];
  const control = new AbortController();
  const onWait = (reason: string) => void reasons.push(reason);
  const caller = (chainId: string) => ({ chainId, signal: control.signal, onWait });
  return { reasons, caller, cancel: () => control.abort(new Error('cancelled')) };
};

it('a chain with many calls does not keep another one waiting', async () => {
  const slots = new CallSlots();
  const { caller, reasons } = someCaller();
  const order: string[] = [];
  const take = async (chainId: string, call: string) => {
    const slot = await slots.acquire(limit(1), caller(chainId));
    order.push(call);
    return slot;
  };
  const first = await take('many', 'many-1');
  const waiting = [take('many', 'many-2'), take('many', 'many-3'), take('few', 'few-1')];
  expect(reasons[0]).toBe('Waiting for a free slot: 1 of 1 calls of query run in this worker.');
  first.release();
  for (const next of [waiting[2], waiting[0], waiting[1]]) (await next)?.release();
  expect(order).toEqual(['many-1', 'few-1', 'many-2', 'many-3']);
});

it('a call whose chain runs least is next', async () => {
  const slots = new CallSlots();
  const { caller } = someCaller();
  const order: string[] = [];
  const take = async (chainId: string) => {
    const slot = await slots.acquire(limit(2), caller(chainId));
    order.push(chainId);
    return slot;
  };
  const [first, second] = [await take('many'), await take('many')];
  const waiting = [take('many'), take('few')];
  first.release();
  await waiting[1];
  expect(order).toEqual(['many', 'many', 'few']);
  second.release();
  await waiting[0];
});

it('a call without a slot did not run: its wait was cancelled or took too long', async () => {
  const slots = new CallSlots();
  const { caller, cancel } = someCaller();
  const held = await slots.acquire(limit(1), caller('a'));
  const late = slots.acquire(limit(1, 20), caller('b'));
  await expect(late).rejects.toThrow(
    new NotDone(
      'It did not run: no slot was free within 20 ms (1 of 1 calls of query run in this worker). Call it again later, or continue without it.',
    ),
  );
  await expect(late).rejects.toThrow(NotDone);
  const stopped = slots.acquire(limit(1), caller('b'));
  cancel();
  await expect(stopped).rejects.toThrow(new NotDone('It did not run: it was stopped while it waited for a free slot.'));
  held.release();
  const free = someCaller();
  await expect(slots.acquire(limit(1), free.caller('c'))).resolves.toMatchObject({ hasWaited: false });
});

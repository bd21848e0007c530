/**
 * Executes a call once it has a slot of its tool. The wait is within the attempt, whose timeout is that much longer: once the
 * call has its slot, the worker keeps the time limit of the tool itself.
 */

import { Context } from '@temporalio/activity';
import { formatExactDuration, toErrorMessage } from '../../core/lib/index.js';
import { type ChainState, defaults, type Effects, type ToolConcurrency } from '../../core/model/index.js';
import { maxTimerMs } from '../../timing/index.js';
import { NotDone, type Tool } from '../../tools/define/index.js';
import type { CallSlots } from '../context/call-slots.js';
import type { InterimEmitter } from './call-interim.js';

interface SlotParts {
  readonly slots: CallSlots;
  readonly chainId: string;
  /** Returns the chain's current state. */
  readonly readState: () => Promise<Pick<ChainState, 'stop'>>;
  /** Shows why the call waits. */
  readonly interim: Pick<InterimEmitter, 'emit' | 'clear'>;
}

/** Runs a function, with a signal that also aborts at the time limit. */
export type HoldSlot = (signal: AbortSignal, execute: (signal: AbortSignal) => unknown) => unknown;

/** A tool without a limit runs immediately, and Temporal keeps its time limit. */
export function createSlotHolder({ snapshot }: Tool, { slots, chainId, readState, interim }: SlotParts): HoldSlot {
  const { concurrency, timeoutMs } = snapshot;
  if (concurrency === undefined) return (signal, execute) => execute(signal);
  const { info } = Context.current();
  return async (signal, execute) => {
    const fitting = fitWait(concurrency, timeoutMs, info.startToCloseTimeoutMs);
    const slot = await slots.acquire(fitting, { chainId, signal, onWait: interim.emit });
    if (slot.hasWaited) {
      interim.clear();
      await checkGoesOn(readState, snapshot.effects).catch((error: unknown) => {
        slot.release();
        throw error;
      });
    }
    // L5: a slow store or history may have outlived the attempt.
    if (signal.aborted) {
      slot.release();
      throw new NotDone('It did not run: it was stopped while it waited for a free slot.');
    }
    const limit = createTimeLimit(timeoutMs);
    const running = (async () => execute(AbortSignal.any([signal, limit.signal])))();
    // A function that ignores its signal keeps its slot for a while: it may still use what the slots protect.
    void Promise.race([running.catch(() => {}), limit.waitAfter(defaults.graceMs)]).then(slot.release);
    try {
      return await Promise.race([running, limit.reached]);
    } finally {
      limit.stop();
    }
  };
}

/**
 * L5: a cancel reaches each call with its next heartbeat. The end of one call may give another one its slot before that.
 *
 * @throws {NotDone}
 */
async function checkGoesOn(readState: SlotParts['readState'], effects: Effects): Promise<void> {
  const state = await readState().catch((error: unknown) => {
    const message = `It did not run: the history of its chain cannot be read. ${toErrorMessage(error)}`;
    throw effects === 'unsafe' ? new NotDone(message) : new Error(message);
  });
  if (state.stop !== null) throw new NotDone('It did not run: its chain stopped while it waited for a free slot.');
}

/** A chain that started before the tool had slots has no time for the wait in its attempts. */
function fitWait(concurrency: ToolConcurrency, timeoutMs: number, attemptMs: number): ToolConcurrency {
  const maxMs = Math.max(attemptMs - timeoutMs - defaults.graceMs, Math.floor(attemptMs / 2));
  return { ...concurrency, slotTimeoutMs: Math.min(concurrency.slotTimeoutMs, maxMs) };
}

/** The tool did not end within its time limit. It may still run. */
export class TimeLimitReached extends Error {
  override readonly name = 'TimeLimitReached';
}

function createTimeLimit(ms: number) {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        const error = new TimeLimitReached(`its time limit of ${formatExactDuration(ms)}`);
        controller.abort(error);
        reject(error);
      },
      Math.min(ms, maxTimerMs),
    );
  });
  reached.catch(() => {});
  return {
    reached,
    signal: controller.signal,
    /** Resolves that long after the limit; never if it is not reached. */
    waitAfter: (graceMs: number) =>
      new Promise<void>((resolve) => {
        controller.signal.addEventListener('abort', () => setTimeout(resolve, graceMs).unref(), { once: true });
      }),
    stop: () => clearTimeout(timer),
  };
}

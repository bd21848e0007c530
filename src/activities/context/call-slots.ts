/**
 * Slots of calls whose tool limits how many run in this worker.
 *
 * L5: a call without a slot did not run, so every failure here is `NotDone`.
 */

import { formatExactDuration } from '../../core/lib/index.js';
import type { ToolConcurrency } from '../../core/model/index.js';
import { maxTimerMs } from '../../timing/index.js';
import { NotDone } from '../../tools/define/index.js';
import { FairQueue } from './fair-queue.js';

export interface SlotCaller {
  readonly chainId: string;
  /** Cancels the wait. */
  readonly signal: AbortSignal;
  /** Receives why the call waits. */
  readonly onWait: (reason: string) => void;
}

export interface CallSlot {
  readonly hasWaited: boolean;
  readonly release: () => void;
}

export class CallSlots {
  private readonly queues = new Map<string, FairQueue>();

  /**
   * Waits for a slot, which the call keeps until it releases it.
   *
   * @throws {NotDone} when the wait is cancelled or takes too long
   */
  async acquire({ group, perWorker, slotTimeoutMs }: ToolConcurrency, caller: SlotCaller): Promise<CallSlot> {
    const { chainId, onWait } = caller;
    const queue = this.queues.get(group) ?? new FairQueue();
    this.queues.set(group, queue);
    const running = queue.countRunning();
    const reason = running < perWorker ? null : `${running} of ${perWorker} calls of ${group} run in this worker`;
    if (reason !== null) onWait(`Waiting for a free slot: ${reason}.`);
    const timeout = AbortSignal.timeout(Math.min(slotTimeoutMs, maxTimerMs));
    const signal = AbortSignal.any([caller.signal, timeout]);
    try {
      await queue.acquire({ chainId, slots: perWorker, signal });
    } catch {
      if (caller.signal.aborted) throw new NotDone('It did not run: it was stopped while it waited for a free slot.');
      const why = reason === null ? '' : ` (${reason})`;
      throw new NotDone(
        `It did not run: no slot was free within ${formatExactDuration(slotTimeoutMs)}${why}. Call it again later, or continue without it.`,
      );
    }
    return { hasWaited: reason !== null, release: () => queue.release(chainId) };
  }
}

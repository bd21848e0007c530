/**
 * Places of calls whose tool limits how many run at once: first in this worker, then in all workers of the store.
 *
 * L5: a call without a place did not run, so every failure here is `NotDone`.
 */

import { formatExactDuration } from '../../core/lib/display.js';
import { toErrorMessage } from '../../core/lib/errors.js';
import type { ToolConcurrency } from '../../core/model/agent.js';
import type { FleetPlaces, LineEntry } from '../../store/places/fleet-places.js';
import { NotDone } from '../../tools/define/errors.js';
import { createWorkerLine, type WorkerLine } from './worker-line.js';

export interface CallPlaces {
  /**
   * Waits for a place, which the call keeps until it leaves.
   *
   * @throws {NotDone} where the wait is cancelled or takes too long
   */
  readonly take: (concurrency: ToolConcurrency, caller: PlaceCaller) => Promise<CallPlace>;
}

export interface PlaceCaller {
  readonly chainId: string;
  /** Cancels the wait. */
  readonly signal: AbortSignal;
  /** Receives why it waits, whenever that changes. */
  readonly onWait: (reason: string) => void;
  readonly warn: (message: string) => void;
}

export interface CallPlace {
  readonly hasWaited: boolean;
  readonly leave: () => void;
}

/** Milliseconds between two looks at the line of the fleet: of the next calls in it, and of those far behind. */
const lookMs = 250;
const longestLookMs = 2_000;
/** Milliseconds between two tries at a store that is unavailable. */
const retryMs = 1_000;
/** A longer timer fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/** @param fleet null without a store */
export function createCallPlaces(fleet: FleetPlaces | null): CallPlaces {
  const lines = new Map<string, WorkerLine>();
  const getLine = (group: string) => {
    const line = lines.get(group) ?? createWorkerLine();
    lines.set(group, line);
    return line;
  };
  return {
    take: async (concurrency, caller) => {
      const { group, perWorker, waitMs } = concurrency;
      const { chainId, onWait } = caller;
      const late = AbortSignal.timeout(Math.min(waitMs, maxTimerMs));
      const signal = AbortSignal.any([caller.signal, late]);
      const line = getLine(group);
      let reason: string | null = null;
      const report = (next: string) => {
        if (next === reason) return;
        reason = next;
        onWait(`Waiting for a free place: ${next}.`);
      };
      try {
        if (perWorker !== null) {
          if (line.countRunning() >= perWorker)
            report(`${line.countRunning()} of ${perWorker} calls of ${group} run in this worker`);
          await line.enter({ chainId, most: perWorker, signal });
        }
        const leaveLine = () => perWorker !== null && line.leave(chainId);
        try {
          const leaveFleet = await enterFleet(fleet, concurrency, { ...caller, signal, onWait: report });
          const leave = () => {
            leaveFleet();
            leaveLine();
          };
          return { hasWaited: reason !== null, leave };
        } catch (error) {
          leaveLine();
          throw error;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
        if (caller.signal.aborted)
          throw new NotDone(`It did not run: it was stopped while it waited for a free place.`);
        const why = reason === null ? '' : ` (${reason})`;
        throw new NotDone(
          `It did not run: no place was free within ${formatExactDuration(waitMs)}${why}. Call it again later, or continue without it.`,
        );
      }
    },
  };
}

/** Returns a function that leaves the line of the fleet. */
async function enterFleet(
  places: FleetPlaces | null,
  { group, fleet }: ToolConcurrency,
  { signal, onWait, warn }: PlaceCaller,
): Promise<() => void> {
  if (fleet === null) return () => {};
  if (places === null)
    throw new NotDone(
      `It did not run: calls of ${group} are counted over all workers (concurrency.fleet), and this worker has no store.`,
    );
  let entry: LineEntry | null = null;
  let timer: NodeJS.Timeout | undefined;
  let hasLeft = false;
  let hasPlace = false;
  /** Each of both is reported once. */
  let isLost = false;
  let isStoreAway = false;
  const leave = () => {
    hasLeft = true;
    clearInterval(timer);
    // Its lease expires where the store is unavailable.
    entry?.leave().catch(() => {});
  };
  const renew = async () => {
    try {
      if ((await entry?.renew()) !== false || hasLeft || !hasPlace || isLost) return;
      isLost = true;
      warn(`A call of ${group} lost its place: its lease was not renewed in time. More calls than ${fleet} may run.`);
    } catch {
      // The next renewal may succeed.
    }
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      try {
        entry ??= await places.join(group);
        timer ??= setInterval(() => void renew(), places.leaseMs / 3).unref();
        const before = await entry.countBefore();
        if (before === null) {
          entry = null;
          continue;
        }
        // L5: the store may have answered long after the wait ended.
        signal.throwIfAborted();
        if (before < fleet) {
          hasPlace = true;
          return leave;
        }
        onWait(`${fleet} of ${fleet} calls of ${group} run in all workers`);
        await pause(Math.min(longestLookMs, lookMs * (1 + before - fleet)), signal);
      } catch (error) {
        if (signal.aborted) throw error;
        onWait('the store, which counts the calls of all workers, is unavailable');
        if (!isStoreAway) warn(`A call of ${group} waits for the store. ${toErrorMessage(error)}`);
        isStoreAway = true;
        await pause(retryMs, signal);
      }
    }
  } catch (error) {
    leave();
    throw error;
  }
}

/** @throws the reason of the signal */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

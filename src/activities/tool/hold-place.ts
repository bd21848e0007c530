/**
 * Executes a call once it has a place of its tool. The wait is within the attempt, whose timeout is that much longer: from the
 * place on, the worker keeps the time limit of the tool itself.
 */

import { Context } from '@temporalio/activity';
import { formatExactDuration } from '../../core/lib/display.js';
import { toErrorMessage } from '../../core/lib/errors.js';
import type { Effects, ToolConcurrency } from '../../core/model/agent.js';
import { defaults } from '../../core/model/defaults.js';
import type { ChainState } from '../../core/model/state.js';
import type { Tool } from '../../tools/define/define-tool.js';
import { NotDone } from '../../tools/define/errors.js';
import type { CallPlaces } from '../context/call-places.js';
import type { InterimEmitter } from './call-interim.js';

interface PlaceParts {
  readonly places: CallPlaces;
  readonly chainId: string;
  /** Returns the chain's current state. */
  readonly readState: () => Promise<Pick<ChainState, 'stop'>>;
  /** Shows why the call waits. */
  readonly interim: Pick<InterimEmitter, 'emit' | 'clear'>;
}

/** Runs a function, with a signal that also aborts at the time limit. */
export type HoldPlace = (signal: AbortSignal, execute: (signal: AbortSignal) => unknown) => unknown;

/** A tool without a limit runs at once, and Temporal keeps its time limit. */
export function createPlaceHolder({ snapshot }: Tool, { places, chainId, readState, interim }: PlaceParts): HoldPlace {
  const { concurrency, timeoutMs } = snapshot;
  if (concurrency === undefined) return (signal, execute) => execute(signal);
  const { info, log } = Context.current();
  return async (signal, execute) => {
    const place = await places.take(fitWait(concurrency, timeoutMs, info.startToCloseTimeoutMs), {
      ...{ chainId, signal, onWait: interim.emit },
      warn: (message) => log.warn(message),
    });
    if (place.hasWaited) {
      interim.clear();
      await checkGoesOn(readState, snapshot.effects).catch((error: unknown) => {
        place.leave();
        throw error;
      });
    }
    // L5: a slow store or history may have outlived the attempt.
    if (signal.aborted) {
      place.leave();
      throw new NotDone('It did not run: it was stopped while it waited for a free place.');
    }
    const limit = createTimeLimit(timeoutMs);
    const running = (async () => execute(AbortSignal.any([signal, limit.signal])))();
    // A function that ignores its signal keeps its place for a while: it may still use what the places protect.
    void Promise.race([running.catch(() => {}), limit.waitAfter(defaults.graceMs)]).then(place.leave);
    try {
      return await Promise.race([running, limit.reached]);
    } finally {
      limit.stop();
    }
  };
}

/**
 * L5: a cancel reaches each call with its next heartbeat. The end of one call may give another one its place before that.
 *
 * @throws {NotDone}
 */
async function checkGoesOn(readState: PlaceParts['readState'], effects: Effects): Promise<void> {
  const state = await readState().catch((error: unknown) => {
    const message = `It did not run: the history of its chain cannot be read. ${toErrorMessage(error)}`;
    throw effects === 'unsafe' ? new NotDone(message) : new Error(message);
  });
  if (state.stop !== null) throw new NotDone('It did not run: its chain stopped while it waited for a free place.');
}

/** A chain that started before the tool had places has no time for the wait in its attempts. */
function fitWait(concurrency: ToolConcurrency, timeoutMs: number, attemptMs: number): ToolConcurrency {
  const most = Math.max(attemptMs - timeoutMs - defaults.graceMs, Math.floor(attemptMs / 2));
  return { ...concurrency, waitMs: Math.min(concurrency.waitMs, most) };
}

/** The tool did not end within its time limit. It may still run. */
export class TimeLimitReached extends Error {
  override readonly name = 'TimeLimitReached';
}

/** A longer timer fires at once. */
const maxTimerMs = 2 ** 31 - 1;

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
    /** Resolves that long after the limit; never where it is not reached. */
    waitAfter: (graceMs: number) =>
      new Promise<void>((resolve) => {
        controller.signal.addEventListener('abort', () => setTimeout(resolve, graceMs).unref(), { once: true });
      }),
    stop: () => clearTimeout(timer),
  };
}

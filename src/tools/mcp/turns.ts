/** Turns: one holder at a time, in the order of arrival. */

import { McpFailure } from './failure.js';

export interface Turns<T> {
  /** What the holder of the turn brought; null while nobody has it. */
  readonly getCurrent: () => T | null;
  /** Waits for the turn, and returns the function that ends it. @throws {McpFailure} `not_sent` where it did not come in time */
  readonly take: (brought: T, limits: TurnLimits) => Promise<() => void>;
}

interface TurnLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export function createTurns<T>(): Turns<T> {
  let current: T | null = null;
  let last: Promise<void> = Promise.resolve();
  return {
    getCurrent: () => current,
    take: async (brought, { timeoutMs, signal }) => {
      const before = last;
      const { promise, resolve: end } = createEnd();
      // Also after a wait that was given up, the next one waits for those before.
      last = before.then(() => promise);
      const problem = await waitFor(before, timeoutMs, signal);
      if (problem !== null) {
        end();
        throw new McpFailure('not_sent', problem);
      }
      current = brought;
      return () => {
        current = null;
        end();
      };
    },
  };
}

function createEnd(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Returns why the turn did not come; null where it came. */
function waitFor(before: Promise<void>, timeoutMs: number, signal: AbortSignal | undefined): Promise<string | null> {
  return new Promise((resolve) => {
    const late = setTimeout(
      () => resolve('Other calls of the server took too long: they run one at a time.'),
      timeoutMs,
    );
    const stop = () => resolve('The call was cancelled before it was sent.');
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    void before.then(() => {
      clearTimeout(late);
      signal?.removeEventListener('abort', stop);
      resolve(null);
    });
  });
}

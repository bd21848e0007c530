/** Turns: one owner at a time, in the order of arrival. */

import { McpFailure } from './failure.js';

export interface Turns<T> {
  /** Null while nobody has the turn. */
  readonly getOwner: () => T | null;
  /** Waits for the turn, and returns the function that ends it. @throws {McpFailure} `not_its_turn` if it does not come in time */
  readonly take: (owner: T, limits: TurnLimits) => Promise<() => void>;
}

interface TurnLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export function createTurns<T>(): Turns<T> {
  let current: T | null = null;
  let last: Promise<void> = Promise.resolve();
  return {
    getOwner: () => current,
    take: async (owner, { timeoutMs, signal }) => {
      const before = last;
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      // Also if this wait is given up, the next one waits for those before.
      last = before.then(() => ended);
      const problem = await waitFor(before, timeoutMs, signal);
      if (problem !== null) {
        end();
        throw new McpFailure('not_its_turn', problem);
      }
      current = owner;
      return () => {
        current = null;
        end();
      };
    },
  };
}

/** Returns why the turn did not come; null if it came. */
function waitFor(before: Promise<void>, timeoutMs: number, signal: AbortSignal | undefined): Promise<string | null> {
  return new Promise((resolve) => {
    const settle = (problem: string | null) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(problem);
    };
    const stop = () => settle('The call was cancelled before it was sent.');
    const timer = setTimeout(
      () => settle('Other calls of the server took too long: they run one at a time.'),
      timeoutMs,
    );
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    void before.then(() => settle(null));
  });
}

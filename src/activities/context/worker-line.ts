/**
 * Fair queue for the places of a group in this worker: the chain with the fewest running calls first, then least recently served, then
 * first come. A chain with many calls does not keep the others waiting.
 */

export interface WorkerLine {
  /** Resolves when the call has a place. Contract: the caller then leaves. */
  readonly enter: (caller: LineCaller) => Promise<void>;
  readonly leave: (chainId: string) => void;
  /** Returns the number of calls that have a place. */
  readonly countRunning: () => number;
}

export interface LineCaller {
  readonly chainId: string;
  /** Places of the group, by the definition of the caller's tool. */
  readonly most: number;
  /** Aborts the wait: the promise rejects with its reason. */
  readonly signal: AbortSignal;
}

interface WaitingCaller extends Pick<LineCaller, 'chainId' | 'most'> {
  readonly admit: () => void;
}

export function createWorkerLine(): WorkerLine {
  const running = new Map<string, number>();
  const waiting: WaitingCaller[] = [];
  /** Turns of chains that run or wait, by the number of the turn. */
  const turns = new Map<string, number>();
  let turn = 0;
  const countRunning = () => [...running.values()].reduce((sum, calls) => sum + calls, 0);
  const countOf = ({ chainId }: Pick<LineCaller, 'chainId'>) => running.get(chainId) ?? 0;

  const isBefore = (a: WaitingCaller, b: WaitingCaller) => {
    if (countOf(a) !== countOf(b)) return countOf(a) < countOf(b);
    return (turns.get(a.chainId) ?? 0) < (turns.get(b.chainId) ?? 0);
  };
  const forget = (chainId: string) => {
    if (!running.has(chainId) && !waiting.some((each) => each.chainId === chainId)) turns.delete(chainId);
  };

  const admitNext = () => {
    for (;;) {
      const free = waiting.filter(({ most }) => countRunning() < most);
      const [first] = free;
      if (first === undefined) return;
      const next = free.reduce((best, each) => (isBefore(each, best) ? each : best), first);
      waiting.splice(waiting.indexOf(next), 1);
      running.set(next.chainId, countOf(next) + 1);
      turn += 1;
      turns.set(next.chainId, turn);
      next.admit();
    }
  };

  return {
    countRunning,
    enter: ({ chainId, most, signal }) =>
      new Promise((resolve, reject) => {
        const abort = () => {
          const at = waiting.indexOf(caller);
          if (at >= 0) waiting.splice(at, 1);
          forget(chainId);
          reject(signal.reason);
        };
        const caller: WaitingCaller = {
          ...{ chainId, most },
          admit: () => {
            signal.removeEventListener('abort', abort);
            resolve();
          },
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        waiting.push(caller);
        admitNext();
      }),
    leave: (chainId) => {
      const left = countOf({ chainId }) - 1;
      if (left > 0) running.set(chainId, left);
      else running.delete(chainId);
      forget(chainId);
      admitNext();
    },
  };
}

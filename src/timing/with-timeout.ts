/** A time limit for work that may hang, such as user code or a store: a chain must not wait for it without end. */

/** Most milliseconds of Node's timers: a longer one fires immediately. */
export const maxTimerMs = 2 ** 31 - 1;

/** Returns the value, or null after the given milliseconds. The work itself is not stopped. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<{ readonly value: T } | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}

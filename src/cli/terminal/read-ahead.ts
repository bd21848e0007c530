/** Reads a generator ahead of its consumer. */

/** Yields the items in order. @param notice called with each item immediately, even while the consumer is busy */
export async function* readAhead<T>(
  source: AsyncGenerator<T, void>,
  notice: (item: T) => void,
): AsyncGenerator<T, void> {
  const received: T[] = [];
  let wake = () => {};
  const state = { done: false };
  const reading = (async () => {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      received.push(next.value);
      notice(next.value);
      wake();
    }
  })().finally(() => {
    state.done = true;
    wake();
  });
  // An error is thrown where `reading` is awaited, after all items.
  reading.catch(() => {});
  try {
    while (!state.done || received.length > 0) {
      const next = received.shift();
      if (next !== undefined) yield next;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    await reading;
  } finally {
    source.return().catch(() => {});
  }
}

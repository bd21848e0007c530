/** Takes what comes as soon as it comes, also while who reads it is busy. */

/** @param notice is told of each at once; who reads gets it in its turn */
export async function* readAhead<T>(
  source: AsyncGenerator<T, void>,
  notice: (item: T) => void,
): AsyncGenerator<T, void> {
  const come: T[] = [];
  let wake = () => {};
  const state = { over: false };
  const taking = (async () => {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      come.push(next.value);
      notice(next.value);
      wake();
    }
  })().finally(() => {
    state.over = true;
    wake();
  });
  // Told of where it is awaited, once all that came before has been read.
  taking.catch(() => {});
  try {
    while (!state.over || come.length > 0) {
      const next = come.shift();
      if (next !== undefined) yield next;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    await taking;
  } finally {
    source.return().catch(() => {});
  }
}

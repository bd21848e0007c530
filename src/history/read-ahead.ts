/** Reads pages in the background, for a reader that has other work before it takes them. */

export interface PagesAhead<T> {
  /** The first page; null where there are no pages. @throws what the pages throw */
  readonly first: Promise<T | null>;
  /** Yields all pages, and stops reading when its reader stops. Call once. @throws what the pages throw */
  readonly read: () => AsyncGenerator<T, void>;
  /** Requests no more pages. A request under way is not awaited. */
  readonly stop: () => void;
}

/** Begins to read immediately, without a limit of pages: use it for what is read to its end. */
export function readAhead<T>(pages: AsyncIterator<T, unknown>): PagesAhead<T> {
  let stopped = false;
  const pull = (): Promise<ArrivedPage<T> | null> => {
    const arrived = pages.next().then(({ done, value }) => {
      if (done || stopped) return null;
      return { page: value, next: pull() };
    });
    // Its reader sees the error, unless it stopped before.
    arrived.catch(() => {});
    return arrived;
  };
  let next = pull();
  const first = next.then((arrived) => arrived?.page ?? null);
  first.catch(() => {});
  const stop = () => {
    stopped = true;
  };
  async function* read(): AsyncGenerator<T, void> {
    try {
      for (let arrived = await next; arrived !== null; arrived = await next) {
        // Pages that were read are released.
        next = arrived.next;
        yield arrived.page;
      }
    } finally {
      stop();
    }
  }
  return { first, read, stop };
}

interface ArrivedPage<T> {
  readonly page: T;
  readonly next: Promise<ArrivedPage<T> | null>;
}

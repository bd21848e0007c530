/** Pages of lists whose rows are filtered after they are read: by the caller's reach, and by what its viewer may see. */

export interface Page<T> {
  readonly items: readonly T[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

export interface PageOptions {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Most rows that are examined for one page: as many as the largest page has. */
const maxExamined = 200;
/** Small pages end before: each query is a search of the server. */
const maxQueries = 8;

/**
 * Reads on while less than half of a page is filled. Not until it is full: each query examines at most as many rows as the page
 * lacks, since its cursor is that of the page, so the last rows would need most queries.
 *
 * @param readPage examines at most `limit` rows
 * @throws the reason of the signal, when it is aborted
 */
export async function fillPage<T>(
  { limit, cursor, signal }: PageOptions & { readonly signal: AbortSignal },
  readPage: (options: PageOptions) => Promise<Page<T>>,
): Promise<Page<T>> {
  let page: Page<T> = { items: [], cursor: null };
  let next = cursor;
  let examined = 0;
  for (let queries = 0; queries < maxQueries && examined < maxExamined && page.items.length < limit / 2; queries++) {
    signal.throwIfAborted();
    const size = Math.min(limit - page.items.length, maxExamined - examined);
    const { items, cursor: following } = await readPage({ limit: size, cursor: next });
    page = { items: [...page.items, ...items], cursor: following };
    if (following === null) return page;
    next = following;
    examined += size;
  }
  return page;
}

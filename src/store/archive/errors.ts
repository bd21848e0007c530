/** What keeps an archived run from being read. */

/** Its stored form is not what was stored: the disk's fault, or somebody's. */
export class DamagedRunError extends Error {
  override readonly name = 'DamagedRunError';

  /** @param page from 1; null where pages are missing */
  constructor(chainId: string, runId: string, page: number | null, place: string) {
    const what = page === null ? 'A page' : `Page ${page}`;
    super(
      `${what} of run ${runId} of chain ${chainId} is ${page === null ? 'missing' : 'damaged'} in the archive (${place}). Put back a copy of the store; what Temporal still has, \`longhand archive sweep\` brings once the run is forgotten.`,
    );
  }
}

/** Its content was erased, on purpose; what it came to and the digests of its facts are there. */
export class ErasedChainError extends Error {
  override readonly name = 'ErasedChainError';

  constructor(
    readonly chainId: string,
    readonly erasedAt: number,
    readonly erasedBy: string | null,
  ) {
    const by = erasedBy === null ? '' : ` by ${erasedBy}`;
    super(
      `Chain ${chainId} was erased on ${new Date(erasedAt).toISOString().slice(0, 10)}${by}: its content is gone, its digests are kept.`,
    );
  }
}

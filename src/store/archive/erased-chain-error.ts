import { LonghandError } from '../../core/lib/index.js';

/** The content of the chain was erased on purpose; its outcome and the digests of its facts remain. */
export class ErasedChainError extends LonghandError {
  override readonly name = 'ErasedChainError';

  constructor(
    readonly chainId: string,
    readonly erasedAt: number,
    readonly erasedBy: string | null,
  ) {
    const by = erasedBy === null ? '' : ` by ${erasedBy}`;
    super(
      'chain_erased',
      `Chain ${chainId} was erased on ${new Date(erasedAt).toISOString().slice(0, 10)}${by}: only its digests remain.`,
    );
  }
}

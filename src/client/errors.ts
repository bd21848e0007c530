/** What starting a chain may throw. How a chain ends is never thrown: it is the outcome of its result. */

/** A chain of this id is running already. */
export class ChainRunningError extends Error {
  override readonly name = 'ChainRunningError';

  constructor(readonly chainId: string) {
    super(`Chain ${chainId} is running already. Choose another id, or pass \`ifRunning: 'join'\` to follow that one.`);
  }
}

/** There is no chain of this id: it never was, or its retention has ended. */
export class NoSuchChainError extends Error {
  override readonly name = 'NoSuchChainError';

  constructor(readonly chainId: string) {
    super(`There is no chain ${chainId} on this server and namespace, or its retention has ended.`);
  }
}

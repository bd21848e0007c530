/**
 * The side channel for what a model is saying right now. It never enters the history; what was said stands there
 * once the step is complete. In one process by default; another implementation may carry it between processes.
 */

/** A piece of a reply, as it is spoken. */
export interface TokenPiece {
  readonly chainId: string;
  /** The step that it will be. */
  readonly step: number;
  /** The attempt at it, `model-4`: what one that failed has said is no part of what the next one says. */
  readonly call: string;
  readonly text: string;
}

export interface TokenChannel {
  /** Must not throw, and must not wait for who listens. */
  readonly publish: (piece: TokenPiece) => void;
  /** @returns stops listening */
  readonly subscribe: (chainId: string, listener: (piece: TokenPiece) => void) => () => void;
}

/**
 * A channel for a worker and followers in one process: give the same one to both.
 *
 * @example
 * const tokens = tokenChannel();
 * await createWorker({ agents, tokens });
 * const longhand = await connect({ tokens });
 * for await (const event of longhand.chain(id).follow({ tokens: true })) …
 */
export function createTokenChannel(): TokenChannel {
  const listeners = new Map<string, Set<(piece: TokenPiece) => void>>();
  return {
    publish: (piece) => {
      for (const listener of listeners.get(piece.chainId) ?? []) listener(piece);
    },
    subscribe: (chainId, listener) => {
      const own = listeners.get(chainId) ?? new Set();
      listeners.set(chainId, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0) listeners.delete(chainId);
      };
    },
  };
}

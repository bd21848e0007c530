/**
 * Tokens of replies under way and interim results of running calls, from workers to followers. They never enter the
 * history, which has the complete step, and a channel stores none.
 */

import type { InterimResult } from '../core/model/index.js';

/** A piece of a reply under way. */
export interface TokenPiece {
  readonly chainId: string;
  readonly runId: string;
  /** The future step. */
  readonly step: number;
  /** The attempt, `model-4`: the text of a failed attempt is not a part of the next one's. */
  readonly call: string;
  /** Characters of the attempt before this text: a follower finds gaps and repeats by it. */
  readonly offset: number;
  readonly text: string;
}

/** The newest interim result of a call: it replaces the ones before. */
export interface InterimPiece {
  readonly chainId: string;
  readonly runId: string;
  readonly step: number;
  readonly call: string;
  readonly tool: string;
  /** From 1. */
  readonly attempt: number;
  /** Number of the interim result in its attempt, from 1. It is published again for followers that begin later. */
  readonly sequence: number;
  /** Null when the attempt has ended: its interim result is shown no more. */
  readonly interim: InterimResult | null;
}

/** What a channel carries. */
export type LivePiece = TokenPiece | InterimPiece;

export function isInterimPiece(piece: LivePiece): piece is InterimPiece {
  return 'interim' in piece;
}

export interface TokenPublisher {
  /** Must not throw and must not wait for listeners. */
  readonly publish: (piece: LivePiece) => void;
}

export interface TokenSubscriber {
  /**
   * Calls the listener for each piece of a chain. A piece may arrive several times, or not at all.
   *
   * @returns a function that ends the subscription
   */
  readonly subscribe: (chainId: string, listener: (piece: LivePiece) => void) => () => void;
}

export interface TokenChannel extends TokenPublisher, TokenSubscriber {}

/**
 * Creates a channel for a worker and followers in one process: pass the same one to both. Without it, tokens use the
 * relay between processes.
 * @example
 * const tokens = createTokenChannel();
 * await createWorker({ agents, tokens });
 * const longhand = await connect({ tokens });
 * for await (const event of longhand.getHandle(id).follow({ tokens: true })) …
 */
export function createTokenChannel(): TokenChannel {
  const listeners = new Map<string, Set<(piece: LivePiece) => void>>();
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

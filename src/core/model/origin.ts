/**
 * The origin of a fork: the first steps of another chain, with the facts that made them. The fork carries them in its
 * first fact, so that it can be read, replayed and verified when the origin is gone.
 */

import type { ToolSnapshot } from './agent.js';

/** Each fork of a fork carries all origins below it, which are unpacked one inside the other. */
export const maxForkDepth = 20;

export interface Origin {
  readonly chainId: string;
  /** The last of its runs. */
  readonly runId: string;
  /** Number of steps that the fork starts with, at least 1. */
  readonly steps: number;
  /** The head over the facts of these turns. */
  readonly digest: string;
  /** These turns, packed by `packTurns`. */
  readonly turns: string;
  /** A person's message to continue with, or null. */
  readonly message: string | null;
}

/** A tool as readers need it: its name, its kind and its view options. */
export type KnownTool = Pick<ToolSnapshot, 'name' | 'kind' | 'view'>;

/** The part of an origin that the state holds. */
export interface OriginRef extends Pick<Origin, 'chainId' | 'runId' | 'steps'> {
  /** Of the origin's agent: its model's provider and id, the name of its strategy, and the digest of its snapshot. */
  readonly provider: string;
  readonly model: string;
  readonly strategy: string;
  readonly definition: string;
  /** The tools of the origin's agent. */
  readonly tools: readonly KnownTool[];
  /** Number of forks in a row; 1 for the fork of a chain that is not a fork. */
  readonly depth: number;
  /** UTF-8 bytes of the conversation of these steps, as an upper bound. */
  readonly bytes: number;
}

/** Returns the depth of a fork of this chain. */
export function computeForkDepth({ origin }: { readonly origin: OriginRef | null }): number {
  return 1 + (origin?.depth ?? 0);
}

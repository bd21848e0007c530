/**
 * Where a forked chain comes from: the first steps of another, as the facts that made them. The fork carries them in
 * its own first fact, so that it can be read, replayed and proven when the other is long gone.
 */

import type { ToolSnapshot } from './agent.js';

/** Forks of forks: each carries all that are below it, which are unpacked one inside of the other. */
export const maxForkDepth = 20;

export interface Origin {
  readonly chainId: string;
  /** The last of its runs. */
  readonly runId: string;
  /** How many of its steps this chain begins with, from 1. */
  readonly steps: number;
  /** SHA-256 head over the facts of its turns until then. */
  readonly digest: string;
  /** These turns, as `packTurns` writes them. */
  readonly turns: string;
  /** What a person says to go on with, or null to go on as it was. */
  readonly message: string | null;
}

/** What a reader knows of a tool: its name, and how it is shown. */
export type KnownTool = Pick<ToolSnapshot, 'name' | 'view'>;

/** As much of it as a state holds. */
export interface OriginRef extends Pick<Origin, 'chainId' | 'runId' | 'steps'> {
  /** What its agent was then: its model's name, its strategy's, and the digest of its definition. */
  readonly model: string;
  readonly strategy: string;
  readonly definition: string;
  /** The tools that it had then, as far as readers need to know them. */
  readonly tools: readonly KnownTool[];
  /** How often it is a fork of a fork; 1 for the fork of a chain that is none. */
  readonly depth: number;
  /** UTF-8 bytes of all that was said in its steps, as an upper bound. */
  readonly bytes: number;
}

/** What a fork of this chain would have. */
export function computeForkDepth({ origin }: { readonly origin: OriginRef | null }): number {
  return 1 + (origin?.depth ?? 0);
}

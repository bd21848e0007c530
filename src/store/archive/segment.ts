/** One closed run of a chain, as the archive takes it: the run, and what lists and searches know of the chain by then. */

import type { Chain } from '../../core/model/chain.js';
import type { ChainRun, CloseStatus } from '../../core/record/chain-file.js';
import { type ChainListItem, toChainListItem } from '../../core/record/chain-list-item.js';
import type { VisibilityConfig } from '../../core/view/visibility.js';
import { collectSearchWords } from './search-words.js';

export interface Segment {
  readonly namespace: string;
  readonly chainId: string;
  readonly run: ClosedRun;
  /** Null for a chain's first. */
  readonly previousRunId: string | null;
  /** Facts before it and the head over them, and the same at its end. */
  readonly before: HeadPosition;
  readonly after: HeadPosition;
  readonly glance: ChainListItem;
  readonly words: ReadonlySet<string>;
}

export interface ClosedRun extends ChainRun {
  readonly closed: CloseStatus;
  readonly closedAt: number;
}

export interface HeadPosition {
  readonly facts: number;
  readonly head: string;
}

export interface SegmentSource {
  readonly namespace: string;
  readonly chainId: string;
  readonly run: ChainRun;
  /** At the run's end; its steps may be those of this run alone. */
  readonly chain: Chain;
  /** Head over the facts of the runs before; empty for a chain's first. */
  readonly headBefore: string;
  /** What the runs before have found to be sensitive. */
  readonly hidden?: readonly string[];
  readonly visibility?: VisibilityConfig;
}

/** Null for a run that has not closed, or in which no chain had begun. */
export function toSegment({ namespace, chainId, run, chain, headBefore, ...view }: SegmentSource): Segment | null {
  const { closed, closedAt } = run;
  const { state } = chain;
  const glance = toChainListItem({ chainId, chain, closed, closedAt });
  if (closed === null || closedAt === null || glance === null) return null;
  const [first] = run.turns[0]?.facts ?? [];
  return {
    namespace,
    chainId,
    run: { ...run, closed, closedAt },
    previousRunId: first?.type === 'continued' ? first.runId : null,
    before: { facts: state.run.facts, head: headBefore },
    after: { facts: state.facts, head: state.head },
    glance,
    words: collectSearchWords({ run, chain, ...view }),
  };
}

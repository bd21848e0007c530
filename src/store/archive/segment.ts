/** One closed run in the form that the archive stores: the run, the chain's list item, and its search words. */

import type { Chain, ModelTotal } from '../../core/model/index.js';
import {
  type ChainListItem,
  type ChainRun,
  type CloseStatus,
  countToolUse,
  type ToolUse,
  toChainListItem,
} from '../../core/record/index.js';
import type { VisibilityConfig } from '../../core/view/index.js';
import { collectSearchWords } from './search-words.js';

export interface Segment {
  readonly namespace: string;
  readonly server: string | null;
  readonly chainId: string;
  readonly run: ClosedRun;
  /** Null for a chain's first run. */
  readonly previousRunId: string | null;
  /** The number of facts and the head over them, before the run and at its end. */
  readonly before: HeadPosition;
  readonly after: HeadPosition;
  readonly glance: ChainListItem;
  readonly words: ReadonlySet<string>;
  readonly tools: readonly ToolUse[];
  /** What the chain's calls charged so far, in this run and before it. */
  readonly models: readonly ModelTotal[];
}

interface ClosedRun extends ChainRun {
  readonly closed: CloseStatus;
  readonly closedAt: number;
}

interface HeadPosition {
  readonly facts: number;
  readonly head: string;
}

export interface SegmentSource {
  readonly namespace: string;
  /** The namespace's id; null if unknown. */
  readonly server: string | null;
  readonly chainId: string;
  readonly run: ChainRun;
  /** The chain at the run's end; its steps may be those of this run only. */
  readonly chain: Chain;
  /** Head over the facts of the earlier runs; empty for a chain's first run. */
  readonly headBefore: string;
  /** Values that earlier runs found to be sensitive. */
  readonly hidden?: readonly string[];
  readonly visibility?: VisibilityConfig;
}

/** Null for a run that has not closed, or in which no chain started. */
export function toSegment({
  namespace,
  server,
  chainId,
  run,
  chain,
  headBefore,
  ...view
}: SegmentSource): Segment | null {
  const { closed, closedAt } = run;
  const { state } = chain;
  const glance = toChainListItem({ chainId, chain, closed, closedAt });
  if (closed === null || closedAt === null || glance === null) return null;
  const [first] = run.turns[0]?.facts ?? [];
  return {
    namespace,
    server,
    chainId,
    run: { ...run, closed, closedAt },
    previousRunId: first?.type === 'continued' ? first.runId : null,
    before: { facts: state.run.facts, head: headBefore },
    after: { facts: state.facts, head: state.head },
    glance,
    words: collectSearchWords({ run, chain, ...view }),
    tools: countToolUse(
      chain.steps.filter(({ number }) => number > glance.originSteps),
      run,
    ),
    models: state.modelTotals,
  };
}
